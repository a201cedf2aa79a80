package render

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
	"github.com/timebench/timebench/test/made"
)

// screen is a terminal with a number of columns; and of lines, if it shows a screen at a time.
type screen struct {
	bytes.Buffer
	columns, lines int
}

func (s *screen) Show(text string) error { _, err := s.WriteString(text); return err }
func (s *screen) Width() int             { return s.columns }
func (s *screen) Height() int            { return s.lines }

// copied are lines with what people copy, which may be wider.
var copied = regexp.MustCompile("^ *\\$ |://|`| /")

// requireFits requires that no line of a text is wider than the columns.
func requireFits(t *testing.T, shown string, columns int) {
	t.Helper()
	for line := range strings.Lines(shown) {
		if copied.MatchString(line) {
			continue
		}
		require.LessOrEqual(t, text.StringWidthWithoutEscSequences(strings.TrimRight(line, "\n")), columns, line)
	}
}

// catalogued is a document with every name of the catalogues, also of other systems, and with results for each.
func catalogued() (d *result.Document, names []string) {
	d = both()
	costs, verified := compare.Into(d), verify.Of(d)
	measured, checked := costs.Clocks[0], verified.Clocks[0]
	layers := []compare.Layer{{Name: "call and return", NS: 1.35},
		{Name: "the call in the kernel, read the clock source", NS: 12344}}
	measured.Latency = &compare.Latency{MedianNS: 12345.6, LowNS: 12345.1, HighNS: 13456.7, Confidence: 0.95,
		MinNS: 12340.1, SamplesNS: []float64{12345.6}}
	measured.KernelEntry = result.Sometimes
	names = []string{"QueryUnbiasedInterruptTimePrecise@winapi", "GetSystemTimePreciseAsFileTime@winapi",
		"ISB+CNTVCT_EL0@cpu", "CLOCK_UPTIME_RAW_APPROX@libc"}
	for _, c := range clock.Catalog() {
		names = append(names, c.ID)
	}
	costs.Clocks, verified.Clocks = nil, nil
	for _, id := range names {
		measured.ID, checked.ID, measured.Layers = id, id, nil
		if strings.HasPrefix(id, "gettimeofday@") || strings.HasPrefix(id, "CLOCK_REALTIME@") ||
			strings.HasPrefix(id, "CLOCK_MONOTONIC@") {
			_, measured.Path, _ = strings.Cut(id, "@")
			measured.Layers = layers
		}
		costs.Clocks, verified.Clocks = append(costs.Clocks, measured), append(verified.Clocks, checked)
	}
	section := made.Runtimes(5)
	template := section.Runtimes[0]
	call := template.Calls[4]
	section.Runtimes = nil
	for _, r := range runtimes.All {
		of := template
		of.Name, of.Calls = r.Name, nil
		for _, c := range r.Calls {
			call.ID, call.Call, call.Kind, call.Reads = c.Name+"@"+r.Name, c.Name, c.Kind,
				[]string{"CLOCK_PROCESS_CPUTIME_ID", "CLOCK_MONOTONIC"}
			of.Calls, names = append(of.Calls, call), append(names, c.Name)
		}
		section.Runtimes = append(section.Runtimes, of)
	}
	d.Put(section)
	return d, names
}

// partsOf are the parts of a name. It may break between them.
var partsOf = regexp.MustCompile(`(?:[^ ._(@/,=:]|:[^:])*(?:::|[._(@/,=]+|$)`)

// The names of the catalogues break only after one of their parts, in any report on any terminal.
func TestNamesOfTheCataloguesStayWhole(t *testing.T) {
	d, names := catalogued()
	for _, columns := range []int{table.Narrowest, 80, 100, 120} {
		for name, r := range map[string]Report{"document": OfDocument(d), "diff": OfDiff(held(d, d))} {
			out := &screen{columns: columns}
			require.NoError(t, r.Text(out))
			requireFits(t, out.String(), columns)
			for _, whole := range names {
				for word := range strings.FieldsSeq(whole) {
					for _, part := range partsOf.FindAllString(word, -1) {
						require.Contains(t, out.String(), part, "%s: %s at %d columns", name, whole, columns)
					}
				}
			}
		}
	}
}

// widest has the longest ids, slow clocks and many threads.
func widest() *result.Document {
	d := fixed()
	costs := compare.Into(d)
	d.Settings.Threads = nil
	costs.Clocks = append(costs.Clocks, compare.Clock{ID: strings.Repeat("Q", 40), Path: "winapi", Kind: "monotonic",
		Available:  true,
		Latency:    &compare.Latency{MedianNS: 30412, LowNS: 30411, HighNS: 130413, Confidence: 0.95, MinNS: 29000},
		Resolution: &compare.Resolution{WatchedNS: 123456789}})
	for i := range costs.Clocks {
		costs.Clocks[i].Throughput = nil
	}
	for n := 1; n <= 24; n++ {
		d.Settings.Threads = append(d.Settings.Threads, n)
		for i := range costs.Clocks {
			costs.Clocks[i].Throughput = append(costs.Clocks[i].Throughput,
				compare.Throughput{Threads: n, NSPerRead: 30412 * float64(n), ReadsPerSecond: 123e6,
					Oversubscribed: n > 2})
		}
	}
	return d
}

// longIDs has ids that no clock has.
func longIDs() *result.Document {
	d := mistrusted()
	for i := range verify.Of(d).Clocks {
		c := &verify.Of(d).Clocks[i]
		c.Reads, c.ID = 1e18, strings.Repeat("long id ", 20)+c.ID
	}
	drift.Of(d).Clocks[0].ID, drift.Of(d).Reference = strings.Repeat("r", 200), strings.Repeat("s", 200)
	return d
}

// reports are reports of all kinds, by name.
func reports() map[string]Report {
	all := map[string]Report{"diff": OfDiff(demoted()), "diff of parts": OfDiff(held(trusted(), mistrusted()))}
	for name, d := range map[string]*result.Document{"fixed": fixed(), "hpet": onHPET(), "sparse": sparse(),
		"trusted": trusted(), "mistrusted": mistrusted(), "both": both(), "widest": widest(),
		"threads chosen": threadsChosen()} {
		all[name], all["doctor "+name] = OfDocument(d), OfDiagnosis(d)
	}
	documents, _ := made.Fleet(60, 3, 1)
	var machines []fleet.Machine
	for i, d := range documents {
		machines = append(machines, fleet.MachineOf(fmt.Sprint("web", i), d, nil))
	}
	all["fleet"] = OfFleet(fleet.Of(machines, nil, time.Time{}))
	return all
}

// cases are the documents of the machines of public reports, diagnosed, by their files.
func cases(t *testing.T) map[string]*result.Document {
	t.Helper()
	files, err := filepath.Glob("../../diagnose/testdata/cases/*/results.json")
	require.NoError(t, err)
	others, err := filepath.Glob("../../diagnose/testdata/*.json")
	require.NoError(t, err)
	require.Greater(t, len(files), 10)
	all := map[string]*result.Document{}
	for _, file := range append(files, others...) {
		d, err := sections.Load(file)
		require.NoError(t, err)
		d.Findings, d.NotChecked = diagnose.Findings(d), diagnose.NotChecked(d, "the result does not have it")
		all[file] = d
	}
	return all
}

// Every remedy's commands, the addresses and what stands in backticks are whole in a line of each format for people.
func TestCommandsStandWhole(t *testing.T) {
	backticks := regexp.MustCompile("`[^`]+`")
	for file, d := range cases(t) {
		var page bytes.Buffer
		require.NoError(t, OfDiagnosis(d).HTML(&page))
		for _, columns := range []int{table.Narrowest, 80, 100} {
			out := &screen{columns: columns}
			require.NoError(t, OfDiagnosis(d).Whole(out))
			whole := func(text string) { require.Contains(t, out.String(), text, "%s at %d columns", file, columns) }
			for _, f := range d.Findings {
				for _, link := range f.Links {
					whole(link + "\n")
				}
				texts := append(slices.Clone(f.Evidence), f.Cause)
				for _, r := range f.Remedies {
					texts = append(texts, r.Advice, r.Risk)
					for _, command := range r.Commands {
						require.Regexp(t, "(?m)^(<pre>)?"+regexp.QuoteMeta(html.EscapeString(command))+"(</pre>)?$", page.String())
						if !strings.HasPrefix(command, "#") {
							whole("$ " + command + "\n")
						}
					}
				}
				for _, span := range backticks.FindAllString(strings.Join(texts, "\n"), -1) {
					whole(span)
				}
			}
		}
	}
}

// Every report fits any terminal. A terminal of 24 lines shows the answer, and the first remedy with whole commands,
// without scrolling. With -v, the answer stands again below a report that scrolls. Add the report that did not fit.
func TestReportsFitTerminals(t *testing.T) {
	all := reports()
	long, d := OfDocument(longIDs()), demoted()
	d.Setup = append(d.Setup, diff.Difference{What: "CPU", Old: strings.Repeat("Intel(R) Xeon(R) CPU ", 4),
		New: strings.Repeat("AMD EPYC ", 10)})
	for _, r := range append(slices.Collect(maps.Values(all)), long, OfDiff(d)) {
		for _, columns := range []int{table.Narrowest, 80, 100, 120} {
			out := &screen{columns: columns}
			require.NoError(t, r.Text(out))
			requireFits(t, out.String(), columns)
		}
	}
	for file, d := range cases(t) {
		all[file] = OfDiagnosis(d)
	}
	for name, r := range all {
		for _, columns := range []int{table.Narrowest, 80, 100} {
			out := &screen{columns: columns, lines: 24}
			require.NoError(t, r.Text(out))
			requireFits(t, out.String(), columns)
			if columns >= 80 {
				require.Less(t, strings.Count(out.String(), "\n"), 24, "%s at %d columns:\n%s", name, columns, out.String())
				lower := &screen{columns: columns, lines: 23} // a line on the files of --out stands below
				require.NoError(t, r.Text(lower))
				require.Less(t, strings.Count(lower.String(), "\n"), 23, "%s at %d columns:\n%s", name, columns, lower.String())
			}
			shown := strings.Join(strings.Fields(out.String()), " ")
			require.Contains(t, shown, r.answer, name)
			for _, lines := range []int{24, 16} {
				low := &screen{columns: columns, lines: lines}
				require.NoError(t, r.Text(low))
				require.True(t, len(r.unchecked) == 0 || strings.Contains(low.String(), "Not checked") ||
					strings.Contains(low.String(), "open question"), "%s: %s", name, low)
			}
			if f := worst(r.findings); r.explained && f != nil && len(f.Remedies) > 0 {
				require.Contains(t, shown, "Do this first 1. "+words.Sentence(f.Remedies[0].Advice), name)
				for _, command := range f.Remedies[0].Commands {
					require.Contains(t, out.String(), "     "+shell(command)+"\n", name)
				}
			}
			out = &screen{columns: columns, lines: 1}
			require.NoError(t, r.Whole(out))
			if columns >= 80 {
				requireFits(t, out.String(), columns)
			}
			require.True(t, strings.HasSuffix(strings.Join(strings.Fields(text.StripEscape(out.String())), " "), r.answer), name)
		}
	}
}

// threadsChosen returns the fixed document as if the user had written its numbers of threads.
func threadsChosen() *result.Document {
	d := *fixed()
	d.Settings.ThreadsChosen = true
	return &d
}

// The first screen has what a user asked for, the faults and the measurements of changes. -v has every column: in a
// terminal wide tables are split, beside a pipe they stay whole.
func TestScreensHaveWhatMatters(t *testing.T) {
	sources, faulty := threadsChosen(), mistrusted()
	sources.Put(&compare.Costs{Clocks: compare.Of(sources).Clocks, OtherClockSources: []compare.Experiment{
		{ClockSource: "hpet", Clocks: compare.Of(sources).Clocks}}})
	faulty.Sections = []result.Section{verify.Of(faulty)}
	sometimes := onHPET()
	compare.Into(sometimes).Clocks[0].KernelEntry = result.Sometimes
	const threads, split = "by number of threads", ", continued"
	for name, c := range map[string]struct {
		report          Report
		columns, lines  int // no terminal without columns
		whole           bool
		pattern, absent string
	}{
		"usual":          {OfDocument(fixed()), 80, 24, false, "Latency and resolution", threads},
		"distribution":   {OfDocument(fixed()), 80, 24, false, "(?s)Latency and resolution.*Distribution of single reads", threads},
		"chosen threads": {OfDocument(threadsChosen()), 80, 24, false, "(?s)Latency and resolution.*" + threads, split},
		"chosen sources": {OfDocument(sources), 80, 24, false, "(?s)Latency by clock source.*" + threads, split},
		"faults":         {OfDocument(faulty), 80, 24, false, `(?s)stopped 2×, 3\.2 s.*, 7 faults`, split},
		"changes": {OfDiff(held(trusted(), trusted())), 200, 60, false,
			`(?m)^(The CPU's counter|Verification|Largest skew between CPUs|Rate[^:]*): `, split},
		"-v": {OfDocument(fixed()), 80, 24, true,
			"(?s)resolution.*reported.*Latency and resolution, continued\n.*min.*total at.*fairness", "-v shows"},
		"reads that enter sometimes": {OfDocument(sometimes), 0, 0, true,
			`(?s)20\.2 \(kernel\?\).*150\.2 \(kernel\) .*\(kernel\): a read enters the kernel; \(kernel\?\): some reads do\.`, split},
		"-v in a pipe": {OfDocument(fixed()), 0, 0, true, "(?s)min.*resolution.*reported.*fairness", split},
	} {
		var out interface {
			io.Writer
			fmt.Stringer
		} = &bytes.Buffer{}
		if c.columns > 0 {
			out = &screen{columns: c.columns, lines: c.lines}
		}
		require.NoError(t, c.report.text(out, c.whole), name)
		require.Regexp(t, c.pattern, out.String(), name)
		require.NotContains(t, out.String(), c.absent, name)
	}
}

// Doctor's report of a document without a timed read begins with what was measured.
func TestDiagnosisAlwaysAnswers(t *testing.T) {
	whole := trusted()
	sections := 0
	for _, s := range whole.Sections {
		if s.Key() == "" {
			continue // costs
		}
		d := *whole
		d.Sections, d.Findings = []result.Section{s}, nil
		r := OfDiagnosis(&d)
		require.NotEmpty(t, r.answer, "%T", s)
		require.NotContains(t, strings.Join(r.details, " "), "Nothing was measured", "%T", s)
		sections++
	}
	require.Greater(t, sections, 4)
}

// "Nothing changed" does not stand alone above a changed clock source.
func TestUnchangedFiguresNameChangedMachine(t *testing.T) {
	d := &diff.Diff{Setup: []diff.Difference{{What: "Clock source", Old: "tsc", New: "hpet"}, {What: "Kernel", New: "7.0"}}}
	const setup = ", but the runs differ: Clock source tsc → hpet (1 more)"
	d.Sections = held(sampled(), sampled()).Sections
	answer, level := diffAnswer(d)
	require.Regexp(t, `^Nothing changed in \d+ figures`+regexp.QuoteMeta(setup), answer)
	require.Zero(t, level)
	d.Sections = held(fixed(), fixed()).Sections // of one sample each
	all, _ := d.Count()
	answer, _ = diffAnswer(d)
	require.Equal(t, fmt.Sprintf("None of %d figures could be judged%s.", all, setup), answer)
	d.Setup = nil
	answer, level = diffAnswer(d)
	require.Equal(t, fmt.Sprintf("None of %d figures could be judged.", all), answer)
	require.Equal(t, table.Warn, level)
}

// A terminal shows the levels of a report in colour, and nothing else has escape sequences.
func TestLevelsAreInColour(t *testing.T) {
	text.EnableColors()
	defer text.DisableColors()
	text := func(r Report) string {
		out := screen{columns: table.Width}
		require.NoError(t, r.Text(&out))
		var plain bytes.Buffer
		require.NoError(t, r.Text(&plain))
		require.NotContains(t, plain.String(), "\x1b")
		require.Equal(t, plain.String(), escapes.ReplaceAllString(out.String(), ""))
		return out.String()
	}
	shown := text(OfDiagnosis(onHPET()))
	require.Contains(t, shown, "\x1b[31mReading the clock is slow: ")
	require.Contains(t, shown, "\x1b[31merror:\x1b[0m ")
	require.Contains(t, text(OfDiff(demoted())), "  \x1b[31mslower\x1b[0m\n")
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// A busy machine explains why a run is incomplete, so the first screen says it first and whole.
func TestFirstScreenSaysThatTheMachineIsBusy(t *testing.T) {
	d := fixed()
	d.Interrupted = true
	d.Warnings = []result.Warning{
		{Kind: "incomplete", Saw: "the run has no throughput with 1 to 2 threads and only 7 rounds of latency: the time limit ended the run"},
		{Kind: "load", Saw: "other programs used 1.95 of 2 CPUs during the run"},
	}
	for _, columns := range []int{60, 80} {
		for _, r := range []Report{OfDocument(d), OfDiagnosis(d)} {
			out := &screen{columns: columns, lines: 24}
			require.NoError(t, r.Text(out))
			_, warnings, _ := strings.Cut(text.StripEscape(out.String()), "Warning: ")
			shown := strings.Join(strings.Fields(warnings), " ")
			require.True(t, strings.HasPrefix(shown, "other programs used 1.95 of 2 CPUs during the run."), out.String())
		}
	}
}
