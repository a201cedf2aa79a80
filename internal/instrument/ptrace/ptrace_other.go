//go:build !linux

package ptrace

import (
	"context"
	"errors"
	"os/exec"

	"github.com/timebench/timebench/internal/system/program"
)

var errUnsupported = errors.New("ptrace: the calls of programs are traced on Linux only")

// Usable returns why programs cannot be traced here.
func Usable() error { return errUnsupported }

// Trace returns the error of [Usable].
func Trace(context.Context, Task, *exec.Cmd, program.Limits) ([]Span, error) {
	return nil, errUnsupported
}

// Follow returns the error of [Usable].
func Follow([]string) error { return errUnsupported }
