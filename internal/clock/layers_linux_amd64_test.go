package clock

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOrderOfTheCounter(t *testing.T) {
	require.Equal(t, "RDTSCP", orderIn([]byte{0x90, 0x0f, 0x01, 0xf9, 0x90}))
	require.Equal(t, "LFENCE", orderIn([]byte{0x90, 0x0f, 0xae, 0xe8, 0x0f, 0x31}))
	require.Empty(t, orderIn([]byte{0x0f, 0x31, 0x0f, 0xae, 0xe8}), "LFENCE after RDTSC orders nothing before it")
}
