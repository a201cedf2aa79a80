package clock

import (
	"github.com/timebench/timebench/internal/entry"
	"github.com/timebench/timebench/internal/result"
)

// KernelEntries says of each clock whether a read enters the kernel, in their order.
// The verdict is empty where that is no question: of an instruction, of a device, of a
// function that this package does not know from inside, and of a clock that is not here.
func KernelEntries(clocks []Clock) []entry.Verdict {
	verdicts := make([]entry.Verdict, len(clocks))
	var reads []entry.Read
	var of []int
	for i, c := range clocks {
		if c.Path == Syscall {
			verdicts[i] = entry.Verdict{Enters: result.Always, By: "path"}
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
