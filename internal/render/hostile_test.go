package render

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/result"
)

// hostile is a document in whose every name and text stands what a terminal obeys.
func hostile() *result.Document {
	const escape = "\x1b]0;owned\a\x1b[31m"
	d := onHPET()
	d.Host.Kernel, d.Host.CPU.Model, d.Host.Distribution = escape, escape, escape
	d.Host.ClockSource.Current = escape
	d.Host.ClockSource.Available = append(d.Host.ClockSource.Available, escape)
	d.Host.BootParameters = []string{escape}
	d.Host.KernelLog.Source = escape
	d.Host.Virtualization.System = escape
	d.Host.Machine.Vendor = escape
	d.Tool.Version = escape
	for i := range d.Clocks {
		d.Clocks[i].ID += escape
		d.Clocks[i].Reason += escape
	}
	f := &d.Findings[0]
	f.Title, f.Cause, f.Evidence, f.Links = escape, escape, []string{escape}, []string{escape}
	f.Remedies = []result.Remedy{{Advice: escape, Commands: []string{escape}, Risk: escape}}
	d.OtherClockSources[0].ClockSource = escape
	for i := range d.Warnings {
		d.Warnings[i] = result.Warning{Kind: escape, Saw: escape, Spoilt: escape, Advice: escape}
	}
	return d
}

// No format but CSV, which holds what there is, hands on what would steer a terminal.
func TestNothingSteersATerminal(t *testing.T) {
	both := &diff.Diff{Old: diff.Side{Document: hostile()}, New: diff.Side{Document: hostile()}}
	writers := map[string]func(io.Writer) error{"diff as bench": func(w io.Writer) error { return DiffBench(w, both) }}
	for _, format := range Formats {
		if format.Name != "csv" {
			writers[format.Name] = func(w io.Writer) error { return format.Write(w, hostile()) }
		}
	}
	for _, format := range DoctorFormats {
		writers["doctor as "+format.Name] = func(w io.Writer) error { return format.Write(w, hostile()) }
	}
	for name, write := range writers {
		var out bytes.Buffer
		require.NoError(t, write(&out), name)
		require.NotEmpty(t, out.String(), name)
		at := strings.IndexFunc(out.String(), func(r rune) bool { return r == '\x1b' || r == '\a' })
		require.Negative(t, at, "%s: %q", name, out.String()[max(0, at-60):max(0, at+20)])
	}
}

func TestReadsThatEnterSometimesAreMarked(t *testing.T) {
	d := onHPET()
	require.Equal(t, "k: the read enters the kernel.", sourcesGrid(d).note)
	d.Clocks[0].KernelEntry = result.Sometimes
	g := sourcesGrid(d)
	require.Contains(t, g.note, "k?: it does so sometimes")
	marks := map[string]string{}
	for _, row := range g.rows {
		marks[row[0]] = row[1]
	}
	require.Equal(t, "20.2 k?", marks["CLOCK_MONOTONIC@vdso"])
	require.Equal(t, "150.2 k ", marks["CLOCK_MONOTONIC@syscall"])
	require.Equal(t, "3.14   ", marks["CLOCK_MONOTONIC_COARSE@vdso"])
}

// Doctor does not call healthy what it has not measured, nor a name that is not there.
func TestHealthySaysWhatIsNotKnown(t *testing.T) {
	d := fixed()
	d.Host.ClockSource = &result.ClockSource{Available: []string{"tsc"}}
	text := healthy(d)
	require.Contains(t, text, "Nothing is wrong with the clocks here.")
	require.NotContains(t, text, "the clock source is")
	for i := range d.Clocks {
		d.Clocks[i].Latency = nil
	}
	require.True(t, strings.HasPrefix(healthy(d), "Nothing was measured"), healthy(d))
	d.Interrupted = true
	require.True(t, strings.HasPrefix(healthy(d), "Interrupted before anything was measured"), healthy(d))
}
