//go:build !linux || (!amd64 && !arm64)

package ptrace

import (
	"context"
	"errors"
	"os/exec"
)

var errUnsupported = errors.New("ptrace: the calls of programs are traced on Linux only, on amd64 and arm64")

// Usable returns why programs cannot be traced here.
func Usable() error { return errUnsupported }

// Trace returns the error of [Usable].
func Trace(context.Context, *exec.Cmd, bool) ([]Span, error) { return nil, errUnsupported }

// Run returns the error of [Usable].
func Run(context.Context, *exec.Cmd) error { return errUnsupported }
