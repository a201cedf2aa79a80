//go:build linux && !amd64 && !386 && !arm

package host

// archCalls are the probed calls that only some architectures have.
var archCalls []probedCall
