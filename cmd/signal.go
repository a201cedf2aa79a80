package cmd

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// signals receives the signals that end this process. atSignal handles the next one.
var (
	signals  = make(chan os.Signal, 4)
	atSignal atomic.Pointer[func(os.Signal)]
)

// handleSignals is called at the start of the process. Without it, SIGQUIT makes Go print the stack
// of every goroutine. The default of the other signals is right while there is nothing to undo.
// Windows has no SIGQUIT.
func handleSignals() {
	atNextSignal(exit)
	signal.Notify(signals, syscall.SIGQUIT)
	go func() {
		for received := range signals {
			(*atSignal.Load())(received)
		}
	}()
}

// atNextSignal replaces the handler.
func atNextSignal(do func(os.Signal)) { atSignal.Store(&do) }

// notify handles SIGINT, SIGTERM and SIGHUP too.
func notify() {
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // under nohup(1)
		signal.Notify(signals, syscall.SIGHUP)
	}
}

// untilSignal returns a context that SIGINT, SIGTERM, SIGQUIT and SIGHUP end, and a function that
// returns the exit status of the signal, 0 without one. On Windows, SIGINT is Ctrl-C and
// Ctrl-Break, and SIGTERM the end of the console, the session or the system (os/signal). A second
// signal calls the undo functions and ends the process at once. The default of the system would
// not call them, and exits with 0 under Wine.
func untilSignal(undos ...func()) (context.Context, func() int) {
	ctx, cancel := context.WithCancelCause(context.Background())
	atNextSignal(func(received os.Signal) {
		cancel(&failure{status: statusOf(received)})
		came := time.Now()
		atNextSignal(func(second os.Signal) {
			if second != received || time.Since(came) >= doubled {
				undoAndExit(second, undos)
			}
		})
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

// endAtSignal makes those signals call the undo functions and end the process at once.
func endAtSignal(undos ...func()) {
	atNextSignal(func(received os.Signal) { undoAndExit(received, undos) })
	notify()
}

func undoAndExit(received os.Signal, undos []func()) {
	for _, undo := range undos {
		undo()
	}
	exit(received)
}

// exit ends the process with the status of a signal.
func exit(received os.Signal) { os.Exit(statusOf(received)) }

// statusOf returns the exit status of a process that a signal ended, as shells report it.
func statusOf(received os.Signal) int {
	if number, ok := received.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return 1
}
