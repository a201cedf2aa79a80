package attachment

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
)

// spentSeconds returns the CPU time of this process, in seconds.
func spentSeconds() float64 { return host.OwnSeconds() }

// factsOf returns the facts in the files of a machine and in lines of its log.
func factsOf(files map[string][]byte, lines []string) result.Host { return host.Of(files, lines) }
