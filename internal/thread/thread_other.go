//go:build !linux

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

// Yield lets another goroutine have this CPU.
func Yield() { runtime.Gosched() }

// Usable returns the numbers of the CPUs that this process may run on, in order.
func Usable() []int { return firstCPUs(runtime.NumCPU()) }
