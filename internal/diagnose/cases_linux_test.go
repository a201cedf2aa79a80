package diagnose

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
)

// The cases are machines of public reports, rebuilt as documents, recorded trees and kernel logs. A new case is a
// folder of testdata/cases with results.json, or of testdata/cases/logs with dmesg.txt, and expect.json: the text that
// doctor must and must not print.

// An expectation is the kinds of findings that a document must have, and the text that they must and must not have, as
// expressions.
type expectation struct {
	Host  json.RawMessage `json:"host"` // facts of the machine that the document lacks
	Kinds []string        `json:"kinds"`
	Says  []string        `json:"says"`
	Never []string        `json:"never"`
}

func readJSON(t *testing.T, to any, parts ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, to))
}

// addFacts adds facts of a machine to a document.
func addFacts(t *testing.T, d *result.Document, facts json.RawMessage) {
	t.Helper()
	if facts != nil {
		require.NoError(t, json.Unmarshal(facts, &d.Host))
	}
}

// caseDocument returns the document of a case, with the facts of its tree if it has one.
func caseDocument(t *testing.T, folder string) *result.Document {
	t.Helper()
	d := documentOf(t, filepath.Join(folder, "results.json"))
	tree := filepath.Join("testdata", folder, "tree")
	if _, err := os.Stat(tree); err == nil {
		saved := d.Host
		d.Host = host.At(tree)
		d.Host.TimeSync = saved.TimeSync
		if d.Host.Virtualization == nil { // which the CPU shows, and no file
			d.Host.Virtualization = saved.Virtualization
		}
	}
	return d
}

func TestCasesWithMeasuredClocks(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*/results.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		folder := filepath.Join("cases", filepath.Base(filepath.Dir(file)))
		var all []expectation
		readJSON(t, &all, "testdata", folder, "expect.json")
		require.NotEmpty(t, all, folder)
		for i, want := range all {
			t.Run(fmt.Sprint(folder, " ", i), func(t *testing.T) {
				require.NotEmpty(t, slices.Concat(want.Kinds, want.Says, want.Never), "add kinds, says or never to expect.json")
				d := caseDocument(t, folder)
				addFacts(t, d, want.Host)
				require.Subset(t, strings.Fields(kindsOf(d)), want.Kinds)
				holds(t, said(d), want.Says, want.Never)
				rules(t, d)
			})
		}
	}
}
