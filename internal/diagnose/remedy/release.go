package remedy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/machine/kernellog"
)

// newWords are words of the kernel log, with the first kernel that writes them; the newest first.
var newWords = []struct{ words, release string }{
	{"unstable due to frequency skew", "7.0"}, {"unstable due to inter CPU skew", "7.0"}, {"' skewed ", "6.3"}, {"wd-tsc-wd excessive read-back delay", "6.3"},
	{"clock-skew test skipped", "5.17"}, {"_nsec: ", "5.13"}, {"read-back delay of ", "5.13"},
}

// hasOldWords reports whether the kernel log has words that kernels wrote until Linux 4.0 or before.
func hasOldWords(s *machine) bool {
	return slices.ContainsFunc(s.Events(), func(e kernellog.Event) bool {
		return e.Kind == "watchdog-delta" || strings.Contains(e.Line, "Marking TSC unstable") && !strings.Contains(e.Line, "tsc: ")
	})
}

// isOlder reports whether the kernel is known, and older than a release.
func isOlder(s *machine, release string) bool { return older(s.Host.Kernel, release) }

// mayPredate reports whether the kernel may be older than a release: it is, or it is unknown and the words of its log
// do not show that it is newer.
func mayPredate(s *machine, release string) bool {
	if s.Host.Kernel != "" {
		return isOlder(s, release)
	}
	for _, w := range newWords {
		for _, e := range s.Events() {
			if strings.Contains(e.Line, w.words) {
				return older(w.release, release)
			}
		}
	}
	return true
}

func older(kernel, release string) bool {
	var major, minor int
	_, err := fmt.Sscanf(release, "%d.%d", &major, &minor)
	return err == nil && kernellog.Older(kernel, major, minor)
}
