// Package fleet compares the results of many machines: it groups the machines that should be alike, and
// names the odd ones among them, with the reasons. It measures nothing.
package fleet

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unique"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// A Machine is the part of a result that the comparison needs.
type Machine struct {
	// Name is the label host of the document, or else the name of its file.
	Name string `json:"name"`
	// File is where the result was read from.
	File string `json:"file"`
	// Labels are the labels of the document.
	Labels []string `json:"labels,omitempty"`
	// ClockSource is the clock source of the kernel, on a BSD its timecounter; absent where the system reports none.
	ClockSource string `json:"clocksource,omitempty"`
	// Clocks are the costs of the clocks that were timed.
	Clocks []Cost `json:"clocks"`
	// Findings are the findings of doctor that are more than notes.
	Findings []Finding `json:"findings,omitempty"`
	// Reasons are why the machine is odd in its group; absent if it is not.
	Reasons []Reason `json:"reasons,omitempty"`

	alike Alike
	// host is the label host, "" without one; at is when the result was measured.
	host string
	at   time.Time
}

// A Cost is the cost of a clock on a machine.
type Cost struct {
	// Clock is the id of the clock.
	Clock string `json:"clock"`
	// MedianNS is the median time of a read.
	MedianNS float64 `json:"median_ns"`
	// QuietNS is the cost by which machines are compared, as diff compares runs: the lowest level of the
	// fastest slices. A busy neighbour changes it less than the median.
	QuietNS float64 `json:"quiet_ns"`
	// Unsteady is whether the cost changed while the run lasted; it is not odd then.
	Unsteady bool `json:"unsteady,omitempty"`
	// KernelEntry is whether a read enters the kernel.
	KernelEntry string `json:"kernel_entry,omitempty"`
	// Odd is whether the cost is unlike the others.
	Odd bool `json:"odd,omitempty"`
}

// A Finding is a finding of doctor.
type Finding struct {
	Kind     string `json:"kind"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
}

func (f Finding) text() string {
	return fmt.Sprintf("Doctor finds %s (%s): %s", f.Kind, f.Severity, f.Title)
}

// Alike is what similar machines have in common.
type Alike struct {
	// CPU is the model of the processor.
	CPU string `json:"cpu,omitempty"`
	// Kernel is the operating system with its architecture and release: linux/amd64 6.18.44.
	Kernel string `json:"kernel"`
	// Hypervisor is the virtualization of a guest, as every user sees it: kvm; absent on hardware.
	Hypervisor string `json:"hypervisor,omitempty"`
	// Version is the version of timebench.
	Version string `json:"version"`
}

// MachineOf returns the machine of a document with the findings of doctor.
func MachineOf(file string, d *result.Document, findings []result.Finding) Machine {
	host := shared(d.Label("host"))
	m := Machine{Name: cmp.Or(host, shared(nameOf(file))), File: file, Clocks: []Cost{}, host: host, at: d.GeneratedAt,
		alike: Alike{
			CPU:     shared(d.Host.CPU.Model),
			Kernel:  shared(strings.TrimSpace(d.Host.OS + "/" + d.Host.Arch + " " + d.Host.Kernel)),
			Version: shared(d.Tool.Version),
		}}
	for _, label := range d.Labels {
		m.Labels = append(m.Labels, shared(label))
	}
	if v := d.Host.Virtualization; v != nil && v.Role == "guest" {
		m.alike.Hypervisor = shared(v.Visible())
	}
	if c := d.Host.ClockSource; c != nil {
		m.ClockSource = shared(c.Current)
	}
	for _, c := range compare.Of(d).Clocks {
		if c.Latency == nil {
			continue
		}
		m.Clocks = append(m.Clocks, Cost{Clock: shared(c.ID), MedianNS: c.Latency.MedianNS, QuietNS: c.Latency.CostNS(),
			Unsteady: c.Latency.Unsteady(), KernelEntry: shared(c.KernelEntry)})
	}
	for _, f := range findings {
		if f.Severity != result.Note {
			m.Findings = append(m.Findings, Finding{f.Kind, f.Severity, shared(f.Title)})
		}
	}
	return m
}

// shared returns a text that machines share and that keeps no document in memory.
func shared(text string) string { return unique.Make(text).Value() }

// nameOf returns the name of a machine by its file: the folder of results.json or report.html, or else the file name
// without the extension of a result. Names of hosts have other dots.
func nameOf(file string) string {
	file = filepath.ToSlash(file)
	name := path.Base(file)
	switch name {
	case "results.json", "report.html":
		if folder := path.Base(path.Dir(file)); folder != "." && folder != "/" {
			return folder
		}
	}
	if extension := path.Ext(name); slices.Contains(forms, strings.ToLower(extension)) {
		name = strings.TrimSuffix(name, extension)
	}
	return name
}
