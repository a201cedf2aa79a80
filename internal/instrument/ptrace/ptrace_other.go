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
func Trace(context.Context, *exec.Cmd, bool, program.Limits) ([]Span, error) {
	return nil, errUnsupported
}

// Waits returns the error of [Usable].
func Waits(context.Context, *exec.Cmd, program.Limits) ([]Span, error) { return nil, errUnsupported }

// Run returns the error of [Usable].
func Run(context.Context, *exec.Cmd, program.Limits) error { return errUnsupported }

// Role is the role of a process that traces a program.
const Role = "trace"

// Follow returns the error of [Usable].
func Follow([]string) error { return errUnsupported }
