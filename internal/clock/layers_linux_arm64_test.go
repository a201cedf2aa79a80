package clock

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOrderOfTheCounter(t *testing.T) {
	isb, mrs, nop := []byte{0xdf, 0x3f, 0x03, 0xd5}, []byte{0x42, 0xe0, 0x3b, 0xd5}, []byte{0x1f, 0x20, 0x03, 0xd5}
	require.Equal(t, "ISB", orderIn(append(append(nop, isb...), mrs...)))
	require.Empty(t, orderIn(append(append(nop, mrs...), isb...)), "ISB after the counter orders nothing before it")
}
