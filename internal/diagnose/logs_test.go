package diagnose

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose/attachment"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/texts"
)

//go:embed testdata/logs.txt
var logsFile string

// The answer of doctor on each log of testdata/logs.txt says what the file expects, and nothing that it excludes.
func TestLogs(t *testing.T) {
	for _, e := range texts.Entries(logsFile) {
		t.Run(e.Name, func(t *testing.T) {
			d, err := attachment.Read("x", strings.NewReader(strings.Join(e.All("log"), "\n")+"\n"))
			require.NoError(t, err)
			if facts := e.Get("host"); facts != "" {
				require.NoError(t, json.Unmarshal([]byte(facts), &d.Host))
			}
			d.Findings = Findings(d)
			require.Equal(t, e.Get("kinds"), kindsOf(d))
			if severity := e.Get("severity"); severity != "" {
				require.Equal(t, severity, d.Findings[0].Severity)
			}
			if first := e.Get("first"); first != "" {
				require.Regexp(t, inOrder(first), d.Findings[0].Remedies[0].Advice)
			}
			rules(t, d)
			text := answered(d)
			for _, f := range e.Fields {
				switch f.Key {
				case "says":
					require.Regexp(t, inOrder(f.Value), text)
				case "never":
					require.NotRegexp(t, inOrder(f.Value), text)
				default:
					require.Contains(t, []string{"log", "host", "kinds", "severity", "first"}, f.Key)
				}
			}
		})
	}
}

// Whatever a log has, doctor has an answer, and each finding a title, a cause and evidence.
func FuzzFindingsOfALog(f *testing.F) {
	for _, e := range texts.Entries(logsFile) {
		f.Add(strings.Join(e.All("log"), "\n") + "\n")
	}
	f.Fuzz(func(t *testing.T, log string) {
		d, err := attachment.Read("x", strings.NewReader(log))
		if err != nil {
			return
		}
		d.Findings = Findings(d)
		for _, found := range d.Findings {
			require.NotEmpty(t, found.Title)
			require.NotEmpty(t, found.Cause)
			require.NotEmpty(t, found.Evidence)
		}
		require.NotEmpty(t, answered(d))
	})
}

// inOrder returns an expression for texts that follow each other: "a … b".
func inOrder(texts string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(texts), " … ", ".*")
}

// answered returns what doctor says on a document, with one space between words.
func answered(d *result.Document) string {
	answer, _ := Answer(d)
	parts := []string{answer, said(d)}
	if len(d.Findings) == 0 {
		parts = append(parts, Healthy(d))
	}
	for _, n := range Unchecked(d) {
		parts = append(parts, n.What+": "+n.Why)
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}
