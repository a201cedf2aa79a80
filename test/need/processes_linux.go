package need

import (
	"os"
	"path/filepath"
	"testing"
)

// Processes skips a test that starts processes under qemu-user, an emulator of another architecture. There a fork of a
// program with threads may hang for ever (https://github.com/golang/go/issues/70329), and the kernel does not know the
// program that the child is to become.
func Processes(t testing.TB) {
	t.Helper()
	if name := emulator(); name != "" {
		Missing(t, "processes", "this test runs under "+name)
	}
}

// emulator returns the name of the emulator that runs this process; empty without an emulator. qemu-user presents
// /proc/self/exe as the kernel would for the emulated program, and /proc/thread-self/exe as the kernel does: it is the
// emulator.
func emulator() string {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return ""
	}
	runs, err := os.Readlink("/proc/thread-self/exe")
	if err != nil || runs == program {
		return ""
	}
	return filepath.Base(runs)
}
