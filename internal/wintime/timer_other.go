//go:build !windows

package wintime

import (
	"errors"
	"time"
)

// RaiseTimer says that only Windows has a system timer whose period can be set.
func RaiseTimer(time.Duration) (undo func(), err error) {
	return nil, errors.New("only Windows has a system timer whose period a program can set")
}
