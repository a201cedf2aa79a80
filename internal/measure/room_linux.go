package measure

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"

	"github.com/timebench/timebench/internal/thread"
	"golang.org/x/sys/unix"
)

// HoldFlag is the flag of [WorkerCommand] with which a process calls [HoldThreads].
const HoldFlag = "hold"

// HoldThreads starts so many threads, and returns when all run at the same time. Where the
// system refuses one, Go's runtime ends the process.
func HoldThreads(threads int) {
	var there atomic.Int64
	full, ended := make(chan struct{}), make(chan struct{})
	for range threads {
		go func() {
			// Of a thread that cannot be had nothing else comes than that it is missing.
			_ = thread.Run(thread.Any, func() {
				if there.Add(1) == int64(threads) {
					close(full)
				}
				<-full
			})
			ended <- struct{}{}
		}()
	}
	for range threads {
		<-ended
	}
}

// roomForThreads returns why this process cannot have so many threads more; nil where it can.
// A process of this program starts as many and ends again. Limits cannot be added up instead:
// ulimit -u counts the threads of all of a user's processes, and a control group's pids.max
// those of other containers in it; and Go's runtime ends a process that is refused a thread.
func roomForThreads(threads int) error {
	const (
		few = 8 // no more than Go's runtime may want at any time
		// spare are the threads that this process has and the other does not.
		spare = 4
	)
	program, err := os.Executable()
	if err != nil || threads <= few {
		return nil
	}
	command := exec.Command(program, WorkerCommand, "--"+HoldFlag, strconv.Itoa(threads+spare))
	command.Args[0] = os.Args[0]
	said := new(lastWords)
	command.Stderr = said
	err = command.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) || errors.Is(err, unix.EAGAIN) {
		return fmt.Errorf("the system refuses %d threads; take fewer (--threads), or raise the limit of processes (ulimit -u, pids.max of the control group, or the container's)", threads)
	}
	// Where no program can be started nothing is known.
	return nil
}
