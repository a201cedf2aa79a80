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

// NamedProcesses returns none.
func NamedProcesses(string) []int { return nil }

// ProcessOf returns none.
func ProcessOf(int) int { return 0 }

// StartCommand is the hidden command that starts another program. It is for Linux.
const StartCommand = "start-profiled"

// Start returns ErrUnsupported.
func Start([]string) (reported bool, err error) { return false, ErrUnsupported }
