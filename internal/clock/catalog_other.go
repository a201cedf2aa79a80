//go:build !(linux || darwin || freebsd || openbsd || netbsd) && !(windows && (amd64 || arm64))

package clock

// systemClocks returns nothing: this build has no native loop for the calls of the system.
func systemClocks() []Clock { return nil }
