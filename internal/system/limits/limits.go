// Package limits ends the program with one line if a limit of the system is so low that the Go runtime
// would end it with a trace: it needs two files for its poller, and threads.
//
// It does so while packages are initialised, because some open files then. Packages are initialised in the order of
// their import paths as soon as their imports are, so this package imports little.
package limits

import (
	"fmt"
	"os"
)

func init() {
	if err := check(); err != nil {
		fmt.Fprintln(os.Stderr, "timebench: "+err.Error())
		os.Exit(1)
	}
}
