//go:build !linux

package host

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// InvariantTSC is never unknown: a CPU without the leaf does not promise it.
func TestInvariantTSCIsTold(t *testing.T) {
	require.NotNil(t, Facts().CPU.InvariantTSC)
}
