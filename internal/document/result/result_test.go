package result_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/test/need"
	"github.com/timebench/timebench/test/schema"
)

func example() *result.Document {
	yes := true
	return &result.Document{
		Schema: result.Schema, GeneratedAt: time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC),
		Tool: result.Tool{Version: "0.1.0", Revision: "abc1234", Go: "go1.26.8", Command: "compare"},
		Host: result.Host{
			OS: "linux", Arch: "amd64", Kernel: "6.18.44",
			CPU:            result.CPU{Model: "AMD EPYC", Logical: 2, Usable: 2, Physical: 2, Packages: 1, InvariantTSC: &yes, TSCHz: 2596122000},
			Virtualization: &result.Virtualization{System: "kvm", Role: "guest"},
			ClockSource:    &result.ClockSource{Current: "tsc", Available: []string{"tsc", "kvm-clock"}},
		},
		Settings: result.Settings{Threads: []int{1, 2}, Rounds: 10, TimeNS: 1e8, Pin: "none", Workers: "threads"},
		Sections: []result.Section{&compare.Costs{FloorNS: 1.66,
			Clocks: []compare.Clock{
				{
					ID: "CLOCK_MONOTONIC@vdso", Call: "clock_gettime(CLOCK_MONOTONIC)", Path: "vdso", Kind: "monotonic", Available: true, TicksPerSecond: 1e9,
					Latency:    &compare.Latency{MedianNS: 20.2, LowNS: 20.1, HighNS: 20.3, Confidence: 0.95, MinNS: 20, SamplesNS: []float64{20.2, 20, 20.4}, QuietSamplesNS: []float64{20.2, 19.9, 20.1}},
					Resolution: &compare.Resolution{TickNS: 1, FinerThanRead: true, ReportedNS: 1, WatchedNS: 2e6, Ticks: 1e5},
					Throughput: []compare.Throughput{{Threads: 1, ReadsPerSecond: 4.9e7, CountedReadsPerSecond: 4.8e7, NSPerRead: 20.3, Fairness: 1, SamplesReadsPerSecond: []float64{4.9e7}}},
				},
				{ID: "hpet@mmio", Call: "hpet main counter", Path: "mmio", Reason: "/dev/hpet: no such file or directory"},
			}}},
	}
}

// refusable is a document with each kind of value that may be wrong.
func refusable() *result.Document {
	d := example()
	d.Interrupted = true
	d.Host.CPU.KernelTSCHz = 2596124000
	d.Host.BootParameters = []string{"clocksource=tsc", "tsc=reliable"}
	d.Host.TimeSync = &result.TimeSync{Synchronised: true, OffsetNS: -31250, MaxErrorNS: 16500000, FrequencyPPM: -12.75}
	conditions := result.Conditions{
		DurationNS: 12e9, Turns: 440, InterruptedTurns: 17, StealShare: 0.03, ThrottledNS: 2e8, Passes: []result.Passes{{Threads: 4, Planned: 20, Complete: 7, Starved: 5}},
	}
	d.Conditions = &conditions
	d.Findings = []result.Finding{{
		Kind: "unwatched", Severity: result.Warn, Title: "the kernel does not check the time stamp counter", Evidence: []string{},
		Remedies: []result.Remedy{{Advice: "boot without tsc=reliable", Commands: []string{"update-grub"}}},
	}}
	compare.Into(d).Clocks = []compare.Clock{fullClock(compare.Of(d).Clocks[0])}
	other := fullClock(compare.Of(example()).Clocks[0])
	other.KernelEntry, other.KernelEntryBy = result.Always, "cost"
	other.Latency = &compare.Latency{MedianNS: 1310, LowNS: 1302, HighNS: 1324, Confidence: 0.95, MinNS: 1300, SamplesNS: []float64{1310, 1300, 1330}, QuietSamplesNS: []float64{1305, 1300, 1310}, Runs: []int{2, 1}}
	compare.Into(d).OtherClockSources = []compare.Experiment{{ClockSource: "hpet", FloorNS: 1.65, Conditions: &conditions, Clocks: []compare.Clock{other}}}
	return d
}

// fullClock adds keys to a clock of the example.
func fullClock(clock compare.Clock) compare.Clock {
	clock.Reason = "failed while it was read: no such device"
	clock.Latency.Runs = []int{2, 1}
	clock.Throughput[0].SamplesReadsPerSecond, clock.Throughput[0].Runs = []float64{4.9e7, 4.9e7}, []int{1, 1}
	clock.KernelEntry, clock.KernelEntryBy = result.Never, "seccomp"
	clock.Resolution.TickLowNS, clock.Resolution.TickHighNS = 0.5, 16
	clock.Distribution = &compare.Distribution{
		Counter: "RDTSCP@cpu", BracketNS: 18.1, CounterStepNS: 0.4, Reads: 1000, P50NS: 40.2, P90NS: 41, P99NS: 44.5, P999NS: 420, MaxNS: 1250, TenfoldReads: 2,
		Buckets: []compare.Bucket{{UpToNS: 41, Reads: 900}, {UpToNS: 45, Reads: 98}, {UpToNS: 1280, Reads: 2}},
	}
	return clock
}

func written(t testing.TB, d *result.Document) []byte {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, d.Write(&text))
	return text.Bytes()
}

// withClocks returns a document with this number of clocks.
func withClocks(t testing.TB, clocks int) string {
	t.Helper()
	var document map[string]any
	require.NoError(t, json.Unmarshal(written(t, example()), &document)) // Write may refuse that number
	first := document["clocks"].([]any)[0].(map[string]any)
	all := make([]any, clocks)
	for i := range all {
		clock := maps.Clone(first)
		clock["id"] = fmt.Sprintf("clock%d@go", i)
		all[i] = clock
	}
	document["clocks"] = all
	text, err := json.Marshal(document)
	require.NoError(t, err)
	return string(text)
}

func script(t testing.TB, d *result.Document) string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, d.WriteScript(&text))
	return text.String()
}

func page(t testing.TB, d *result.Document) string {
	t.Helper()
	return "<!DOCTYPE html>\n<html><head>\n" + script(t, d) + "\n<script>draw()</script></head></html>\n"
}

// zipped returns a zip file of the entries, which are names and contents in turn.
func zipped(t testing.TB, entries ...string) string {
	t.Helper()
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for i := 0; i < len(entries); i += 2 {
		entry, err := archive.Create(entries[i])
		require.NoError(t, err)
		_, err = io.WriteString(entry, entries[i+1])
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	return file.String()
}

// raw returns a zip file with an entry without content, whatever its header says.
func raw(t testing.TB, header zip.FileHeader) string {
	t.Helper()
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	_, err := archive.CreateRaw(&header)
	require.NoError(t, err)
	require.NoError(t, archive.Close())
	return file.String()
}

// Add a row for each rule. [TestSchemaRefusesWhatReadRefuses] checks the type and the bounds of each key.
func TestLoadRefuses(t *testing.T) {
	one, all := string(written(t, example())), string(written(t, refusable()))
	lines := strings.Count(all, "\n")
	replaceIn := func(text, from, to string) string {
		require.Contains(t, text, from)
		return strings.Replace(text, from, to, 1)
	}
	replace := func(from, to string) string { return replaceIn(all, from, to) }
	// at returns the line of a text, since a new fact of a host moves it.
	at := func(text string) string {
		before, _, found := strings.Cut(all, text)
		require.True(t, found, text)
		return fmt.Sprintf("line %d", strings.Count(before, "\n")+1)
	}
	const clock = `clocks[0] ("CLOCK_MONOTONIC@vdso").`
	var layers []string
	for i := range 17 {
		layers = append(layers, fmt.Sprintf(`{"name": "part %d", "ns": 1}`, i))
	}
	manyLayers := strings.Join(layers, ", ")
	d := example()
	compare.Into(d).OtherClockSources = []compare.Experiment{{ClockSource: "hpet", Clocks: compare.Of(d).Clocks}, {ClockSource: "acpi_pm"}}
	compare.Into(d).Clocks = nil
	experiments := string(written(t, d))
	html := page(t, refusable())
	for name, bad := range map[string]struct{ text, want string }{
		"empty":              {"", `is empty, or a kernel file without a size (/proc); name a copy of it`},
		"UTF-16":             {utf16In(binary.LittleEndian, "no document"), `is not a timebench document, nor a report in HTML or a zip file with one`},
		"not JSON":           {"timebench\n", `is not a timebench document, nor a report in HTML or a zip file with one`},
		"truncated":          {all[:300], "line 16, column 2: unexpected EOF"},
		"one byte short":     {all[:len(all)-2], fmt.Sprintf("line %d, column 1: unexpected EOF", lines)},
		"concatenated":       {all + all, fmt.Sprintf("line %d, column 1: invalid character '{' after top-level value", lines+1)},
		"line break in text": {replace("AMD EPYC", "AMD\nEPYC"), at(`"AMD EPYC"`) + `, column 20: invalid character '\n' in string (expecting non-control character)`},
		"nested deeply":      {replace(`"turns": 440`, `"turns": 440, "x": `+strings.Repeat("[", 1e6)), at(`"turns"`) + ", column 10022: exceeded max depth"},
		"no schema":          {`{}`, `has no schema: not a timebench document`},
		"unknown schema":     {replace("timebench/1", "timebench/2"), `schema is "timebench/2"; this timebench reads "timebench/1"`},
		"newer, schema last": {`{"clocks": 3, "schema": "timebench/2"}`, `schema is "timebench/2"; this timebench reads "timebench/1"`},
		"Schema":             {`{"Schema": "timebench/1"}`, `has no schema: not a timebench document`},
		"of another program": {`{"schema": "secret", "password": "secret"}`, `schema is not of timebench; this timebench reads "timebench/1"`},
		"not JSON in it":     {"{\npassword", `has no schema: not a timebench document`},
		"null sample":        {replace("20.4\n", "null\n"), at("20.4\n") + `, column 11: clocks[0].latency.samples_ns[2] is null, not a number of 64 bits`},
		"sample beyond":      {replace("20.4\n", "-1e999\n"), clock + `latency.samples_ns[2] is -1.7976931348623157e+308; it must be at least 0`},
		"schema not text":    {`{"schema": 3}`, `schema is not text; this timebench reads "timebench/1"`},
		"misspelt":           {replace(`"turns"`, `"Turns"`), at("},\n  \"findings\"") + `, column 3: conditions.turns is missing`},
		"missing":            {replace(`"turns": 440,`, ``), at("},\n  \"findings\"") + `, column 3: conditions.turns is missing`},
		"missing object":     {`{"schema": "timebench/1", "generated_at": "2026-11-21T03:00:00Z", "interrupted": false}`, `line 1, column 87: tool is missing`},
		"key twice":          {replace(`"turns": 440`, `"turns": 440, "turns": 441`), at(`"turns"`) + `, column 19: conditions.turns appears twice`},
		"array for object":   {`{"schema": "timebench/1", "tool": []}`, `line 1, column 35: tool is not an object`},
		"not a time":         {replace("2026-11-21T03:00:00Z", "today"), `line 3, column 19: generated_at is not a time as RFC 3339 writes it`},
		"hour of a digit":    {replace("2026-11-21T03:00:00Z", "2026-11-21T3:00:00Z"), `line 3, column 19: generated_at is not a time as RFC 3339 writes it`},
		"comma in a time":    {replace("2026-11-21T03:00:00Z", "2026-11-21T03:00:00,5Z"), `line 3, column 19: generated_at is not a time as RFC 3339 writes it`},
		"zone of a day":      {replace("2026-11-21T03:00:00Z", "2026-11-21T03:00:00+24:00"), `line 3, column 19: generated_at is not a time as RFC 3339 writes it`},
		"fraction":           {replace(`"turns": 440`, `"turns": 440.5`), at(`"turns"`) + fmt.Sprintf(`, column 14: conditions.turns is 440.5, not a whole number of %d bits`, strconv.IntSize)},
		"beyond an integer":  {replace(`"ticks": 100000`, `"ticks": 1`+strings.Repeat("0", 99)), at(`"ticks": 100000`) + `, column 18: clocks[0].resolution.ticks is 1` + strings.Repeat("0", 39) + `, not a whole number of 64 bits`},
		"beyond a float":     {replace(`"median_ns": 20.2`, `"median_ns": 1e999`), at(`"median_ns": 20.2`) + `, column 22: clocks[0].latency.median_ns is 1e999, not a number of 64 bits`},
		"NaN":                {replace(`"median_ns": 20.2`, `"median_ns": NaN`), at(`"median_ns": 20.2`) + `, column 22: invalid character 'N' at start of value`},
		"negative":           {replace(`"median_ns": 20.2`, `"median_ns": -20.2`), clock + `latency.median_ns is -20.2; it must be at least 0`},
		"quiet sample above": {replace(`19.9`, `20.9`), clock + `latency.quiet_samples_ns[1] is 20.9, above the 20 of the round's sample`},
		"too few quiet ones": {replace(`19.9,`, ``), clock + `latency.quiet_samples_ns are 2, beside 3 samples_ns; there is one for each`},
		"overconfident":      {replace(`"confidence": 0.95`, `"confidence": 95`), clock + `latency.confidence is 95; it must be from 0 to 1`},
		"odd quartile":       {replace(`"tick_low_ns": 0.5`, `"tick_low_ns": 2`), `clocks[0] ("CLOCK_MONOTONIC@vdso").resolution has a median tick of 1 outside its quartiles, 2 to 16`},
		"median elsewhere":   {replace(`"reads_per_second": 49000000`, `"reads_per_second": 48000000`), clock + `throughput[0].samples_reads_per_second are from 4.9e+07 to 4.9e+07, which leaves out their median of 4.8e+07`},
		"zero threads":       {replace(`"threads": 1,`, `"threads": 0,`), clock + `throughput[0].threads is 0; it must be at least 1`},
		"text without end":   {replace(`"kernel": "6.18.44"`, `"kernel": "`+strings.Repeat("6", 65537)+`"`), `host.kernel is a text of 65537 bytes; it must have at most 65536`},
		"many texts": {
			replace(`"kernel": "6.18.44"`, `"kernel": "6.18.44", "boot_tools": ["x"`+strings.Repeat(`, "x"`, 1<<19)+`]`),
			`host.boot_tools has 1048578 bytes of text in 524289 lines; it must have at most 1048576`,
		},
		"too many clocks":  {withClocks(t, 5000), `clocks[4096] ("clock4096@go") is one of more than 4096; no machine has more`},
		"clock twice":      {replaceIn(one, "hpet@mmio", "CLOCK_MONOTONIC@vdso"), `clocks[1] ("CLOCK_MONOTONIC@vdso") has the id of an entry before it; each stands once`},
		"clock without id": {replaceIn(one, "hpet@mmio", ""), `clocks[1].id is empty; it must name something`},
		"ugly id": {
			replaceIn(replace("CLOCK_MONOTONIC@vdso", `two\nlines`+strings.Repeat("x", 100)), `"median_ns": 20.2`, `"median_ns": -1`),
			`clocks[0] ("two\nlines` + strings.Repeat("x", 55) + `").latency.median_ns is -1; it must be at least 0`,
		},
		"more complete passes": {replace(`"planned": 20`, `"planned": 6`), `conditions.passes[0].complete is 7; it must be no more than the 6 of planned`},
		"more than all turns":  {replace(`"interrupted_turns": 17`, `"interrupted_turns": 441`), `conditions.interrupted_turns is 441; it must be no more than the 440 of turns`},
		"unknown severity":     {replace(`"severity": "warn"`, `"severity": "fatal"`), at(`"severity"`) + `, column 19: findings[0].severity is "fatal"; it must be one of error, warn, note`},
		"unknown kernel entry": {replace(`"kernel_entry": "never"`, `"kernel_entry": "seldom\n"`), at(`"kernel_entry": "never"`) + `, column 23: clocks[0].kernel_entry is "seldom\n"; it must be one of never, always, sometimes, unknown`},
		"source twice":         {replaceIn(experiments, `"acpi_pm"`, `"hpet"`), `other_clocksources[1] ("hpet") has the clocksource of an entry before it; each stands once`},
		"clock twice beyond":   {replaceIn(experiments, "hpet@mmio", "CLOCK_MONOTONIC@vdso"), `other_clocksources[0] ("hpet").clocks[1] ("CLOCK_MONOTONIC@vdso") has the id of an entry before it; each stands once`},
		"latency beyond":       {replace(`"median_ns": 1310`, `"median_ns": -1310`), `other_clocksources[0] ("hpet").clocks[0] ("CLOCK_MONOTONIC@vdso").latency.median_ns is -1310; it must be at least 0`},
		"frequency above":      {replace(`"frequency_ppm": -12.75`, `"frequency_ppm": 1e300`), `host.time_sync.frequency_ppm is 1e+300; it must be from -1e+18 to 1e+18`},
		"many layers":          {replace(`"kernel_entry": "never"`, `"kernel_entry": "never", "layers": [`+manyLayers+`]`), clock + `layers are 17; there are 16 at most`},
		"outside its interval": {replace(`"low_ns": 20.1`, `"low_ns": 20.3`), clock + `latency has a median of 20.2 outside its interval, 20.3 to 20.3`},
		"reads in no time":     {replace(`"ns_per_read": 20.3`, `"ns_per_read": 0`), clock + `throughput[0] has 4.9e+07 reads/s and 0 ns/read, which contradict each other`},
		"too long for a read":  {replace(`"min_ns": 20`, `"min_ns": 1e308`), clock + `latency.min_ns is 1e+308; it must be 0, or from 1e-09 to 1e+18`},
		"too short for a read": {replace(`"min_ns": 20`, `"min_ns": 5e-324`), clock + `latency.min_ns is 5e-324; it must be 0, or from 1e-09 to 1e+18`},
		"more than all reads":  {replace(`"tenfold_reads": 2`, `"tenfold_reads": 1001`), clock + `distribution.tenfold_reads is 1001; it must be no more than the 1000 of reads`},
		"bucket descending":    {replace(`"up_to_ns": 45`, `"up_to_ns": 41`), clock + `distribution.buckets[1].up_to_ns is 41; it must be above the 41 of the bucket before`},
		"bucket too full":      {replace(`"reads": 98`, `"reads": 101`), clock + `distribution.buckets[1].reads is 101; with the buckets before that is more than the 1000 reads`},
		"bucket overflow":      {replace(`"reads": 98`, `"reads": 9223372036854775807`), clock + `distribution.buckets[1].reads is 9223372036854775807; with the buckets before that is more than the 1000 reads`},
		"buckets too empty":    {replace(`"reads": 98`, `"reads": 97`), clock + `distribution.buckets hold 999 reads, not the 1000 of reads`},

		"HTML without":         {"<!DOCTYPE html><title>timebench</title>", `is HTML without a timebench document in it`},
		"HTML with two":        {html + html, `is HTML with 2 timebench documents in it; there must be one`},
		"HTML truncated":       {html[:200], `line 3, column 57: the document that begins here is not ended by </script>`},
		"HTML truncated later": {replaceIn(html, `"interrupted":true,`, `</script>`), `line 3, column 119: unexpected EOF`},

		"zip without":     {zipped(t, "report/report.md", "#", "my-results.json", "{}", "results.json/", ""), `is a zip file without a results.json`},
		"zip of two runs": {zipped(t, "a/results.json", "{}", "b/results.json", "{}"), `is a zip file with 2 of results.json in it; there must be one`},
		"zip truncated":   {zipped(t, "results.json", all)[:200], `is no whole zip file: zip: not a valid zip file`},
		"zip of an array": {zipped(t, "a/results.json", "[]"), `"a/results.json" in it: has no schema: not a timebench document`},
		"zip wrong type":  {zipped(t, "results.json", replace(`"turns": 440`, `"turns": ""`)), `"results.json" in it: ` + at(`"turns"`) + `, column 14: conditions.turns is not a whole number of 64 bits`},
		"zip bomb":        {raw(t, zip.FileHeader{Name: "results.json", UncompressedSize64: result.MaxSize + 1}), `"results.json" in it: is larger than 128 MiB, which no document is`},
		"zip of many":     {zipped(t, slices.Repeat([]string{"report/charts/" + strings.Repeat("x", 1<<10), ""}, 1<<10)...), `is a zip file with a directory of more than 1 MiB`},
		"zip encrypted":   {raw(t, zip.FileHeader{Name: "results.json", Flags: 1}), `"results.json" in it: is encrypted`},
		"zip of method 9": {raw(t, zip.FileHeader{Name: "results.json", Method: 9}), `"results.json" in it: zip: unsupported compression algorithm`},
	} {
		file := filepath.Join(need.Folder(t), "file")
		require.NoError(t, os.WriteFile(file, []byte(bad.text), 0o600))
		document, err := sections.Load(file)
		require.EqualError(t, err, file+": "+bad.want, name)
		require.NotContains(t, err.Error(), "\n", name)
		require.Nil(t, document, name)
	}
}

// A document takes about one allocation for each text, list and object: a fleet has thousands of them. The keys of a
// newer timebench are skipped, however large they are.
func TestManyNumbersTakeNoAllocations(t *testing.T) {
	allocations := func(numbers int) float64 {
		d := example()
		latency := compare.Into(d).Clocks[0].Latency
		latency.SamplesNS, latency.QuietSamplesNS = slices.Repeat([]float64{20.2}, numbers), slices.Repeat([]float64{20}, numbers)
		text := strings.Replace(string(written(t, d)), "{", `{"new": [`+strings.Repeat("1, {}, ", numbers)+"1], ", 1)
		return testing.AllocsPerRun(1, func() {
			_, err := sections.Read(strings.NewReader(text))
			require.NoError(t, err)
		})
	}
	require.InDelta(t, allocations(10), allocations(10_000), 100)
}

// Endless input takes the memory of the largest document, not also of each smaller one. Of another file, reading stops
// at the first token that no document has.
func TestEndlessInput(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := sections.Read(io.MultiReader(strings.NewReader(`{"schema": "timebench/1", "x": "`), &zeros{}))
	require.ErrorIs(t, err, result.ErrTooLarge)
	require.EqualError(t, err, "is larger than 128 MiB, which no document is")
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(result.MaxSize)*5/4)
	var other zeros
	_, err = sections.Read(&other)
	require.ErrorContains(t, err, "not a timebench document")
	require.LessOrEqual(t, other.read, int64(4096))
}

// A list of short items would take many times the memory of its text.
func TestLongListsAreRefused(t *testing.T) {
	for _, list := range []struct {
		before, item string
		size         int // of an item in memory
	}{
		{`"conditions": {"clocksources": [`, `""`, 16},
		{`"conditions": {"passes": [`, `{"threads": 1, "planned": 0, "complete": 0}`, 32},
		{`"clocks": [{"latency": {"samples_ns": [`, `1`, 8},
	} {
		text := `{"schema": "timebench/1", ` + list.before + strings.Repeat(list.item+",", 16<<20/list.size+1)
		_, err := sections.Read(strings.NewReader(text))
		require.ErrorContains(t, err, "the lists of a document take at most 16 MiB", list.before)
	}
}

// A link of another user may lead to a file that only root may read, and that is no document.
func TestNoOtherFileIsQuoted(t *testing.T) {
	const secret = "s3cr3t"
	for _, text := range []string{
		secret, "root:" + secret, "{" + secret, `{"` + secret + `": "` + secret + `"}`, `{"schema": "` + secret + `"}`, `{"schema": {"` + secret + `": 1}}`,
		"[\"" + secret, "<" + secret, "PK\x03\x04" + secret, zipped(t, "results.json", secret), zipped(t, "results.json", `{"`+secret+`": tru`),
	} {
		_, err := sections.Read(strings.NewReader(text))
		require.Error(t, err)
		for i := range secret {
			require.NotContains(t, err.Error(), "'"+secret[i:i+1]+"'")
		}
		require.NotContains(t, err.Error(), secret)
	}
}

// An editor may have saved a document in another encoding: its figures are whole.
func TestReadTakesTextThatIsNotUTF8(t *testing.T) {
	text := strings.Replace(string(written(t, example())), "AMD EPYC", "AMD \xe4\\ud800", 1)
	document, err := sections.Read(strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, "AMD \ufffd\ufffd", document.Host.CPU.Model)
}

type zeros struct{ read int64 }

func (z *zeros) Read(p []byte) (int, error) {
	clear(p)
	z.read += int64(len(p))
	return len(p), nil
}

func TestWriteRefusesWhatReadWouldRefuse(t *testing.T) {
	var saved bytes.Buffer
	for want, spoil := range map[string]func(*result.Document, *compare.Clock){
		`schema is "", not "timebench/1"`: func(d *result.Document, _ *compare.Clock) { d.Schema = "" },
		`clocks[0] ("CLOCK_MONOTONIC@vdso").latency.min_ns is +Inf; it must be at least 0`: func(_ *result.Document, c *compare.Clock) {
			c.Latency.MinNS = math.Inf(1)
		},
		`clocks[0] ("CLOCK_MONOTONIC@vdso").latency.confidence is NaN; it must be from 0 to 1`: func(_ *result.Document, c *compare.Clock) {
			c.Latency.Confidence = math.NaN()
		},
		`findings[0].severity is ""; it must be one of error, warn, note`: func(d *result.Document, _ *compare.Clock) {
			d.Findings[0].Severity = ""
		},
		`clocks[0] ("CLOCK_MONOTONIC@vdso").kernel_entry is "seldom"; it must be one of never, always, sometimes, unknown`: func(_ *result.Document, c *compare.Clock) {
			c.KernelEntry = "seldom"
		},
		`clocks[0] ("CLOCK_MONOTONIC@vdso").throughput[1] has the threads of an entry before it; each stands once`: func(_ *result.Document, c *compare.Clock) {
			c.Throughput = append(c.Throughput, c.Throughput[0])
		},
	} {
		d := refusable()
		spoil(d, &compare.Into(d).Clocks[0])
		require.EqualError(t, d.Write(&saved), want)
		require.EqualError(t, d.WriteScript(&saved), want)
	}
	require.Empty(t, saved.Bytes())
}

// The result of a run on this machine loads and fits; CI names the file.
func TestRealDocumentLoads(t *testing.T) {
	name := os.Getenv("TIMEBENCH_DOCUMENT")
	if name == "" {
		t.Skip("TIMEBENCH_DOCUMENT names no file")
	}
	document, err := sections.Load(name)
	require.NoError(t, err)
	schema.Check(t, written(t, document))
	require.NotEmpty(t, compare.Of(document).Clocks)
	for _, clock := range compare.Of(document).Clocks {
		if clock.Available {
			require.NotNil(t, clock.Latency, clock.ID)
			require.NotEmpty(t, clock.Throughput, clock.ID)
		}
	}
}

// utf16In returns a text as Windows PowerShell's > writes it.
func utf16In(order binary.AppendByteOrder, text string) string {
	var wide []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		wide = order.AppendUint16(wide, unit)
	}
	return string(wide)
}

func TestConditionsOfRunsAreJoined(t *testing.T) {
	require.Nil(t, result.JoinConditions([]*result.Conditions{nil}))
	require.Equal(t, &result.Conditions{
		DurationNS: 15, Turns: 9, InterruptedTurns: 3, StealShare: 0.5, WallStepNS: -22, CompleteRounds: 5, FloorLowNS: 1.5, FloorHighNS: 1.6,
		Passes: []result.Passes{{Threads: 2, Planned: 20, Complete: 20, Starved: 3}, {Threads: 4, Planned: 40, Complete: 7, Starved: 1, Reasons: []string{"a", "b"}}},
	}, result.JoinConditions([]*result.Conditions{
		{DurationNS: 5, Turns: 3, InterruptedTurns: 1, StealShare: 0.25, WallStepNS: -20, CompleteRounds: 9, FloorLowNS: 1.5, FloorHighNS: 1.6,
			Passes: []result.Passes{{Threads: 4, Planned: 20, Complete: 7, Starved: 1, Reasons: []string{"b"}}}},
		nil,
		{DurationNS: 4, Turns: 3, InterruptedTurns: 1, StealShare: 0.5, WallStepNS: -22, CompleteRounds: 5, // too few rounds for a floor
			Passes: []result.Passes{{Threads: 2, Planned: 20, Complete: 20, Starved: 3}, {Threads: 4, Planned: 20, Reasons: []string{"a", "b"}}}},
		{DurationNS: 6, Turns: 3, InterruptedTurns: 1, StealShare: 0.75, WallStepNS: 21},
	}))
}

func TestLabels(t *testing.T) {
	require.NoError(t, result.CheckLabels(nil))
	require.NoError(t, result.CheckLabels([]string{"host=web1", "rack=3=4", "a.b-c_D=é x"}))
	d := &result.Document{Labels: []string{"host=web1", "rack=3=4"}}
	require.Equal(t, []string{"web1", "3=4", ""}, []string{d.Label("host"), d.Label("rack"), d.Label("hos")})
	for label, says := range map[string]string{
		"host": "is no label; write key=value", "=web1": "is no label", "host=": "is no label", "1a=b": "is no label", "a b=c": "is no label",
		strings.Repeat("a", 64) + "=b": "is no label", "a=" + strings.Repeat("b", 201): "longer than 200 bytes",
		"a=b\x1b[2J": "not printable", "a=\xff": "not printable", "a=b\nc": "not printable", "": "is no label",
	} {
		require.ErrorContains(t, result.CheckLabels([]string{label}), says, "%q", label)
	}
	require.ErrorContains(t, result.CheckLabels([]string{"a=1", "b=2", "a=3"}), "a appears twice")
	var many []string
	for i := range result.MaxLabels + 1 {
		many = append(many, fmt.Sprintf("k%d=v", i))
	}
	require.ErrorContains(t, result.CheckLabels(many), "65 labels are more than 64")
}
