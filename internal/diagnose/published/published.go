// Package published has published latencies of clock reads, each with its address: what is usual for a clock source.
//
// The figures are in figures.csv, from which its test makes docs/reference.md. Other people measured all of them.
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

// A Figure is one published latency, a row of figures.csv.
type Figure struct {
	// Source is the clock source as Linux names it, the counter behind QueryPerformanceCounter, or mach (macOS).
	Source string
	// Path is how the clock was read: vdso is in user mode, and syscall in the kernel, also if the vDSO called it.
	Path string
	// Hypervisor is the hypervisor of a guest, or of a first domain, as in the document; "" otherwise.
	Hypervisor string
	// NS is the latency of one read, in ns.
	NS float64
	// Call, CPU and System are what was read, and where, as far as the page shows.
	Call, CPU, System string
	// Year is the year of the publication; 0 if the page does not say it.
	Year int
	// Deduced is whether the clock source follows from what the page shows, and is not named there.
	Deduced bool
	// Address is the page.
	Address string
}

//go:embed figures.csv
var file string

// figures returns the figures of figures.csv. A test checks each row.
var figures = sync.OnceValue(func() (all []Figure) {
	rows, _ := csv.NewReader(strings.NewReader(file)).ReadAll()
	for _, row := range rows[1:] { // after the names of the columns
		ns, _ := strconv.ParseFloat(row[3], 64)
		year, _ := strconv.Atoi(row[7])
		all = append(all, Figure{Source: row[0], Path: row[1], Hypervisor: row[2], NS: ns, Call: row[4], CPU: row[5],
			System: row[6], Year: year, Deduced: row[8] == "deduced", Address: row[9]})
	}
	return all
})

// A Range has the published figures of a clock source that is read in one way.
type Range struct {
	Name          string  // tsc by system call on Xen
	LowNS, HighNS float64 // ns of one read
	Count         int     // number of figures
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
func Of(source, path, hypervisor string) (Range, bool) {
	name := source
	if path == "syscall" {
		name += " by system call"
	}
	read := func(f Figure) bool { return f.Source == source && f.Path == path }
	same := rangeOf(name, func(f Figure) bool { return read(f) && f.Hypervisor == hypervisor })
	if same.Count == 0 {
		all := rangeOf(name, read)
		return all, all.Count > 0
	}
	if !strings.HasPrefix(source, hypervisor) {
		same.Name += " on " + hypervisors[hypervisor]
	}
	return same, true
}

// rangeOf returns the range of some figures.
func rangeOf(name string, of func(Figure) bool) Range {
	r := Range{Name: name}
	for _, f := range figures() {
		if of(f) {
			r.LowNS, r.HighNS, r.Count = min(cmp.Or(r.LowNS, f.NS), f.NS), max(r.HighNS, f.NS), r.Count+1
		}
	}
	return r
}
