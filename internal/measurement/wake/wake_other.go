//go:build !linux

package wake

import "errors"

// round has no other step: this system has no timer slack, and no policy for a thread that keeps a CPU awake.
var round = []step{asIs}

func setSlack(uintptr) {}

// A waker keeps CPUs awake.
type waker struct{}

func (r *runner) startAwake() waker { return waker{} }

func (waker) during(_ step, pass func()) { pass() }
func (waker) end()                       {}

// KeepAwake returns an error: no process needs it on this system.
func KeepAwake([]string) error { return errors.New("this role is for Linux") }

func timers([]int) Timers { return Timers{} }

// LargeSlacks returns none: this system has no timer slack.
func LargeSlacks() []ProgramSlack { return nil }

// inTurn has the first sleeper sleep.
func inTurn(sleepers []sleeper, turns []turn, _ int64) (slept int, failed error) {
	turns[0].late, failed = sleepers[turns[0].way].sleep(turns[0].span)
	return 1, failed
}

// simple opens a way that needs no preparation: see [after].
func simple(sleep func(ns int64) error) func() (sleeper, error) {
	return func() (sleeper, error) { return after(sleep), nil }
}
