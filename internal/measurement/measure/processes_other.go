//go:build !linux && !windows

package measure

import "errors"

var errNoProcesses = errors.New("worker processes are made on Linux and Windows only; use --workers threads")

func newProcesses(int) (team, error) { return nil, errNoProcesses }

// Worker returns an error: there are no worker processes on this system.
func Worker([]string) error { return errNoProcesses }
