package diagnose_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/sections"
)

// loaded returns a document of testdata.
func loaded(t *testing.T, name string) *result.Document {
	t.Helper()
	d, err := sections.Load(filepath.Join("testdata", name))
	require.NoError(t, err)
	return d
}

// kindsOf returns the kinds of the findings on a document, in order.
func kindsOf(d *result.Document) string {
	var kinds []string
	for _, f := range diagnose.Findings(d) {
		kinds = append(kinds, f.Kind)
	}
	return strings.Join(kinds, " ")
}

// A worker that was late in a guest with many CPUs left CLOCK_MONOTONIC@vdso without figures. That
// does not mean that there is no vDSO.
func TestClockThatFailedIsNoMissingVDSO(t *testing.T) {
	d := loaded(t, "late-worker.json")
	require.Equal(t, "unsynchronised steal", kindsOf(d))
	_, told := diagnose.Told(d)
	require.False(t, told, "nothing was measured")
}
