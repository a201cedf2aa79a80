package diff

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/result"
)

// facts are what may differ between two runs, the likeliest answer first.
var facts = []struct {
	what string
	of   func(*result.Document) string
}{
	{"Clock source", func(d *result.Document) string {
		if d.Host.ClockSource == nil {
			return ""
		}
		return d.Host.ClockSource.Current
	}},
	{"System", func(d *result.Document) string { return d.Host.OS + "/" + d.Host.Arch }},
	{"Kernel", func(d *result.Document) string { return d.Host.Kernel }},
	{"Distribution", func(d *result.Document) string { return d.Host.Distribution }},
	{"CPU", func(d *result.Document) string { return d.Host.CPU.Model }},
	{"CPUs usable", func(d *result.Document) string { return number(d.Host.CPU.Usable) }},
	{"CPU quota", func(d *result.Document) string { return share(d.Host.CPU.Quota) }},
	{"Cores", func(d *result.Document) string { return number(d.Host.CPU.Physical) }},
	{"Packages", func(d *result.Document) string { return number(d.Host.CPU.Packages) }},
	{"Invariant TSC", func(d *result.Document) string {
		if d.Host.CPU.InvariantTSC == nil {
			return ""
		}
		return strconv.FormatBool(*d.Host.CPU.InvariantTSC)
	}},
	{"TSC", func(d *result.Document) string {
		if d.Host.CPU.TSCHz == 0 {
			return ""
		}
		// Two measurements of one counter differ by parts in a million.
		return fmt.Sprintf("%.0f MHz", d.Host.CPU.TSCHz/1e6)
	}},
	{"Virtualization", func(d *result.Document) string {
		if d.Host.Virtualization == nil {
			return ""
		}
		return d.Host.Virtualization.System + ", " + d.Host.Virtualization.Role
	}},
	{"Container", func(d *result.Document) string { return d.Host.Container }},
	{"timebench", func(d *result.Document) string {
		return strings.Trim(d.Tool.Version+", "+d.Tool.Revision, ", ")
	}},
	{"Go", func(d *result.Document) string { return d.Tool.Go }},
	{"Pinned", func(d *result.Document) string { return d.Settings.Pin }},
	{"Workers", func(d *result.Document) string { return d.Settings.Workers }},
	{"Threads", func(d *result.Document) string { return strings.Trim(fmt.Sprint(d.Settings.Threads), "[]") }},
	{"Rounds", func(d *result.Document) string { return number(d.Settings.Rounds) }},
	{"Span of throughput", func(d *result.Document) string { return time.Duration(d.Settings.TimeNS).String() }},
	{"Complete", func(d *result.Document) string {
		if d.Interrupted {
			return "no, interrupted"
		}
		return "yes"
	}},
}

// setup lists the facts in which two documents differ.
func setup(old, new *result.Document) []Difference {
	differences := []Difference{}
	for _, f := range facts {
		if before, after := f.of(old), f.of(new); before != after {
			differences = append(differences, Difference{f.what, before, after})
		}
	}
	return differences
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func share(cpus float64) string {
	if cpus == 0 {
		return ""
	}
	return strconv.FormatFloat(cpus, 'f', -1, 64)
}
