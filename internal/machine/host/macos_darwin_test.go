//go:build amd64 || arm64

package host

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMacOS(t *testing.T) {
	facts := macOS()
	require.Positive(t, facts.TimebaseNumerator)
	require.Positive(t, facts.TimebaseDenominator)
	require.Equal(t, runtime.GOARCH == "arm64", facts.UserMode != nil)
	require.False(t, facts.Translated && runtime.GOARCH == "arm64")
}
