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

// logDocument returns the document of a kernel log alone.
func logDocument(t *testing.T, folder string) *result.Document {
	t.Helper()
	log, err := os.Open(filepath.Join(folder, "dmesg.txt"))
	require.NoError(t, err)
	defer func() { _ = log.Close() }()
	d, err := attachment.Read("dmesg.txt", log)
	require.NoError(t, err)
	return d
}

// The answer of doctor for each log, with the facts of the report and by the log alone.
func TestCasesOfKernelLogs(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("testdata", "cases", "logs", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			var expect struct {
				MustMention    []string    `json:"must_mention"`     // with the facts of the report
				MustNotMention []string    `json:"must_not_mention"` // with them and without
				Alone          expectation `json:"alone"`            // without them
				Healthy        bool        `json:"healthy"`
			}
			readJSON(t, &expect, folder, "expect.json")
			require.True(t, expect.Healthy || len(expect.MustMention) > 0, "add must_mention to expect.json, or that it is healthy")
			var facts struct {
				Host json.RawMessage `json:"host"`
			}
			readJSON(t, &facts, folder, "facts.json")
			for _, withFacts := range []bool{true, false} {
				d := logDocument(t, folder)
				says, never := expect.Alone.Says, expect.Alone.Never
				if withFacts {
					addFacts(t, d, facts.Host)
					says, never = expect.MustMention, nil
				}
				text := said(d)
				if text == "" {
					text = Healthy(d)
				}
				holds(t, text, append(says, `(?i)^from a kernel log alone`), slices.Concat(never, expect.MustNotMention, []string{`ns/read`, `costs \d`}))
				if expect.Healthy {
					require.Empty(t, kindsOf(d))
					require.Contains(t, text, "Nothing was measured")
				}
				rules(t, d)
			}
		})
	}
}
