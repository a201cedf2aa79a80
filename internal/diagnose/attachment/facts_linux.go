package attachment

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/machine/kernellog"
)

// spentSeconds returns the CPU time of this process, in seconds.
func spentSeconds() float64 { return host.OwnSeconds() }

// factsOf returns the facts in the files of a machine and in its log.
func factsOf(files map[string][]byte, log []kernellog.Event) result.Host { return host.Of(files, log) }
