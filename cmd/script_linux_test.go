package cmd

import (
	"testing"

	"github.com/timebench/timebench/test/need"
	"github.com/timebench/timebench/test/planted"
)

// The scripts leave out what needs a missing program or a second CPU; this test does not let that go unnoticed.
func TestNeedsOfScripts(t *testing.T) {
	for _, name := range []string{"mkfifo", "script", "tar", "taskset"} {
		t.Run(name, func(t *testing.T) { need.Program(t, name) })
	}
	t.Run("two CPUs", func(t *testing.T) { planted.TwoCPUs(t) })
}
