//go:build !linux

package attachment

import (
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
)

var began = time.Now()

// spentSeconds returns the time since the process began, in seconds.
func spentSeconds() float64 { return time.Since(began).Seconds() }

// factsOf returns only the system: package host reads the files of Linux on Linux only. The log has the other facts.
func factsOf(map[string][]byte, []kernellog.Event) result.Host { return result.Host{OS: "linux"} }
