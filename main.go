// Timebench measures the operating system's clocks: the cost of a read, the resolution, the scaling over threads, and
// whether they can be trusted.
package main

import (
	"os"

	"github.com/timebench/timebench/cmd"
)

func main() { os.Exit(cmd.Execute()) }
