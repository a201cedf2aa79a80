package diff

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// facts are what may differ between two runs, the most likely cause first. Every user sees each of them, since
// root may have measured one of the two.
var facts = []struct {
	what string
	of   func(*result.Document) string
}{
	{"Clock source", func(d *result.Document) string {
		return words.Part(d.Host.ClockSource, func(c *result.ClockSource) string { return c.Current })
	}},
	{entering, func(d *result.Document) string {
		var entering []string
		for _, c := range compare.Of(d).Clocks {
			if c.Path == "vdso" && c.Kind != "cpu time" && (c.KernelEntry == result.Always ||
				c.KernelEntry == result.Sometimes) {
				entering = append(entering, strings.TrimSuffix(c.ID, "@vdso"))
			}
		}
		return strings.Join(entering, ", ")
	}},
	{"Boot parameters", func(d *result.Document) string { return strings.Join(d.Host.BootParameters, " ") }},
	{"System", func(d *result.Document) string { return d.Host.OS + "/" + d.Host.Arch }},
	{"Kernel", func(d *result.Document) string { return d.Host.Kernel }},
	{"Distribution", func(d *result.Document) string { return d.Host.Distribution }},
	{"CPU", func(d *result.Document) string { return d.Host.CPU.Model }},
	{"CPUs usable", func(d *result.Document) string { return number(d.Host.CPU.Usable) }},
	{"CPU quota", func(d *result.Document) string { return known(d.Host.CPU.Quota, words.Number(d.Host.CPU.Quota)) }},
	{"Cores", func(d *result.Document) string { return number(d.Host.CPU.Physical) }},
	{"Packages", func(d *result.Document) string { return number(d.Host.CPU.Packages) }},
	{"Governor", func(d *result.Document) string { return strings.Join(d.Host.CPU.Governors, ", ") }},
	{"Invariant TSC", func(d *result.Document) string { return yesOrNo(d.Host.CPU.InvariantTSC) }},
	{"Virtualization", func(d *result.Document) string {
		return words.Part(d.Host.Virtualization,
			func(v *result.Virtualization) string { return v.Visible() + ", " + v.Role })
	}},
	{"Machine", func(d *result.Document) string {
		return words.Part(d.Host.Machine, (*result.Machine).Name)
	}},
	{"Windows edition", windows(func(w *result.Windows) string { return w.Edition })},
	{"Wine", windows(func(w *result.Windows) string {
		return words.Part(w.Wine, func(wine *result.Wine) string { return wine.Version })
	})},
	{"System timer", windows(func(w *result.Windows) string {
		return words.Part(w.Timer, func(t *result.Timer) string { return duration(t.PeriodNS) })
	})},
	{"QPC", windows(func(w *result.Windows) string {
		return words.Part(w.QPC, func(q *result.QPC) string { return strconv.FormatInt(q.Hz, 10) + " Hz" })
	})},
	{"QPC without the kernel", windows(func(w *result.Windows) string {
		return words.Part(w.QPC, func(q *result.QPC) string { return yesOrNo(q.UserMode) })
	})},
	{"Power", windows(func(w *result.Windows) string { return w.Power })},
	{"Power throttling", windows(func(w *result.Windows) string { return w.PowerThrottling })},
	{"Container", func(d *result.Document) string { return d.Host.Container }},
	{"timebench", func(d *result.Document) string { return strings.Trim(d.Tool.Version+", "+d.Tool.Revision, ", ") }},
	{"Go", func(d *result.Document) string { return d.Tool.Go }},
	{"Timer resolution", func(d *result.Document) string { return duration(d.Settings.TimerResolutionNS) }},
	{"Pinned", func(d *result.Document) string { return d.Settings.Pin }},
	{"Workers", func(d *result.Document) string { return d.Settings.Workers }},
	{"Threads", func(d *result.Document) string { return strings.Trim(fmt.Sprint(d.Settings.Threads), "[]") }},
	{"Rounds", func(d *result.Document) string { return number(d.Settings.Rounds) }},
	{runs, func(d *result.Document) string { return number(max(1, d.Settings.Repeat)) }},
	{"Time of throughput", func(d *result.Document) string {
		if d.Settings.Rounds == 0 {
			return "" // it is the time of another measurement
		}
		return time.Duration(d.Settings.TimeNS).String()
	}},
	{"Single reads", func(d *result.Document) string { return strconv.FormatBool(d.Settings.Distribution) }},
	{complete, func(d *result.Document) string {
		if d.Interrupted {
			return "no, interrupted"
		}
		return "yes"
	}},
}

// Facts that may differ between runs of the same side.
const (
	entering = "Clocks that enter the kernel"
	runs     = "Runs"
	complete = "Complete"
)

// unlike returns the first fact that must not differ between runs of a side, but does; nil without one.
func unlike(first, other *result.Document) *Difference {
	if a, b := first.Label("host"), other.Label("host"); a != b {
		return &Difference{"Label host", a, b}
	}
	for _, f := range facts {
		if a, b := f.of(first), f.of(other); a != b && !slices.Contains([]string{entering, runs, complete}, f.what) {
			return &Difference{f.what, a, b}
		}
	}
	return nil
}

func windows(text func(*result.Windows) string) func(*result.Document) string {
	return func(d *result.Document) string { return words.Part(d.Host.Windows, text) }
}

func yesOrNo(answer *bool) string {
	return words.Part(answer, func(yes *bool) string { return strconv.FormatBool(*yes) })
}

func duration(ns int64) string { return known(float64(ns), time.Duration(ns).String()) }

func setup(old, new *result.Document) []Difference {
	differences := []Difference{}
	for _, f := range facts {
		if before, after := f.of(old), f.of(new); before != after {
			differences = append(differences, Difference{f.what, before, after})
		}
	}
	for _, m := range measures {
		before, after := m.of(old), m.of(new)
		if math.Abs(before-after) > m.apart*max(before, after) {
			differences = append(differences, Difference{m.what, m.word(before), m.word(after)})
		}
	}
	return differences
}

// measures are measured facts, which never agree exactly between two runs.
var measures = []struct {
	what string
	of   func(*result.Document) float64
	// apart is the smallest share of a difference that is reported.
	apart float64
	word  func(float64) string
}{
	{"TSC", func(d *result.Document) float64 { return d.Host.CPU.TSCHz }, 1e-4, func(hz float64) string {
		return known(hz, fmt.Sprintf("%.1f MHz", hz/1e6))
	}},
	// Its cycle count is constant, so it shows the speed of the CPU.
	{"Empty call", func(d *result.Document) float64 { return compare.Of(d).FloorNS }, 0.02, func(ns float64) string {
		return known(ns, fmt.Sprintf("%.2f ns (the CPU's speed)", ns))
	}},
}

func known(value float64, text string) string {
	if value == 0 {
		return ""
	}
	return text
}

func number(n int) string { return known(float64(n), strconv.Itoa(n)) }

// otherTick is the smallest ratio of two ticks that counts as a difference: below it, a tick came
// late, or two ticks were seen as one.
const otherTick = 2

// leastTickNS is the shortest tick that is compared. The values of a finer clock repeat or not
// depending on the speed of the reads.
const leastTickNS = 1000

func resolutions(old, new *result.Document) []Difference {
	var all []Difference
	id := func(c compare.Clock) string { return c.ID }
	section.Match(compare.Of(old).Clocks, compare.Of(new).Clocks, id, func(before, after compare.Clock) {
		a, b := before.Resolution, after.Resolution
		if a == nil || b == nil {
			return
		}
		if low, high := min(step(a), step(b)), max(step(a), step(b)); high >= leastTickNS && high > otherTick*low &&
			ticked(a) && ticked(b) {
			all = append(all, Difference{"Resolution of " + before.ID, compare.Tick(a), compare.Tick(b)})
		}
		if a.ReportedNS != b.ReportedNS {
			all = append(all, Difference{"Reported resolution of " + before.ID,
				known(a.ReportedNS, words.Duration(a.ReportedNS)), known(b.ReportedNS, words.Duration(b.ReportedNS))})
		}
	})
	return all
}

func ticked(r *compare.Resolution) bool { return r.TickNS > 0 && r.TickHighNS == 0 }

// step returns the tick; 0 if the clock is finer than one read.
func step(r *compare.Resolution) float64 {
	if r.FinerThanRead {
		return 0
	}
	return r.TickNS
}
