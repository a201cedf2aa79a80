//go:build !windows

package wintime

import (
	"errors"
	"time"
)

// RaiseTimer returns an error: only Windows has a system timer with a variable period.
func RaiseTimer(time.Duration) (undo func(), err error) {
	return nil, errors.New("only Windows has a system timer whose period a program can set")
}
