//go:build !(linux || windows || darwin) || !(amd64 || arm64)

package clock

import "errors"

// OpenFloor returns an error: this build has no native loop.
func OpenFloor() (Reader, error) { return nil, errors.New("this build has no native loop") }
