package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/test/made"
)

// evil has everything that a terminal obeys: escape sequences, as C0 and as C1, marks of direction, characters without
// width, ends of lines, bytes that are not UTF-8. It also has the syntax of Markdown.
const evil = "\x1b]0;owned\a\x1b[2J\t\r\n# owned\n\x7f\u0085\u009b31m\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff\U000e0041\x9b\xff"

// eachText visits each text of a value that may hold any text, with its place: the type and its field.
func eachText(t *testing.T, value reflect.Value, at string, visit func(at string, text reflect.Value)) {
	switch value.Kind() {
	case reflect.String:
		visit(at, value)
	case reflect.Pointer, reflect.Interface:
		if !value.IsNil() {
			eachText(t, value.Elem(), at, visit)
		}
	case reflect.Slice:
		for i := range value.Len() {
			eachText(t, value.Index(i), at, visit)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			isChoice := strings.Contains(value.Type().Field(i).Tag.Get("is"), "|") // no file has another text
			if field := value.Type().Field(i); field.IsExported() && !isChoice {
				eachText(t, value.Field(i), value.Type().Name()+"."+field.Name, visit)
			}
		}
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
	default:
		t.Fatalf("%s is a %s; neither printable.All nor this test knows how to look into it", at, value.Kind())
	}
}

// before and behind plant a text at either end of another: some code depends on the beginning of an id, and some on its
// end.
func before(evil string) func(string) string { return func(text string) string { return evil + text } }
func behind(evil string) func(string) string { return func(text string) string { return text + evil } }

// hostile plants into every text of a document that may hold any text. A test cleans it as cmd does.
func hostile(t *testing.T, d *result.Document, plant func(string) string) *result.Document {
	eachText(t, reflect.ValueOf(d).Elem(), "", func(at string, text reflect.Value) {
		if at != "Document.Schema" && at != "Document.Labels" { // which have forms that are checked
			text.SetString(plant(text.String()))
		}
	})
	require.NoError(t, d.Write(io.Discard))
	return d
}

// harmful returns the index at which an output controls a terminal, or is not text; otherwise -1.
func harmful(output string) int {
	for i, r := range output {
		if unicode.IsControl(r) && r != '\n' || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) ||
			r == utf8.RuneError && !strings.HasPrefix(output[i:], "\ufffd") {
			return i
		}
	}
	return -1
}

// hostileWriters are all ways to write documents and diffs with planted texts.
func hostileWriters(t *testing.T, plant func(string) string) map[string]func(io.Writer) error {
	writers := map[string]func(io.Writer) error{}
	for name, document := range map[string]func() *result.Document{"full": made.Full,
		"mistrusted": func() *result.Document { return whole(mistrusted()) }} {
		d, other := hostile(t, document(), plant), hostile(t, document(), plant)
		compared := Clean(diff.Compare(diff.Read(plant("old"), d), diff.Read(plant("new"), other),
			section.Usual))
		d = Clean(d)
		healthy := *d
		healthy.Findings, healthy.Warnings, healthy.Interrupted = nil, nil, true
		for _, format := range Formats {
			writers[name+" as "+format.Name] = func(w io.Writer) error { return format.Write(w, d) }
		}
		writers[name+", whole"] = func(w io.Writer) error { return OfDocument(d).Whole(w) }
		writers[name+", doctor, whole"] = func(w io.Writer) error { return OfDiagnosis(d).Whole(w) }
		for _, format := range DoctorFormats {
			if format.Name == "html" { // the pictures are those of the document
				format = unillustrated(OfDiagnosis)
			}
			writers[name+", doctor as "+format.Name] = func(w io.Writer) error { return format.Write(w, d) }
			writers[name+", healthy, doctor as "+format.Name] = func(w io.Writer) error {
				return format.Write(w,
					&healthy)
			}
		}
		alone := *d
		alone.Put(&compare.Costs{Clocks: []compare.Clock{}})
		for part, d := range each(&alone) {
			for _, format := range formatsOf(part) {
				if format.Name == "html" {
					format = unillustrated(OfDocument)
				}
				writers[name+", "+part+" as "+format.Name] = func(w io.Writer) error { return format.Write(w, d) }
			}
		}
		for _, format := range DiffFormats {
			writers[name+", diff as "+format.Name] = func(w io.Writer) error { return format.Write(w, compared) }
		}
		writers[name+", its clocks"] = func(w io.Writer) error { return list(w, compare.Of(d).Clocks) }
		writers[name+", its host"] = func(w io.Writer) error { return Facts(w, d.Host) }
	}
	d := demoted()
	eachText(t, reflect.ValueOf(d).Elem(), "", func(at string, text reflect.Value) {
		if at != "Block.Verdict" && at != "Section.Key" { // of words and numbers only
			text.SetString(plant(text.String()))
		}
	})
	d = Clean(d)
	for _, format := range DiffFormats {
		writers["demoted as "+format.Name] = func(w io.Writer) error { return format.Write(w, d) }
	}
	f := aFleet()
	eachText(t, reflect.ValueOf(f).Elem(), "", func(_ string, text reflect.Value) {
		text.SetString(plant(text.String()))
	})
	f = Clean(f)
	for _, format := range FleetFormats {
		writers["fleet as "+format.Name] = func(w io.Writer) error { return format.Write(w, f) }
	}
	return writers
}

// No format passes on text that controls a terminal, whatever field has it.
func TestNothingSteersATerminal(t *testing.T) {
	for _, plant := range []func(string) string{before(evil), behind(evil)} {
		for name, write := range hostileWriters(t, plant) {
			var out bytes.Buffer
			require.NoError(t, write(&out), name)
			require.NotEmpty(t, out.String(), name)
			text := strings.ReplaceAll(out.String(), "\n\t", "\n") // within pictures
			at := harmful(text)
			require.Negative(t, at, "%s: what Clean returns must be harmless: %q", name,
				text[max(0, at-60):min(max(0, at+20), len(text))])
			if strings.HasSuffix(name, "markdown") || strings.HasSuffix(name, "bench") { // whose lines mean something
				require.NotRegexp(t, "(?m)^# owned", out.String(), name)
			}
		}
	}
}

// No text of a document becomes part of the HTML of a page. The page has scripts of its own, and the document in one.
func TestNothingIsHTML(t *testing.T) {
	for name, write := range hostileWriters(t,
		behind(`</script><script>alert(1)</script><img src=x onerror=alert(2)>" 'onload='`)) {
		if !strings.HasSuffix(name, "html") {
			continue
		}
		var page bytes.Buffer
		require.NoError(t, write(&page), name)
		own := 1 + strings.Count(page.String(), `<script type="application/json" id="timebench-document">`)
		require.LessOrEqual(t, own, 2, name)
		require.Equal(t, own, strings.Count(page.String(), "<script"), name)
		require.Equal(t, own, strings.Count(page.String(), "</script"), name)
		require.NotContains(t, page.String(), "<img", name)
	}
}

// live reports whether a sign is in a text without a backslash that escapes it.
func live(text, sign string) bool {
	return regexp.MustCompile(`(?m)(^|[^\\])(\\\\)*` + regexp.QuoteMeta(sign)).MatchString(text)
}

// No text becomes Markdown, or HTML within it, outside of timebench's own blocks of code
// and links.
func TestNothingIsMarkdown(t *testing.T) {
	own, title := regexp.MustCompile("(?s)```\\w+\n.*?\n```\n|<https://[^ <>]+>"),
		regexp.MustCompile("<summary>[^<\n]*</summary>")
	inline := "<evil> &gt;evil [evil](x) \\[evil](x) `evil` \\`evil` *evil* ~~evil~~ @evil ``` a | evil \\| evil"
	for evil, plants := range map[string][]func(string) string{
		inline:    {before(inline), behind(inline)},
		"# evil ": {before("# evil ")}, "- evil ": {before("- evil ")}, "1. evil ": {before("1. evil ")}, "> evil ": {before("> evil ")}, "     evil ": {before("     evil ")},
	} {
		for _, plant := range plants {
			for name, write := range hostileWriters(t, plant) {
				if !strings.HasSuffix(name, "markdown") {
					continue
				}
				var out bytes.Buffer
				require.NoError(t, write(&out), name)
				text := own.ReplaceAllString(out.String(), "")
				require.NotRegexp(t, `(^|\W)@evil`, text, name)
				text = title.ReplaceAllString(text, "")
				text = strings.ReplaceAll(text, "\n- **", "\n- ") // the name of a fact is bold
				require.Contains(t, text, "evil", name)
				for _, sign := range []string{"<evil", "&gt;evil", "[evil", "`", "*evil", "~"} {
					require.False(t, live(text, sign), "%s has %s:\n%s", name, sign, text)
				}
				require.NotRegexp(t, `(?m)^(- )?`+regexp.QuoteMeta(evil), text, name)
				requireEvenTables(t, text)
			}
		}
	}
}

// requireEvenTables requires that each row of a table has as many cells as the row above.
func requireEvenTables(t *testing.T, text string) {
	cells := func(line string) int {
		return len(regexp.MustCompile(`(^|[^\\])(\\\\)*\|`).FindAllString(line, -1))
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines[1:] {
		if strings.HasPrefix(line, "|") && strings.HasPrefix(lines[i], "|") {
			require.Equal(t, cells(lines[i]), cells(line), line)
		}
	}
}

// A spreadsheet evaluates text that begins like a formula, and must get numbers unchanged.
func TestNoCellOfCSVIsAFormula(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "-1.5": "-1.5", "+12": "+12", "-1.5e-07": "-1.5e-07", "CLOCK_MONOTONIC@vdso": "CLOCK_MONOTONIC@vdso",
		"a=1":  "a=1",
		"=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)", "-1+1": "'-1+1", "+a": "'+a", "-": "'-", "-0x1": "'-0x1",
		"\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1", "＝1": "'＝1",
	} {
		require.Equal(t, want, table.CSVCell(text))
	}
	number := regexp.MustCompile(`^[+-]?[0-9.]+(e[+-]?[0-9]+)?$`)
	for name, write := range hostileWriters(t, before("=1+")) {
		if !strings.HasSuffix(name, "csv") {
			continue
		}
		var out bytes.Buffer
		require.NoError(t, write(&out), name)
		if !strings.Contains(name, "healthy") { // doctor has no line for it
			require.Contains(t, out.String(), "'=1+",
				"%s: give the section to mistrusted in sections_test.go, with a text cell in its CSV", name)
		}
		reader := csv.NewReader(&out)
		reader.FieldsPerRecord = -1 // each section has columns of its own
		rows, err := reader.ReadAll()
		require.NoError(t, err)
		for _, cell := range slices.Concat(rows...) {
			require.True(t, number.MatchString(cell) || cell == "" || !strings.ContainsAny(cell[:1], "=+-@"), "%s: %q",
				name, cell)
		}
	}
}

// JSON and the JSON in a page read back as the written document.
func TestHostileDocumentReadsBackAsItWas(t *testing.T) {
	d := Clean(hostile(t, whole(mistrusted()), behind(evil)))
	for _, format := range Formats {
		if format.Name != "json" && format.Name != "html" {
			continue
		}
		var out bytes.Buffer
		require.NoError(t, format.Write(&out, d))
		require.Equal(t, format.Name == "json", json.Valid(out.Bytes()))
		back, err := sections.Read(&out)
		require.NoError(t, err)
		require.Equal(t, d, back, "sections are in the order of their kinds")
	}
}
