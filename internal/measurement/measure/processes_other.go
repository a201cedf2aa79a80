//go:build !linux && !windows

package measure

import "errors"

// WorkerRole is the role of a process that calls [Worker].
const WorkerRole = "worker"

var errNoProcesses = errors.New("worker processes are made on Linux and Windows only; use --workers threads")

func newProcesses(int) (team, error) { return nil, errNoProcesses }

// Worker returns an error: there are no worker processes on this system.
func Worker([]string) error { return errNoProcesses }
