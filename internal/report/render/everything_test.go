package render

import (
	"bytes"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/test/made"
)

// forPrograms are the formats that have figures only. All others are for people.
var forPrograms = []string{"csv", "json", "bench", "prometheus", "nagios", "line"}

var (
	tag     = regexp.MustCompile(`</?[a-z][^>]*>`)
	content = regexp.MustCompile(`(?s)<script.*?</script>|<style.*?</style>|<svg.*?</svg>`)
)

// letters returns the letters and digits of a text: each format breaks lines and escapes in its own way.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// said are all texts of a report that people must be able to read.
func said(r Report) []string {
	facts := func(of table.Facts) []string {
		texts := []string{}
		for _, f := range of.Lines {
			texts = append(texts, f.Name, f.Value)
		}
		return texts
	}
	all := slices.Concat([]string{r.answer}, r.details, facts(r.missing), facts(r.facts))
	for _, n := range r.unchecked {
		all = append(all, n.String())
	}
	for _, f := range r.findings {
		all = append(all, f.Severity+f.Title)
		if r.explained {
			all = append(append(all, f.Cause), f.Evidence...)
			for _, remedy := range f.Remedies {
				all = append(append(all, remedy.Advice, remedy.Risk), remedy.Commands...)
			}
			all = append(all, f.Links...)
		}
	}
	for _, b := range r.blocks {
		all = slices.Concat(all, b.Faults, b.Notes, []string{b.Verdict}, facts(b.Facts))
		for _, g := range b.Grids {
			if len(g.Rows) > 0 {
				all = slices.Concat(all, []string{g.Title, g.Below()}, g.Header)
			}
			all = slices.Concat(all, slices.Concat(g.Rows...))
		}
	}
	for _, w := range r.warnings {
		all = append(all, w.Saw, w.Spoilt, w.Advice)
	}
	if r.log != nil {
		all = append(all, r.log.Lines...)
	}
	return all
}

// requireSaid requires that each format for people has all of a report.
func requireSaid[T any](t *testing.T, name string, formats []Format[T], of T, report func(T) Report) {
	t.Helper()
	of = Clean(of)
	for _, format := range formats {
		if slices.Contains(forPrograms, format.Name) {
			continue
		}
		write := format.Write
		switch {
		case format.Name == "html":
			write = unillustrated(report).Write
		case format.Whole != nil:
			write = format.Whole
		}
		var out bytes.Buffer
		require.NoError(t, write(&out, of), format.Name)
		text := out.String()
		if format.Name == "html" {
			text = tag.ReplaceAllString(content.ReplaceAllString(text, ""), "")
		}
		shown := letters(html.UnescapeString(strings.ReplaceAll(text, "&#8203;", "")))
		for _, want := range said(report(of)) {
			if want = letters(want); !strings.Contains(shown, want) {
				t.Errorf("%s as %s: it does not have %q", name, format.Name, want)
			}
		}
	}
}

// unillustrated is the format HTML without pictures, which take most of the time of a page.
func unillustrated[T any](report func(T) Report) Format[T] {
	return Format[T]{Name: "html", Write: as(func(r Report, w io.Writer) error {
		r.pictures = func() []drawing { return nil }
		return r.HTML(w)
	}, report)}
}

// Every finding, fault, note, verdict, figure and warning is in every format for people.
func TestEverythingStandsInEveryFormat(t *testing.T) {
	documents := map[string]*result.Document{
		"fixed": fixed(), "sparse": sparse(), "hpet": onHPET(), "trusted": trusted(), "mistrusted": mistrusted(),
		"both": both(), "full": made.Full(),
	}
	for name, d := range documents {
		requireSaid(t, name, Formats, d, OfDocument)
		requireSaid(t, "doctor "+name, DoctorFormats, d, OfDiagnosis)
		for command, d := range each(d) {
			requireSaid(t, name+" of "+command, formatsOf(command), d, OfDocument)
		}
	}
	for name, d := range map[string]*diff.Diff{"demoted": demoted(), "same": held(sampled(), sampled()), "worsened": worsened(),
		"parts": held(both(), sampled())} {
		requireSaid(t, "diff "+name, DiffFormats, d, OfDiff)
	}
	requireSaid(t, "fleet", FleetFormats, aFleet(), OfFleet)
	requireSaid(t, "no fleet", FleetFormats, fleet.Of(nil, aFleet().Unread, aFleet().GeneratedAt), OfFleet)
}
