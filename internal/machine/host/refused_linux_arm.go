package host

import "golang.org/x/sys/unix"

// archCalls are the probed calls that only some architectures have.
var archCalls = []probedCall{{name: "clock_gettime64", number: unix.SYS_CLOCK_GETTIME64, hasID: true, since: struct{ major, minor int }{5, 1}}}
