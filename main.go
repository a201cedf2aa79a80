// Timebench measures the operating system's clocks: what it costs to ask what
// time it is, how fine the answer is, whether it scales over threads, and
// whether it can be trusted.
package main

import (
	"os"

	"github.com/timebench/timebench/cmd"
)

func main() { os.Exit(cmd.Execute()) }
