//go:build !(linux || darwin || freebsd || openbsd || netbsd) && !(windows && (amd64 || arm64))

package clock

// systemClocks is empty where this build has no native loop for the system's
// own calls.
func systemClocks() []Clock { return nil }
