package watch

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/watch.md has every kind of event, and every metric.
func TestDocs(t *testing.T) {
	content, err := os.ReadFile("../../docs/watch.md")
	require.NoError(t, err)
	for _, kind := range Kinds {
		require.Contains(t, string(content), "`"+kind+"`")
	}
	synced := true
	for _, f := range (&State{Synchronised: &synced}).Metrics() {
		require.Contains(t, string(content), "`"+f.Name)
	}
}
