//go:build !linux

package attachment

import "github.com/timebench/timebench/internal/document/result"

// factsOf returns what is known without the files of the machine: package host reads those of Linux on Linux only. The
// log has the rest.
func factsOf(map[string][]byte, []string) (result.Host, error) { return result.Host{OS: "linux"}, nil }
