//go:build !linux

package wake

import (
	"errors"

	"github.com/timebench/timebench/internal/system/program"
)

// round has no other step: this system has no timer slack, and no policy for a thread that keeps a CPU awake.
var round = []step{asIs}

func (r *runner) begin(step, *program.Child) (end func(), ok bool) { return nothing, true }

func (r *runner) change(*sleepingThread, step) (undo func()) { return nothing }

func (r *runner) startAwake() *program.Child { return nil }

func endAwake(*program.Child) {}

// KeepAwake returns an error: no process needs it on this system.
func KeepAwake([]string) error { return errors.New("this role is for Linux") }

func timers() Timers { return Timers{} }

// LargeSlacks returns none: this system has no timer slack.
func LargeSlacks() []ProgramSlack { return nil }

func idleEntries([]int) map[string]int64 { return nil }
