//go:build !(linux || darwin || freebsd || openbsd || netbsd) && !(windows && (amd64 || arm64))

package clock

import "errors"

// systemClocks returns nothing: this build has no native loop for the calls of the system.
func systemClocks() []Clock { return nil }

// OpenFloor returns an error for the same reason.
func OpenFloor() (Reader, error) {
	return nil, errors.New("this build has no native loop for the calls of this system and CPU")
}
