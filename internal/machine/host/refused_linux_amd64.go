package host

import "golang.org/x/sys/unix"

// archCalls are the probed calls that only some architectures have.
var archCalls = []probedCall{{name: "time", number: unix.SYS_TIME}}
