package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"

	"github.com/timebench/timebench/internal/thread"
	"github.com/timebench/timebench/internal/trace"
	"golang.org/x/sys/unix"
)

// HoldFlag is the flag of [WorkerCommand] with which a process calls [HoldThreads].
const HoldFlag = "hold"

// HoldThreads starts so many threads, and returns when all run at the same time. Where the
// system refuses one, Go's runtime ends the process.
func HoldThreads(threads int) {
	var there, ended sync.WaitGroup
	there.Add(threads)
	for range threads {
		ended.Go(func() {
			err := thread.Run(thread.Any, func() {
				there.Done()
				there.Wait()
			})
			if err != nil { // it is none that the system refused: nobody waits for it
				there.Done()
			}
		})
	}
	ended.Wait()
}

// roomForThreads returns why this process cannot have so many threads more; nil where it can, and
// where ctx ends before that is known. A process of this program starts as many and ends again.
// Limits cannot be added up instead:
// ulimit -u counts the threads of all of a user's processes, and a control group's pids.max
// those of other containers in it; and Go's runtime ends a process that is refused a thread.
func roomForThreads(ctx context.Context, threads int) error {
	const (
		few = 8 // no more than Go's runtime may want at any time
		// spare are the threads that this process has and the other does not.
		spare = 4
	)
	program, err := os.Executable()
	if err != nil || threads <= few {
		return nil
	}
	command := exec.CommandContext(ctx, program, WorkerCommand, "--"+HoldFlag, strconv.Itoa(threads+spare))
	command.Args[0] = os.Args[0]
	said := new(lastWords)
	command.Stderr = trace.Through(said, "room for threads")
	err = command.Run()
	var exit *exec.ExitError
	if ctx.Err() == nil && (errors.As(err, &exit) || errors.Is(err, unix.EAGAIN)) {
		return fmt.Errorf("the system refuses %d threads; take fewer (--threads), or raise the limit of processes (ulimit -u, pids.max of the control group, or the container's)", threads)
	}
	// Where no program can be started nothing is known.
	if err != nil {
		trace.Printf("room for threads", "not known: %v", err)
	}
	return nil
}
