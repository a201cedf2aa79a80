package host

import "golang.org/x/sys/unix"

// archCalls are the probed calls that only some architectures have. The C libraries of 32-bit systems call clock_gettime64
// since 2020 (musl 1.2.0, glibc 2.34 with 64-bit times).
var archCalls = []probedCall{
	{name: "time", number: unix.SYS_TIME},
	{name: "clock_gettime64", number: unix.SYS_CLOCK_GETTIME64, hasID: true, since: struct{ major, minor int }{5, 1}},
}
