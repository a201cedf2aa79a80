package observe

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/program"
	"golang.org/x/sys/unix"
)

// HoldThreads is the role of a process that starts a number of threads, its argument, and ends when all run at the same
// time. If the system refuses one, Go's runtime ends the process.
func HoldThreads(args []string) error {
	threads, err := strconv.ParseUint(strings.Join(args, " "), 10, 31)
	if err != nil {
		return err
	}
	thread.Reserve(int(threads))
	return nil
}

// RoomForThreads returns why this process cannot start this number of threads; nil if it can, or if ctx ends first.
// Another process of this program starts this number of threads and ends. The limits cannot be computed: ulimit -u
// counts the threads of all processes of a user, and a control group's pids.max also counts other containers in it.
// Go's runtime ends a process that is refused a thread.
func RoomForThreads(ctx context.Context, threads int) error {
	const (
		few = 8 // no more than Go's runtime may need at any time
		// spare are the threads that this process has and the other does not.
		spare = 4
	)
	if threads <= few {
		return nil
	}
	child, err := program.Start(ctx, program.Role(ThreadsRole, strconv.Itoa(threads+spare)))
	if err == nil && !child.Close().Success() {
		err = errors.New(child.Close().String()) // without the words of Go's runtime
	}
	if ctx.Err() == nil && err != nil && (child != nil || errors.Is(err, unix.EAGAIN)) {
		return fmt.Errorf("the system refuses %d threads (%w); use fewer, or raise the limit of processes "+
			"(ulimit -u, pids.max of the control group, or the container's)", threads, err)
	}
	// If no program can be started, the limit is unknown.
	if err != nil {
		debuglog.Printf("room for threads", "not known: %v", err)
	}
	return nil
}
