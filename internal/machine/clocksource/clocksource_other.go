//go:build !linux

package clocksource

import (
	"errors"
	"io"
	"os/exec"
)

var errNotBuilt = errors.New("this build cannot switch the clock source; the builds for Linux can")

// Available returns an error: this build cannot switch clock sources.
func (Folder) Available() ([]string, error) { return nil, errNotBuilt }

// Current returns an error: this build does not know the clock sources of the system.
func (Folder) Current() (string, error) { return "", errNotBuilt }

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
func Hold(Folder, *exec.Cmd) (*Switch, error) { return nil, errNotBuilt }

// To returns an error.
func (*Switch) To(string) error { return errNotBuilt }

// Restore does nothing: there is nothing to restore.
func (*Switch) Restore() error { return nil }

// Done returns a channel that is never closed.
func (*Switch) Done() <-chan struct{} { return nil }

// Err returns an error.
func (*Switch) Err() error { return errNotBuilt }

// Guard returns an error: this build switches nothing.
func Guard(io.Reader, io.Writer, Folder) error { return errNotBuilt }
