package clock

import (
	"github.com/timebench/timebench/internal/clock/entry"
)

// KernelEntries returns for each clock, in order, whether a read enters the kernel. The verdict
// is empty if there is nothing to test: for an instruction, a device, a function of another
// library, and a clock that is not available.
func KernelEntries(clocks []Clock) []entry.Verdict {
	verdicts := make([]entry.Verdict, len(clocks))
	var reads []entry.Read
	var of []int
	for i, c := range clocks {
		if c.Path == Syscall {
			verdicts[i] = systemCall()
			continue
		}
		if c.probe == nil {
			continue
		}
		if read, err := c.probe(); err == nil {
			reads, of = append(reads, read), append(of, i)
		}
	}
	for i, verdict := range entry.Of(reads) {
		verdicts[of[i]] = verdict
	}
	return verdicts
}
