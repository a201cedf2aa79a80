package diagnose

import (
	"fmt"
	"slices"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/verify"
)

// trying is what shows whether a fault is there to stay.
const trying = "timebench verify --load --time 1m"

// backwards finds clocks that gave less than they had given before: on one CPU, or on one
// CPU after another.
func backwards(d *result.Document) *result.Finding {
	finding := &result.Finding{
		Title: "a clock went backwards",
		Cause: "The counters of the CPUs disagree, or the hypervisor changed them while the clock was read.",
		Remedies: []result.Remedy{{
			Advice:   "Do not trust this machine's time; see whether it stays so, use another clock source (hpet where it is offered), and look into the kernel's log",
			Commands: []string{trying},
		}},
		Links: []string{"https://docs.kernel.org/virt/kvm/x86/timekeeping.html"},
	}
	for _, c := range d.Clocks {
		if r := c.Resolution; r != nil && c.Kind == "monotonic" && r.Backwards > 0 {
			finding.Evidence = append(finding.Evidence, fmt.Sprintf("%s went back %s, by up to %s", c.ID, counted(r.Backwards, "time"), nanoseconds(r.WorstBackwardsNS)))
		}
	}
	eachFault(d, func(c verify.VerifiedClock, f verify.ClockFault) {
		switch {
		case f.Kind == verify.FaultWarp:
			text := fmt.Sprintf("%s went back from one CPU to another %s, by up to %s", c.ID, counted(f.Count, "time"), nanoseconds(f.WorstNS))
			if f.CPU != nil && f.EarlierCPU != nil {
				text += fmt.Sprintf(" (CPU %d behind CPU %d)", *f.CPU, *f.EarlierCPU)
			}
			finding.Evidence = append(finding.Evidence, text)
		case f.Kind == verify.FaultBackwards && !isWall(d, c.ID): // which may be set
			finding.Evidence = append(finding.Evidence, fmt.Sprintf("%s went back %s, by up to %s", c.ID, counted(f.Count, "time"), nanoseconds(f.WorstNS)))
		}
	})
	if len(finding.Evidence) == 0 {
		return nil
	}
	return finding
}

// faultWords are what doctor says of the other faults.
var faultWords = map[string]string{
	verify.FaultStall:   "stood still",
	verify.FaultJump:    "jumped",
	verify.FaultOutside: "contradicted its system call",
}

// faulty finds clocks with other faults than going backwards.
func faulty(d *result.Document) *result.Finding {
	finding := &result.Finding{
		Title:    "a clock stood still, jumped or contradicted itself",
		Cause:    "The kernel, the hypervisor or the hardware gives a time that is not so. A machine that was paused shows it once.",
		Remedies: []result.Remedy{{Advice: "See whether it stays so, and which clocks have it", Commands: []string{trying}}},
		Links:    []string{vdsoManual},
	}
	eachFault(d, func(c verify.VerifiedClock, f verify.ClockFault) {
		words, known := faultWords[f.Kind]
		if !known || isWall(d, c.ID) && f.Kind == verify.FaultJump {
			return
		}
		text := fmt.Sprintf("%s %s %s, by up to %s", c.ID, words, counted(f.Count, "time"), nanoseconds(f.WorstNS))
		if c.Witness != "" && f.Kind != verify.FaultOutside {
			text += ", by " + c.Witness
		}
		finding.Evidence = append(finding.Evidence, text)
	})
	if len(finding.Evidence) == 0 {
		return nil
	}
	return finding
}

func eachFault(d *result.Document, fn func(verify.VerifiedClock, verify.ClockFault)) {
	v := verify.Of(d)
	if v == nil {
		return
	}
	for _, c := range v.Clocks {
		for _, f := range c.Faults {
			fn(c, f)
		}
	}
}

// isWall reports whether a clock is one that may be set.
func isWall(d *result.Document, id string) bool {
	return slices.ContainsFunc(d.Clocks, func(c result.Clock) bool { return c.ID == id && c.Kind == "wall" })
}
