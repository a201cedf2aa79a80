//go:build !linux

package observe

import (
	"context"
	"errors"
)

// HoldThreads returns an error: no process needs it on this system.
func HoldThreads([]string) error { return errors.New("this role is for Linux") }

// RoomForThreads returns nil: this system has no limit that a run would reach.
func RoomForThreads(context.Context, int) error { return nil }
