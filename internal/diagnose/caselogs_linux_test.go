package diagnose

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose/attachment"
	"github.com/timebench/timebench/internal/document/result"
)

// logDocument returns the document of a kernel log alone, or why it is refused.
func logDocument(t *testing.T, folder string) (*result.Document, error) {
	t.Helper()
	log, err := os.Open(filepath.Join(folder, "dmesg.txt"))
	require.NoError(t, err)
	defer func() { _ = log.Close() }()
	return attachment.Read("dmesg.txt", log)
}

// The answer of doctor for each log, with the facts of the report and by the log alone.
func TestCasesOfKernelLogs(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("testdata", "cases", "logs", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			judgeLog(t, folder, true)
			judgeLog(t, folder, false)
		})
	}
}

// judgeLog requires that the answer for a log has and lacks what its case expects.
func judgeLog(t *testing.T, folder string, withFacts bool) {
	t.Helper()
	var expect struct {
		MustMention    []string    `json:"must_mention"`     // with the facts of the report
		MustNotMention []string    `json:"must_not_mention"` // with them and without
		Alone          expectation `json:"alone"`            // without them
		Healthy        bool        `json:"healthy"`
		Refused        bool        `json:"refused"` // the log is of another system: the answer is an error
	}
	readJSON(t, &expect, folder, "expect.json")
	require.True(t, expect.Healthy || len(expect.MustMention) > 0, "add must_mention to expect.json, or that it is healthy")
	var facts struct {
		Host json.RawMessage `json:"host"`
	}
	readJSON(t, &facts, folder, "facts.json")
	says, never := expect.Alone.Says, slices.Concat(expect.Alone.Never, expect.MustNotMention, []string{`ns/read`, `costs \d`})
	if withFacts {
		says, never = expect.MustMention, slices.Concat(expect.MustNotMention, []string{`ns/read`, `costs \d`})
	}
	d, err := logDocument(t, folder)
	require.Equal(t, expect.Refused, err != nil, err)
	if err != nil {
		holds(t, err.Error(), expect.MustMention, never)
		return
	}
	if withFacts {
		addFacts(t, d, facts.Host)
	}
	rules(t, d)
	text := said(d)
	if text == "" {
		text = Healthy(d)
	}
	says = append(says, `(?i)^from (?:a kernel log|the output of programs) alone`)
	if expect.Healthy {
		says = append(says, "Nothing was measured")
		require.Empty(t, kindsOf(d), "accuses a healthy machine")
	}
	holds(t, text, says, never)
}
