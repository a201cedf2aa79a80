package clock

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryCounterIsPlainOrOrdered(t *testing.T) {
	for _, c := range counterClocks() {
		require.NotEqual(t, slices.Contains(PlainCounters, c.ID), slices.Contains(OrderedCounters, c.ID),
			"add %s to PlainCounters, or to OrderedCounters if it waits for earlier instructions", c.ID)
	}
}
