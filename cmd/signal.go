package cmd

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// untilSignal returns a context that SIGINT, SIGTERM and SIGHUP end, and a function that
// returns the exit status for the signal that came; 0 when none did. On Windows SIGINT is
// Ctrl-C and Ctrl-Break, and SIGTERM the end of the console, of the session or of the
// system (os/signal). A second signal ends the process at once, when it has called the
// undos. The system's own way to end it would not call them, and is status 0 under Wine.
func untilSignal(undos ...func()) (context.Context, func() int) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup(1) has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		cancel(&failure{status: statusOf(<-signals)})
		again := <-signals
		for _, undo := range undos {
			undo()
		}
		os.Exit(statusOf(again))
	}()
	return ctx, func() int {
		var f *failure
		if errors.As(context.Cause(ctx), &f) {
			return f.status
		}
		return 0
	}
}

// statusOf is the exit status of a process that a signal ended, as shells have it.
func statusOf(received os.Signal) int {
	if number, ok := received.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return 1
}
