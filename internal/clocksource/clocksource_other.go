//go:build !linux

package clocksource

import (
	"errors"
	"io"
	"os/exec"
)

var errLinux = errors.New("only Linux lets a program select the clock source")

// Available returns an error: this system has no selectable clock sources.
func (Folder) Available() ([]string, error) { return nil, errLinux }

// Current returns an error: this system has no names for clock sources.
func (Folder) Current() (string, error) { return "", errLinux }

// Writable returns an error: there is nothing to switch on this system.
func (Folder) Writable() error { return errLinux }

// A Record is the record of a switched clock source, which does not exist on this system.
type Record struct{ Original string }

// Abandoned returns nil.
func (Folder) Abandoned() *Record { return nil }

// Recover returns an error.
func (Folder) Recover(*Record) error { return errLinux }

// A Switch is the right to switch the clock source, which nobody has on this system.
type Switch struct{}

// Hold returns an error: there is nothing to switch on this system.
func Hold(Folder, *exec.Cmd) (*Switch, error) { return nil, errLinux }

// Original returns "".
func (*Switch) Original() string { return "" }

// To returns an error.
func (*Switch) To(string) error { return errLinux }

// Restore does nothing: there is nothing to restore.
func (*Switch) Restore() error { return nil }

// Done returns a channel that is never closed.
func (*Switch) Done() <-chan struct{} { return nil }

// Err returns an error.
func (*Switch) Err() error { return errLinux }

// Guard returns an error: there is nothing to guard on this system.
func Guard(io.Reader, io.Writer, Folder) error { return errLinux }
