//go:build !linux

package host

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// It is never unknown: a CPU that has no such leaf does not promise it.
func TestInvariantTSCIsTold(t *testing.T) {
	require.NotNil(t, Facts().CPU.InvariantTSC)
}
