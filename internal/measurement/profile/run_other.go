//go:build !linux

package profile

import (
	"context"
	"time"
)

// Run returns ErrUnsupported.
func Run(context.Context, Settings, Measure, func(done, total time.Duration)) (Profile, error) {
	return Profile{}, ErrUnsupported
}

// Check returns ErrUnsupported.
func Check(Settings) error { return ErrUnsupported }

// NamedProcesses returns nothing.
func NamedProcesses(string) []int { return nil }

// ProcessOf returns 0.
func ProcessOf(int) int { return 0 }
