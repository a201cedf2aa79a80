package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBonferroni(t *testing.T) {
	require.InDelta(t, 0.06, Bonferroni(0.5, 0.02, 0.03), 1e-9)
	require.Equal(t, 1.0, Bonferroni(0.6, 0.9))
	require.Equal(t, 0.04, Bonferroni(0.04))
}
