// Package signals handles the signals that end this process: SIGINT, SIGTERM, SIGQUIT and SIGHUP. On Windows, SIGINT
// is Ctrl-C and Ctrl-Break, and SIGTERM the end of the console, the session or the system (os/signal).
package signals

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	received = make(chan os.Signal, 4)
	// next handles the next signal.
	next atomic.Pointer[func(os.Signal)]
)

// Begin is called at the start of the process. Without it, SIGQUIT makes Go print the stack
// of every goroutine. The default of the other signals is right while there is nothing to undo.
// Windows has no SIGQUIT.
func Begin() {
	atNext(exit)
	signal.Notify(received, syscall.SIGQUIT)
	go func() {
		for s := range received {
			Handle(s)
		}
	}()
}

// Handle does what a signal does when it is received.
func Handle(s os.Signal) { (*next.Load())(s) }

func atNext(do func(os.Signal)) { next.Store(&do) }

// notify handles SIGINT, SIGTERM and SIGHUP too.
func notify() {
	signal.Notify(received, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // under nohup(1)
		signal.Notify(received, syscall.SIGHUP)
	}
}

// Until returns a context that a signal ends, and a function that returns the exit status of that signal, 0 without
// one. A second signal calls the undo functions and ends the process at once. The default of the system would
// not call them, and exits with 0 under Wine.
func Until(undos ...func()) (ctx context.Context, status func() int) {
	ctx, cancel := context.WithCancel(context.Background())
	var ended atomic.Int32
	atNext(func(first os.Signal) {
		ended.Store(int32(statusOf(first)))
		cancel()
		came := time.Now()
		atNext(func(second os.Signal) {
			if second != first || time.Since(came) >= Doubled {
				undoAndExit(second, undos)
			}
		})
	})
	notify()
	return ctx, func() int { return int(ended.Load()) }
}

// End makes a signal call the undo functions and end the process at once.
func End(undos ...func()) {
	atNext(func(s os.Signal) { undoAndExit(s, undos) })
	notify()
}

func undoAndExit(s os.Signal, undos []func()) {
	for _, undo := range undos {
		undo()
	}
	exit(s)
}

func exit(s os.Signal) { os.Exit(statusOf(s)) }

// statusOf returns the exit status of a process that a signal ended, as shells report it.
func statusOf(s os.Signal) int {
	if number, ok := s.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return 1
}
