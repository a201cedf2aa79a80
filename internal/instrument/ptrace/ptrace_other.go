//go:build !linux

package ptrace

import (
	"context"
	"errors"
	"os/exec"
)

var errUnsupported = errors.New("ptrace: the calls of programs are traced on Linux only")

// Usable returns why programs cannot be traced here.
func Usable() error { return errUnsupported }

// Trace returns the error of [Usable].
func Trace(context.Context, *exec.Cmd, bool) ([]Span, error) { return nil, errUnsupported }

// Run returns the error of [Usable].
func Run(context.Context, *exec.Cmd) error { return errUnsupported }
