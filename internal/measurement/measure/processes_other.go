//go:build !linux && !windows

package measure

import (
	"errors"
	"io"

	"github.com/timebench/timebench/internal/clock"
)

// WorkerCommand is the command of timebench that makes a process a worker.
const WorkerCommand = "worker"

var errNoProcesses = errors.New("worker processes are made on Linux and Windows only; use --workers threads")

func newProcesses(int) (team, error) { return nil, errNoProcesses }

// Worker returns an error: there are no worker processes on this system.
func Worker([]clock.Clock, io.Reader, io.Writer) error { return errNoProcesses }
