//go:build !amd64 && !arm64

package clock

// xsysPath: golang.org/x/sys makes system calls here and does not use the vDSO.
const xsysPath = Syscall
