//go:build !linux

package clocksource

import (
	"context"
	"errors"
)

var errNotBuilt = errors.New("this build cannot switch the clock source; the builds for Linux can")

// Available returns an error: this build cannot switch clock sources.
func (Folder) Available() ([]string, error) { return nil, errNotBuilt }

// Writable returns an error: this build cannot switch the clock source.
func (Folder) Writable() error { return errNotBuilt }

// A Record is the record of a switched clock source, which only the builds for Linux write.
type Record struct{ Original string }

// Abandoned returns nil.
func (Folder) Abandoned() *Record { return nil }

// Recover returns an error.
func (Folder) Recover(*Record) error { return errNotBuilt }

// A Switch is the right to switch the clock source, which only the builds for Linux get.
type Switch struct{}

// Hold returns an error: this build cannot switch the clock source.
func Hold(Folder) (*Switch, error) { return nil, errNotBuilt }

// Each returns an error.
func (*Switch) Each(context.Context, []string, func(context.Context, string) error) (interrupted bool, err error) {
	return false, errNotBuilt
}

// Restore does nothing: there is nothing to restore.
func (*Switch) Restore() error { return nil }

// Guard returns an error: this build switches nothing.
func Guard([]string) error { return errNotBuilt }
