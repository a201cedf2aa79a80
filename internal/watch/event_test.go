package watch

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// docs/watch.md has every kind of event, and every metric.
func TestDocs(t *testing.T) {
	content, err := os.ReadFile("../../docs/watch.md")
	require.NoError(t, err)
	for _, kind := range Kinds {
		require.Contains(t, string(content), "`"+kind+"`")
	}
	for _, f := range (&State{TimeSync: &result.TimeSync{Synchronised: true}}).Metrics() {
		require.Contains(t, string(content), "`"+f.Name)
	}
}
