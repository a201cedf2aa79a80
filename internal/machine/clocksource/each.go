package clocksource

import (
	"context"
	"errors"
	"time"
)

// settleTime is the pause after a switch. The kernel's timekeeping changes to the new clock source
// within a tick, and a time service may then correct the time.
const settleTime = 200 * time.Millisecond

// Each switches to each of the clock sources and calls run, until ctx or the guardian ends, or run fails. Then it restores
// the original one, also after a panic. It reports whether it was interrupted.
func (s *Switch) Each(ctx context.Context, names []string, run func(context.Context, string) error) (interrupted bool, err error) {
	defer func() { _ = s.Restore() }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	for _, name := range names {
		if ctx.Err() != nil {
			break
		}
		if err := s.To(name); err != nil {
			return false, errors.Join(err, s.Restore())
		}
		select {
		case <-time.After(settleTime):
		case <-ctx.Done():
		}
		if err := run(ctx, name); err != nil {
			return false, errors.Join(err, s.Restore())
		}
	}
	interrupted = ctx.Err() != nil
	return interrupted, errors.Join(s.Err(), s.Restore())
}
