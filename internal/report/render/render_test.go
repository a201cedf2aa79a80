package render

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/test/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fixed is a document that is the same on every machine, with each kind of row once.
func fixed() *result.Document {
	yes := true
	clock := func(id, kind string, median float64, resolution compare.Resolution) compare.Clock {
		call, path, _ := strings.Cut(id, "@")
		c := compare.Clock{
			ID: id, Call: call + "()", Path: path, Kind: kind, Available: true, TicksPerSecond: 1e9,
			Resolution: &resolution,
			Latency: &compare.Latency{
				MedianNS: median, LowNS: median * 0.99, HighNS: median * 1.01, Confidence: 0.979, MinNS: median * 0.98,
				SamplesNS: []float64{median},
			},
		}
		for _, n := range []int{1, 2, 4} {
			running := float64(min(n, 2))
			c.Throughput = append(c.Throughput, compare.Throughput{
				Threads: n, ReadsPerSecond: running * 1e9 / median, NSPerRead: median * float64(n) / running,
				Fairness: 1 / float64(n), Oversubscribed: n > 2,
				SamplesReadsPerSecond: []float64{running * 1e9 / median},
			})
		}
		return c
	}
	d := &result.Document{
		Schema: result.Schema, GeneratedAt: time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC),
		Tool: result.Tool{Version: "0.1.0", Revision: "abc1234", Go: "go1.26.8", Command: "compare"},
		Host: result.Host{
			OS: "linux", Arch: "amd64", Kernel: "6.18.44", Distribution: "debian 12.11", Container: "podman",
			CPU: result.CPU{Model: "AMD EPYC", Logical: 4, Usable: 3, Quota: 1.5, Physical: 2, Packages: 1,
				InvariantTSC: &yes, TSCHz: 2596122000},
			Virtualization: &result.Virtualization{System: "kvm", Role: "guest"},
			ClockSource:    &result.ClockSource{Current: "tsc", Available: []string{"tsc", "kvm-clock"}},
		},
		Settings: result.Settings{Threads: []int{1, 2, 4}, Rounds: 10, TimeNS: 1e8, Pin: "spread", Workers: "threads"},
		Warnings: []result.Warning{{
			Kind: "load", Saw: "other programs used 0.80 of 3 CPUs while this ran", Spoilt: "throughput and fairness",
			Advice: "stop the other programs",
		}},
		Sections: []result.Section{&compare.Costs{FloorNS: 1.66,
			Clocks: []compare.Clock{
				clock("CLOCK_MONOTONIC@vdso", "monotonic", 20.2, compare.Resolution{TickNS: 1, FinerThanRead: true,
					ReportedNS: 1, WatchedNS: 2e6, Ticks: 1e5}),
				clock("CLOCK_MONOTONIC@syscall", "monotonic", 150.25, compare.Resolution{TickNS: 1, FinerThanRead: true,
					ReportedNS: 1, WatchedNS: 2e6, Ticks: 1e4}),
				clock("CLOCK_MONOTONIC_COARSE@vdso", "monotonic", 3.14,
					compare.Resolution{TickNS: 4e6, ReportedNS: 4e6, WatchedNS: 2e7, Ticks: 5}),
				clock("gettimeofday@vdso", "wall", 21.7, compare.Resolution{TickNS: 1000, WatchedNS: 2e6, Ticks: 2000}),
				clock("time@vdso", "wall", 2.21, compare.Resolution{WatchedNS: 1.5e9}),
				clock("CLOCK_PROCESS_CPUTIME_ID@vdso", "cpu time", 1234.5, compare.Resolution{
					TickNS: 1, FinerThanRead: true, ReportedNS: 1, WatchedNS: 2e6, Ticks: 1000, Backwards: 3,
					WorstBackwardsNS: 4100}),
				{ID: "hpet@mmio", Call: "hpet main counter", Path: "mmio", Kind: "counter",
					Reason: "/dev/hpet: no such file or directory"},
				{ID: "RDTSC@cpu", Call: "RDTSC", Path: "cpu", Kind: "counter",
					Reason: "prctl(PR_SET_TSC) forbids this process to read the counter of the CPU"},
				{ID: "RDTSCP@cpu", Call: "RDTSCP", Path: "cpu", Kind: "counter",
					Reason: "prctl(PR_SET_TSC) forbids this process to read the counter of the CPU"},
			}}},
	}
	clocks := compare.Of(d).Clocks
	clocks[0].Layers = []compare.Layer{{Name: "call and return", NS: 1.35, LowNS: 1.34, HighNS: 1.36},
		{Name: "read the counter (RDTSC)", NS: 18.75, LowNS: 18.7, HighNS: 18.8},
		{Name: "convert (sequence, multiply)", NS: 0.1, LowNS: -0.2, HighNS: 0.3}}
	clocks[1].Layers = []compare.Layer{{Name: "call and return", NS: 1.35, LowNS: 1.34, HighNS: 1.36},
		{Name: "enter and leave the kernel", NS: 100.9, LowNS: 100, HighNS: 101},
		{Name: "read the clock source", NS: 48, LowNS: 47, HighNS: 49}}
	compare.Into(d).Clocks[0].Distribution = &compare.Distribution{
		Counter: "RDTSC@cpu", BracketNS: 10, CounterStepNS: 10, Reads: 1000, P50NS: 30, P90NS: 40.1, P99NS: 50.1,
		P999NS: 60.2, MaxNS: 1_234_567, TenfoldReads: 1,
		Buckets: []compare.Bucket{{UpToNS: 30, Reads: 600}, {UpToNS: 50, Reads: 399}, {UpToNS: 1_234_567, Reads: 1}},
	}
	compare.Into(d).Clocks[3].Latency.Confidence, compare.Into(d).Clocks[3].Latency.LowNS,
		compare.Into(d).Clocks[3].Latency.HighNS = 0, 0, 0
	return d
}

// onHPET is a document of a machine whose clock source the kernel rejected, with an experiment, and with text that a
// format must not obey.
func onHPET() *result.Document {
	d := fixed()
	d.Host.ClockSource = &result.ClockSource{Current: "hpet", Available: []string{"hpet", "acpi_pm", "tsc"}}
	d.Host.BootParameters = []string{"clocksource=hpet"}
	d.Host.Machine = &result.Machine{Vendor: "Dell Inc.", Product: "PowerEdge R430"}
	d.Host.CPU.TSCAsleepHz, d.Host.CPU.TSCLoadedHz, d.Host.CPU.KernelTSCHz = 2.596122e9, 2.596123e9, 2.5961e9
	d.Host.CPU.Governors = []string{"powersave"}
	d.Host.TimeSync = &result.TimeSync{MaxErrorNS: 16e9}
	d.Host.KernelLog = &result.KernelLog{Source: "/dev/kmsg", Truncated: true, Lines: []string{
		"[    1.0] clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as unstable because the skew is too large:",
		"[    1.1] ``` <script>alert(1)</script> \x1b[31m",
	}}
	for i := range compare.Of(d).Clocks {
		if compare.Of(d).Clocks[i].Path == "vdso" {
			compare.Into(d).Clocks[i].KernelEntry, compare.Into(d).Clocks[i].KernelEntryBy = result.Always, "seccomp"
		}
	}
	compare.Into(d).Clocks[2].KernelEntry = result.Never
	compare.Into(d).Clocks[1].KernelEntry, compare.Into(d).Clocks[1].KernelEntryBy = result.Always, "path"
	d.Findings = []result.Finding{
		{
			Kind: "kernel-entry", Severity: result.Error, Title: "reads of the fine clocks enter the kernel, because the clock source is hpet",
			Evidence: []string{"6 fine clocks · 1.4 µs/read · every read enters the kernel (seccomp)", "kernel log: ``` <b>"},
			Cause:    "The vDSO cannot read the clock source hpet from user mode.",
			Remedies: []result.Remedy{
				{Advice: "Switch to tsc", Commands: []string{"echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource", "```"}, Risk: "Time may jump."},
				{Advice: "Ask less often."},
			},
			Links: []string{"https://man7.org/linux/man-pages/man7/vdso.7.html", "javascript:alert(1)"},
		},
		{Kind: "quota", Severity: result.Note, Title: "a quota leaves the process the time of 1.5 CPUs", Evidence: []string{"control group: 150 ms of CPU time in every 100 ms"}},
	}
	other := fixed()
	for i := range compare.Of(other).Clocks {
		if l := compare.Of(other).Clocks[i].Latency; l != nil {
			l.MedianNS, l.LowNS, l.HighNS = l.MedianNS/10, l.LowNS/10, l.HighNS/10
			for j := range l.SamplesNS {
				l.SamplesNS[j] /= 10
			}
			compare.Into(other).Clocks[i].KernelEntry = result.Never
		}
	}
	compare.Into(d).OtherClockSources = []compare.Experiment{{ClockSource: "tsc", FloorNS: 1.5, Clocks: compare.Of(other).Clocks[:4]}}
	return d
}

// sparse is a document of a machine about which little is known. The run was interrupted when only one latency was
// complete.
func sparse() *result.Document {
	return &result.Document{
		Schema: result.Schema, GeneratedAt: time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC), Interrupted: true,
		Tool: result.Tool{Version: "0.1.0", Go: "go1.26.8"}, Host: result.Host{OS: "plan9", Arch: "riscv64", CPU: result.CPU{Logical: 1, Usable: 1}},
		Settings: result.Settings{Threads: []int{1}, Rounds: 1, TimeNS: 1e9, Pin: "none", Workers: "processes"},
		Sections: []result.Section{&compare.Costs{Clocks: []compare.Clock{
			{ID: "time.Now@go", Call: "time.Now()", Path: "go", Kind: "wall", Available: true, Latency: &compare.Latency{MedianNS: 99, MinNS: 99, SamplesNS: []float64{99}}},
			{ID: "other@go", Call: "other()", Path: "go", Kind: "wall", Available: true},
		}}},
	}
}

// list writes the output of `timebench list`.
func list(w io.Writer, clocks []compare.Clock) error {
	sentence, g := compare.List(clocks)
	return Table(w, sentence, g)
}

// brief is a document with an example of every part of a document, for formats whose writers treat all tables alike.
func brief() *result.Document {
	d := each(mistrusted())["verify"]
	hpet := onHPET()
	d.Findings, d.Warnings, d.Host = hpet.Findings, hpet.Warnings, hpet.Host
	verified := verify.Of(d)
	verified.Clocks = slices.Concat(verified.Clocks[3:4], verified.Clocks[6:8])
	return d
}

// few is a document with an example of every section, for formats whose writers treat all rows alike.
func few() *result.Document {
	d := whole(mistrusted())
	costs := compare.Into(d)
	costs.Clocks = append(costs.Clocks[:1:1], costs.Clocks[6])
	costs.OtherClockSources[0].Clocks = costs.OtherClockSources[0].Clocks[:1]
	verify.Of(d).Clocks = verify.Of(brief()).Clocks
	wake.Of(d).Ways = slices.Delete(wake.Of(d).Ways, 1, 3)
	java := &runtimes.Of(d).Runtimes[0]
	java.Calls, java.Sleeps = java.Calls[:1], java.Sleeps[:1]
	return d
}

// Each format has one document. The tables of a measurement are tested beside it. TestEverythingStandsInEveryFormat
// checks that every format has all of them.
func TestGolden(t *testing.T) {
	bare := onHPET()
	bare.Sections = []result.Section{&compare.Costs{Clocks: []compare.Clock{}}}
	for _, format := range Formats {
		switch format.Name {
		case "table":
			golden(t, "document.table", format.Write, whole(mistrusted()))
			golden(t, "document.verbose", format.Whole, bare)
		case "csv", "bench":
			golden(t, "document."+format.Name, format.Write, few())
		case "json": // TestHostileDocumentReadsBackAsItWas
		case "prometheus": // the beginning of doctor's
		default:
			golden(t, "document."+format.Name, format.Write, brief())
		}
	}
	for _, format := range DoctorFormats {
		switch format.Name {
		case "json", "html", "markdown": // a document has all their parts too
		case "prometheus":
			var figures bytes.Buffer
			require.NoError(t, Prometheus(&figures, few()))
			require.Contains(t, string(golden(t, "doctor.prometheus", format.Write, few())), figures.String())
		default:
			golden(t, "doctor."+format.Name, format.Write, onHPET())
		}
	}
	golden(t, "list", list, compare.Of(fixed()).Clocks)
	golden(t, "facts", Facts, fixed().Host)
	for _, d := range []*result.Document{fixed(), sparse(), whole(mistrusted()), brief(), few(), bare, both()} {
		var document bytes.Buffer
		require.NoError(t, d.Write(&document))
		schema.Check(t, document.Bytes())
	}
}

// leftOut are the parts of a page that no golden file repeats: its style and its script, which are files, and pictures,
// which package picture tests, and whose last digits differ between kinds of CPUs.
var leftOut = regexp.MustCompile(`(?s)(<style>|<script>//|<svg).*?(</style>|</script>|</svg>)`)

// read are the golden files that tests read.
var read []string

// Every golden file is of a test.
func TestMain(m *testing.M) {
	status := m.Run()
	given := func(name string) bool { return flag.Lookup(name).Value.String() != "" }
	if status == 0 && !given("test.run") && !given("test.skip") && !given("test.list") && !given("test.fuzz") {
		files, _ := filepath.Glob("testdata/*")
		for _, file := range files {
			if !slices.Contains(read, file) {
				status = 1
				fmt.Println("no test reads " + file)
			}
		}
	}
	os.Exit(status)
}

// golden requires that the output equals a golden file, and returns the output.
func golden[T any](t *testing.T, name string, write func(io.Writer, T) error, of T) []byte {
	t.Helper()
	var written bytes.Buffer
	require.NoError(t, write(&written, Clean(of)), name)
	got := leftOut.ReplaceAll(written.Bytes(), []byte("$1$2"))
	path := filepath.Join("testdata", name+".golden")
	read = append(read, path)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "`go test ./internal/report/render -update` writes it")
	require.Equal(t, string(want), string(got), "%s; `go test ./internal/report/render -update` writes it anew", name)
	return written.Bytes()
}

// The answer is the first line, and in an issue directly below the title. Package compare has the answers.
func TestEveryRunOfCompareAnswersFirst(t *testing.T) {
	c := compare.Clock{ID: "CLOCK_MONOTONIC@vdso", Available: true, Latency: &compare.Latency{MedianNS: 20}}
	var got, issue bytes.Buffer
	require.NoError(t, OfDocument(&result.Document{Sections: []result.Section{&compare.Costs{Clocks: []compare.Clock{c}}}}).Text(&got))
	require.True(t, strings.HasPrefix(got.String(), "Reading the clock is fast: 20 ns per read.\n"), got.String())
	require.NoError(t, OfDocument(brief()).Markdown(&issue, nil))
	require.Regexp(t, `^## timebench verify\n\n\*\*Interrupted; up to then: `, issue.String())
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func requireFailedWrites[T any](t *testing.T, formats []Format[T], of T) {
	t.Helper()
	for _, name := range Names(formats) {
		format, ok := Named(formats, name)
		require.True(t, ok)
		require.ErrorContains(t, format.Write(full{}, of), "no space left", name)
	}
}

func TestEveryFormatReportsAFailedWrite(t *testing.T) {
	requireFailedWrites(t, Formats, fixed())
	requireFailedWrites(t, DoctorFormats, onHPET())
	requireFailedWrites(t, DiffFormats, demoted())
	requireFailedWrites(t, FleetFormats, aFleet())
	for command, d := range each(trusted()) {
		requireFailedWrites(t, formatsOf(command), d)
	}
}
