//go:build !linux

package measure

import "context"

// HoldFlag is the flag of [WorkerCommand] with which a process calls [HoldThreads].
const HoldFlag = "hold"

// HoldThreads does nothing: no other process calls it on this system.
func HoldThreads(int) {}

// roomForThreads returns nil: this system has no limit that a run would reach.
func roomForThreads(context.Context, int) error { return nil }
