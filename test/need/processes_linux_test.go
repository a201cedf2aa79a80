package need

import (
	"os"
	"testing"
)

// The stages of .ci/run that run tests under an emulator name it in TIMEBENCH_EMULATOR.
func TestEmulatorIsSeen(t *testing.T) {
	if name := emulator(); name != os.Getenv("TIMEBENCH_EMULATOR") {
		t.Fatalf("the emulator is called %q; TIMEBENCH_EMULATOR says %q", name, os.Getenv("TIMEBENCH_EMULATOR"))
	}
}
