package limits

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

func check() error {
	if err := checkThreads(); err != nil {
		return err
	}
	return checkFiles()
}

// checkThreads returns an error if the limit of processes, which counts the threads of all processes
// of a user, is too low for this one. The kernel exempts root.
func checkThreads() error {
	// With 2 CPUs, timebench was seen to take up to 17 threads; some grow with the CPUs.
	least := uint64(16 + 2*runtime.NumCPU())
	var limit unix.Rlimit
	if os.Getuid() == 0 || unix.Getrlimit(unix.RLIMIT_NPROC, &limit) != nil || limit.Cur >= least {
		return nil
	}
	return fmt.Errorf("the limit of processes is %d (ulimit -u), which counts threads; timebench needs at least %d", limit.Cur, least)
}
