//go:build !windows

package wintime

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRaiseTimerSaysThatItIsForWindows(t *testing.T) {
	_, err := RaiseTimer(time.Millisecond)
	require.EqualError(t, err, "only Windows has a system timer whose period a program can set")
}
