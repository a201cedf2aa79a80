//go:build !linux && !windows && !(freebsd && (amd64 || arm64 || riscv64))

package thread

import (
	"errors"
	"runtime"
)

func prepare(cpu int) error {
	if cpu == Any {
		return nil
	}
	return errors.New("this build cannot pin threads on " + runtime.GOOS)
}

// isMain returns false: on this system nothing that prepare sets outlives the work.
func isMain() bool { return false }

// Current returns Any: this build does not query the CPU of a thread.
func Current() int { return Any }

// Usable returns the numbers of the CPUs that this process may use, in order.
func Usable() []int { return firstCPUs(runtime.NumCPU()) }
