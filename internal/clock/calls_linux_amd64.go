package clock

import "golang.org/x/sys/unix"

// Names of the vDSO functions on x86; vdso(7).
const (
	vdsoClockGettime = "__vdso_clock_gettime"
	vdsoGettimeofday = "__vdso_gettimeofday"
	vdsoClockGetres  = "__vdso_clock_getres"
	vdsoTime         = "__vdso_time"
)

func openTimeSyscall() (Reader, error) { return opened(timeReader(syscallCall(unix.SYS_TIME))) }
