//go:build !(linux || windows) || !(amd64 || arm64)

package clock

import "errors"

// OpenFloor says that this build has no native loop whose floor there would be.
func OpenFloor() (Reader, error) { return nil, errors.New("this build has no native loop") }
