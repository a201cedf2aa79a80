package terminal

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A run on time takes what was announced, one that lags takes longer, and nothing done early makes it shorter than
// what is left.
func TestExpectedTime(t *testing.T) {
	const estimate = 10 * time.Second
	for _, test := range []struct{ elapsed, done, want time.Duration }{
		{0, 0, 10 * time.Second},
		{20 * time.Second, 0, 20 * time.Second},
		{5 * time.Second, 5 * time.Second, 10 * time.Second},
		{10 * time.Second, 5 * time.Second, 17500 * time.Millisecond},
		{18 * time.Second, 9 * time.Second, 19900 * time.Millisecond},
		{time.Second, 5 * time.Second, 6 * time.Second},
		{12 * time.Second, 11 * time.Second, 12 * time.Second},
	} {
		require.InDelta(t, test.want.Seconds(), expected(test.elapsed, test.done, estimate).Seconds(), 1e-6, "%+v", test)
	}
}
