// Package published has published latencies of clock reads, each with its address: what is usual for a clock source.
//
// The figures are in figures.csv, from which its test makes docs/reference.md. None was measured by this project.
package published

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
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
	// Year is the year of the publication; 0 if the page has none.
	Year int
	// Deduced is whether the clock source follows from what the page shows, and is not named there.
	Deduced bool
	// Address is the page.
	Address string
}

// sources are the clock sources of the figures, in the order of the page.
var sources = []string{"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "xen", "hpet", "acpi_pm", "arch_sys_counter",
	"timebase", "tod", "mach"}

// paths are the paths of the figures, with their words.
var paths = map[string]string{"vdso": "in user mode", "syscall": "by system call", "go": "by time.Now of Go",
	"winapi": "by QueryPerformanceCounter", "libc": "by the C library", "cpu": "by instruction",
	"mmio": "by mapped register"}

// hypervisors are the hypervisors of the figures, with their names.
var hypervisors = map[string]string{"": "", "kvm": "KVM", "hyperv": "Hyper-V", "vmware": "VMware", "xen": "Xen"}

// columns are the first line of figures.csv.
var columns = []string{"source", "path", "hypervisor", "ns", "call", "cpu", "system", "year", "basis", "address"}

// Limits of a row: the fastest counter takes 1 ns, and an emulated timer some 10 µs.
const (
	minNS, maxNS     = 1, 100_000
	minYear, maxYear = 2000, 2099
)

//go:embed figures.csv
var file string

// figures returns the figures of figures.csv. The tests read it, so an error cannot reach a user.
var figures = sync.OnceValue(func() []Figure {
	all, err := parse(strings.NewReader(file))
	if err != nil {
		panic(err)
	}
	return all
})

// parse reads figures in the form of figures.csv. An error names the line.
func parse(from io.Reader) ([]Figure, error) {
	reader := csv.NewReader(from)
	reader.FieldsPerRecord = len(columns)
	var all []Figure
	for {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("figures.csv: %w", err)
		}
		line, _ := reader.FieldPos(0)
		if line == 1 {
			if !slices.Equal(row, columns) {
				return nil, fmt.Errorf("figures.csv:1: the columns are not %s", strings.Join(columns, ","))
			}
			continue
		}
		f, err := figureOf(row)
		if err != nil {
			return nil, fmt.Errorf("figures.csv:%d: %w", line, err)
		}
		if slices.Contains(all, f) {
			return nil, fmt.Errorf("figures.csv:%d: the row is there twice", line)
		}
		all = append(all, f)
	}
}

func figureOf(row []string) (Figure, error) {
	_, path := paths[row[1]]
	_, hypervisor := hypervisors[row[2]]
	ns, noNS := strconv.ParseFloat(row[3], 64)
	year, noYear := strconv.Atoi(row[7])
	page, noPage := url.Parse(row[9])
	for _, rule := range []struct {
		column int
		holds  bool
		right  string
	}{
		{0, slices.Contains(sources, row[0]), "one of " + strings.Join(sources, ", ")},
		{1, path, "vdso, syscall, winapi, libc, cpu, mmio or go"},
		{2, hypervisor, "empty, kvm, hyperv, vmware or xen"},
		{3, noNS == nil && ns >= minNS && ns <= maxNS, fmt.Sprintf("a number from %d to %d", minNS, maxNS)},
		{4, row[4] != "", "what was read"},
		{6, row[6] != "", "the system"},
		{7, row[7] == "" || noYear == nil && year >= minYear && year <= maxYear,
			fmt.Sprintf("empty, or a year from %d to %d", minYear, maxYear)},
		{8, row[8] == "stated" || row[8] == "deduced", "stated or deduced"},
		{9, noPage == nil && page.Scheme == "https" && page.Host != "", "an address that begins with https://"},
	} {
		if !rule.holds {
			return Figure{}, fmt.Errorf("%s is %q; write %s", columns[rule.column], row[rule.column], rule.right)
		}
	}
	return Figure{Source: row[0], Path: row[1], Hypervisor: row[2], NS: ns, Call: row[4], CPU: row[5], System: row[6],
		Year: year, Deduced: row[8] == "deduced", Address: row[9]}, nil
}

// A Range is the published figures of one clock source, read in one way.
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

// Of returns the range of the figures for a clock source that is read by a path, under the same hypervisor if there are
// any; false if there is no figure.
func Of(source, path, hypervisor string) (Range, bool) {
	all := slices.DeleteFunc(slices.Clone(figures()), func(f Figure) bool { return f.Source != source || f.Path != path })
	name := source
	if path == "syscall" {
		name += " " + paths[path]
	}
	same := slices.DeleteFunc(slices.Clone(all), func(f Figure) bool { return f.Hypervisor != hypervisor })
	if len(same) > 0 {
		all = same
		if !strings.HasPrefix(source, hypervisor) {
			name += " on " + hypervisors[hypervisor]
		}
	}
	return rangeOf(name, all), len(all) > 0
}

func rangeOf(name string, all []Figure) Range {
	r := Range{Name: name, LowNS: maxNS, HighNS: minNS, Count: len(all)}
	for _, f := range all {
		r.LowNS, r.HighNS = min(r.LowNS, f.NS), max(r.HighNS, f.NS)
	}
	return r
}
