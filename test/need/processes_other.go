//go:build !linux

package need

import "testing"

// Processes skips a test that starts processes under an emulator that cannot start any; here none is known.
func Processes(testing.TB) {}
