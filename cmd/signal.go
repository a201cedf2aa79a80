package cmd

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// signals are those that end this process, and atSignal is what is done at the next one.
var (
	signals  = make(chan os.Signal, 4)
	atSignal atomic.Pointer[func(os.Signal)]
)

// handleSignals is for the beginning of the process. SIGQUIT would make Go write what every
// goroutine does; the others end a process that has nothing to undo as it should. Windows has no
// SIGQUIT.
func handleSignals() {
	atNextSignal(exit)
	signal.Notify(signals, syscall.SIGQUIT)
	go func() {
		for received := range signals {
			(*atSignal.Load())(received)
		}
	}()
}

func atNextSignal(do func(os.Signal)) { atSignal.Store(&do) }

// notify has SIGINT, SIGTERM and SIGHUP handled too.
func notify() {
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup(1) has it
		signal.Notify(signals, syscall.SIGHUP)
	}
}

// untilSignal returns a context that SIGINT, SIGTERM, SIGQUIT and SIGHUP end, and a function
// that returns the exit status for the signal that came; 0 when none did. On Windows SIGINT is
// Ctrl-C and Ctrl-Break, and SIGTERM the end of the console, of the session or of the
// system (os/signal). A second signal ends the process at once, when it has called the
// undos. The system's own way to end it would not call them, and is status 0 under Wine.
func untilSignal(undos ...func()) (context.Context, func() int) {
	ctx, cancel := context.WithCancelCause(context.Background())
	atNextSignal(func(received os.Signal) {
		cancel(&failure{status: statusOf(received)})
		endAtSignal(undos...)
	})
	notify()
	return ctx, func() int {
		var f *failure
		if errors.As(context.Cause(ctx), &f) {
			return f.status
		}
		return 0
	}
}

// endAtSignal has those signals end the process at once, when it has called the undos.
func endAtSignal(undos ...func()) {
	atNextSignal(func(received os.Signal) {
		for _, undo := range undos {
			undo()
		}
		exit(received)
	})
	notify()
}

func exit(received os.Signal) { os.Exit(statusOf(received)) }

// statusOf is the exit status of a process that a signal ended, as shells have it.
func statusOf(received os.Signal) int {
	if number, ok := received.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return 1
}
