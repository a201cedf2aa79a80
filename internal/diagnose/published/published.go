// Package published has the latencies of clock reads that other people published, each with its address. They show
// which latency is usual for a clock source.
//
// The figures are in figures.csv. The test of the package writes their ranges into docs/reference.md.
package published

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/timebench/timebench/internal/show/words"
)

//go:embed figures.csv
var file string

// The first columns of figures.csv. The source is the clock source as Linux names it, the counter behind
// QueryPerformanceCounter, or mach (macOS). The path is vdso for a read in user mode, and syscall for a read in the
// kernel, also if the vDSO called it. The hypervisor of a guest, or of a first domain, is named as in the document.
const (
	source = iota
	path
	hypervisor
	ns
)

// rows are the figures, without the names of the columns. A test checks each row.
var rows = sync.OnceValue(func() [][]string {
	all, _ := csv.NewReader(strings.NewReader(file)).ReadAll()
	return all[1:]
})

// A Range has the published figures of a clock source that is read in one way.
type Range struct {
	Name          string  // tsc by system call on Xen
	LowNS, HighNS float64 // ns of one read
	Count         int     // number of figures
}

func (r *Range) add(row []string) {
	figure, _ := strconv.ParseFloat(row[ns], 64)
	r.LowNS, r.HighNS, r.Count = min(cmp.Or(r.LowNS, figure), figure), max(r.HighNS, figure), r.Count+1
}

// String returns the range in words: tsc: 11.7 to 56.7 ns (20 figures).
func (r Range) String() string {
	text := words.Duration(r.HighNS)
	if low := words.Duration(r.LowNS); low != text {
		_, unit, _ := strings.Cut(text, " ")
		text = strings.TrimSuffix(low, " "+unit) + " to " + text
	}
	return fmt.Sprintf("%s: %s (%s)", r.Name, text, words.Plural(r.Count, "figure"))
}

// hypervisors are the names of the hypervisors of the figures.
var hypervisors = map[string]string{"kvm": "KVM", "hyperv": "Hyper-V", "vmware": "VMware", "xen": "Xen"}

// Of returns the range of the figures for a clock source that is read by a path, under the same hypervisor if there are
// any; false if there is no figure.
func Of(clockSource, by, under string) (Range, bool) {
	all := Range{Name: clockSource + words.Either(by == "syscall", " by system call", "")}
	same := all
	if !strings.HasPrefix(clockSource, under) {
		same.Name += " on " + hypervisors[under]
	}
	for _, row := range rows() {
		if row[source] == clockSource && row[path] == by {
			all.add(row)
			if row[hypervisor] == under {
				same.add(row)
			}
		}
	}
	if same.Count > 0 {
		return same, true
	}
	return all, all.Count > 0
}
