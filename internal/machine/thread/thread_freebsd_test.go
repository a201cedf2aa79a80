//go:build amd64 || arm64 || riscv64

package thread

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPinsToEachUsableCPU(t *testing.T) {
	usable := Usable()
	require.NotEmpty(t, usable)
	for _, cpu := range usable {
		require.NoError(t, Run(cpu, func() { require.Equal(t, cpu, Current()) }))
	}
	require.NoError(t, Run(Any, func() { require.Equal(t, usable, cpusOf(whichThread)) }))
	require.Error(t, Run(1023, func() {}))
	require.Equal(t, usable, Usable())
}
