package clock

import "errors"

// Names of the vDSO functions on arm64; vdso(7). There is no
// __kernel_time: arm64 has no time(2).
const (
	vdsoClockGettime = "__kernel_clock_gettime"
	vdsoGettimeofday = "__kernel_gettimeofday"
	vdsoClockGetres  = "__kernel_clock_getres"
	vdsoTime         = "__kernel_time"
)

func openTimeSyscall() (Reader, error) {
	return nil, errors.New("arm64 has no such system call; libc uses gettimeofday")
}
