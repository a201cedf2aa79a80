//go:build !(linux || windows || darwin || dragonfly || freebsd || netbsd || openbsd)

package wake

// systemWays are empty: no system call of this system is known here.
var systemWays []Way
