//go:build !linux

package runtimes

import "testing"

// testAttribution does nothing: calls are traced on Linux only.
func testAttribution(*testing.T, *runner) {}

func testWaits(*testing.T, *runner) {}
