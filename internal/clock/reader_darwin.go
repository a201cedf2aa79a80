//go:build amd64 || arm64

package clock

import (
	"errors"

	"github.com/timebench/timebench/internal/machine/native"
)

// openStoring opens a clock whose function stores a timespec or a timeval: the seconds in 64 bits, and the rest in 64
// or 32 bits. again calls the function once more, and returns the errno: the loop does not see it.
func openStoring(perSecond int64, call nativeCall, again func() error) (Reader, error) {
	return opened(newCallReader(format{2, wordBytes, perSecond}, call, func(result int) error {
		if int32(result) == 0 { //nolint:gosec // a C int
			return nil
		}
		if err := refusal(again()); err != nil {
			return err
		}
		return errors.New("the function failed without a reason")
	}))
}

// openReturning opens a clock whose function returns the time.
func openReturning(fn, id uintptr) (Reader, error) {
	return newValueReader(nil, func(values *int64, step uintptr, n int) {
		native.CallIDValue(fn, id, values, step, n)
	}), nil
}
