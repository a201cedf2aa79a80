//go:build !linux

package wake

import (
	"context"
	"errors"
)

// changes returns no change but none at all: this system has no timer slack and no policy that keeps a CPU awake.
func (r *runner) changes(context.Context) (all [steps]*change, end func()) {
	all[asIs] = unchanged()
	return all, func() {}
}

// AwakeRole is the role of a process that calls [KeepAwake].
const AwakeRole = "awake"

// KeepAwake returns an error: no process needs it on this system.
func KeepAwake([]string) error { return errors.New("this role is for Linux") }

func timers() Timers { return Timers{} }

func idleEntries([]int) map[string]int64 { return nil }
