//go:build !amd64 && !arm64

package ptrace

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
)

var errUnsupported = errors.New("ptrace: timebench knows the system calls of Linux on amd64 and arm64, not on " + runtime.GOARCH)

// Usable returns why programs cannot be traced here.
func Usable() error { return errUnsupported }

// Trace returns the error of [Usable].
func Trace(context.Context, *exec.Cmd, bool) ([]Span, error) { return nil, errUnsupported }

// Run returns the error of [Usable].
func Run(context.Context, *exec.Cmd) error { return errUnsupported }
