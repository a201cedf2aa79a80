//go:build linux || windows || darwin

package clock

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestPlacesAreAwayFromTheStartsOfPages(t *testing.T) {
	for _, words := range []int{1, leastWords, 100, 511, 512, 513, 20_000} {
		for range 20 {
			place := newResultBuffer(words)
			require.Len(t, place, max(words, leastWords))
			require.Equal(t, uintptr(pageBytes/2), uintptr(unsafe.Pointer(&place[0]))%pageBytes)
		}
	}
}
