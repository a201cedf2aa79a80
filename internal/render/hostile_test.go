package render

import (
	"bytes"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/printable"
	"github.com/timebench/timebench/internal/result"
)

// evil is what a terminal obeys: escape sequences, as C0 and as C1, marks of direction, what
// has no width, ends of lines, bytes that are no UTF-8; and what Markdown obeys.
const evil = "\x1b]0;owned\a\x1b[2J\t\r\n# owned\n\x7f\u0085\u009b31m\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff\U000e0041\x9b\xff"

// eachText visits each text within a value, and where it stands: the type and its field.
func eachText(t *testing.T, value reflect.Value, at string, visit func(at string, text reflect.Value)) {
	switch value.Kind() {
	case reflect.String:
		visit(at, value)
	case reflect.Pointer:
		if !value.IsNil() {
			eachText(t, value.Elem(), at, visit)
		}
	case reflect.Slice:
		for i := range value.Len() {
			eachText(t, value.Index(i), at, visit)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if field := value.Type().Field(i); field.IsExported() {
				eachText(t, value.Field(i), value.Type().Name()+"."+field.Name, visit)
			}
		}
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
	default:
		t.Fatalf("%s is a %s; neither printable.All nor this test knows how to look into it", at, value.Kind())
	}
}

// textFields are all places of text within a type.
func textFields(of reflect.Type, at string) []string {
	switch of.Kind() {
	case reflect.String:
		return []string{at}
	case reflect.Pointer, reflect.Slice:
		return textFields(of.Elem(), at)
	case reflect.Struct:
		var all []string
		for i := range of.NumField() {
			if field := of.Field(i); field.IsExported() {
				all = append(all, textFields(field.Type, of.Name()+"."+field.Name)...)
			}
		}
		return all
	}
	return nil
}

// whole is a document that has a value in every field of text.
func whole(parts *result.Document) *result.Document {
	d := onHPET()
	no, shift := false, 0
	d.Host.CPU.TSCFlags = []string{"constant_tsc"}
	d.Host.KernelLog.Reason = "it ends here"
	d.Host.Windows = &result.Windows{
		Edition: "Professional 23H2", Wine: &result.Wine{Version: "8.0", Host: "Linux 6.1"}, QPC: &result.QPC{Hz: 1e7, UserMode: &no, Shift: &shift, Bias: "0x1"},
		PowerThrottling: "off", Power: "mains",
	}
	d.Conditions = &result.Conditions{ClockSources: []string{"tsc", "hpet"}}
	d.OtherClockSources[0].Conditions, d.OtherClockSources[0].Warnings = d.Conditions, d.Warnings
	d.Clocks[0].Throughput, d.Clocks[1].Distribution = sampled().Clocks[0].Throughput, d.Clocks[0].Distribution
	d.Verification, d.Skew, d.Drift = parts.Verification, parts.Skew, parts.Drift
	return d
}

// hostile plants evil into every text of a document that may be anything.
func hostile(t *testing.T, d *result.Document) *result.Document {
	planted, refused := map[string]bool{}, map[string]bool{}
	eachText(t, reflect.ValueOf(d).Elem(), "", func(at string, text reflect.Value) {
		before := text.String()
		text.SetString(before + evil)
		if d.Write(io.Discard) != nil { // one of a few words, and no file has another
			text.SetString(before)
			refused[at] = true
			return
		}
		planted[at] = true
	})
	for _, at := range textFields(reflect.TypeFor[result.Document](), "") {
		require.True(t, planted[at] != refused[at], "no document here has a value of %s", at)
	}
	require.ElementsMatch(t, []string{"Document.Schema", "Finding.Severity", "Clock.KernelEntry", "VerifiedClock.Verdict", "ClockFault.Kind"},
		slices.Collect(maps.Keys(refused)))
	return d
}

// harmful returns where an output steers a terminal, or is no text; -1 where it does not.
func harmful(output string) int {
	for i, r := range output {
		if unicode.IsControl(r) && r != '\n' || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || r == utf8.RuneError && !strings.HasPrefix(output[i:], "\ufffd") {
			return i
		}
	}
	return -1
}

// Whatever stands in whatever field, no format hands on what would steer a terminal.
func TestNothingSteersATerminal(t *testing.T) {
	writers := map[string]func(io.Writer) error{}
	for name, parts := range map[string]*result.Document{"trusted": trusted(), "mistrusted": mistrusted()} {
		// Of one without faults there is no text of a fault.
		if name == "trusted" {
			parts.Verification.Clocks[0].Reason, parts.Skew.Clocks[0].Reason, parts.Drift.Clocks[1].Reason = "a", "b", "c"
			parts.Verification.Clocks[3].Faults = []result.ClockFault{{Kind: result.FaultFailed, Count: 1, Text: "d"}}
		}
		d := hostile(t, whole(parts))
		healthy := *d
		healthy.Findings, healthy.Warnings, healthy.Interrupted = nil, nil, true
		compared := diff.Compare(diff.Read("old"+evil, d), diff.Read("new"+evil, hostile(t, whole(mistrusted()))), diff.Settings{Alpha: 0.05, Least: 0.02})
		for _, format := range Formats {
			writers[name+" as "+format.Name] = func(w io.Writer) error { return format.Write(w, d) }
		}
		for _, format := range DoctorFormats {
			writers[name+", doctor as "+format.Name] = func(w io.Writer) error { return format.Write(w, d) }
			writers[name+", healthy, doctor as "+format.Name] = func(w io.Writer) error { return format.Write(w, &healthy) }
		}
		for part, formats := range partsFormats {
			for _, format := range formats {
				writers[name+", "+part+" as "+format.Name] = func(w io.Writer) error { return format.Write(w, d) }
			}
		}
		for _, format := range DiffFormats {
			writers[name+", diff as "+format.Name] = func(w io.Writer) error { return format.Write(w, compared) }
		}
		writers[name+", its clocks"] = func(w io.Writer) error { return List(w, d.Clocks) }
		writers[name+", its host"] = func(w io.Writer) error { return Facts(w, d.Host) }
	}
	for name, d := range map[string]*diff.Diff{"demoted": demoted(), "worsened": worsened()} {
		eachText(t, reflect.ValueOf(d).Elem(), "", func(_ string, text reflect.Value) { text.SetString(text.String() + evil) })
		for _, format := range DiffFormats {
			if name != "worsened" || format.Name != "bench" { // there is nothing to write
				writers[name+" as "+format.Name] = func(w io.Writer) error { return format.Write(w, d) }
			}
		}
	}
	for name, write := range writers {
		var out bytes.Buffer
		require.NoError(t, write(&out), name)
		require.NotEmpty(t, out.String(), name)
		text := strings.ReplaceAll(out.String(), "\n\t", "\n") // within pictures
		at := harmful(text)
		require.Negative(t, at, "%s: %q", name, text[max(0, at-60):min(max(0, at+20), len(text))])
		if strings.HasSuffix(name, "markdown") || strings.HasSuffix(name, "bench") { // whose lines mean something
			require.NotRegexp(t, "(?m)^# owned", out.String(), name)
		}
	}
}

// JSON is harmless too, and still holds what there is.
func TestHostileDocumentReadsBackAsItWas(t *testing.T) {
	d := hostile(t, whole(mistrusted()))
	for _, format := range Formats {
		if format.Name != "json" && format.Name != "html" {
			continue
		}
		var out bytes.Buffer
		require.NoError(t, format.Write(&out, d))
		back, err := result.Read(&out)
		require.NoError(t, err)
		// What is no UTF-8 cannot be in JSON, so no document that was read has it.
		require.Equal(t, printable.All(d, func(text string) string { return string([]rune(text)) }), back)
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
