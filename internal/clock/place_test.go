//go:build (linux || windows) && (amd64 || arm64)

package clock

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestPlacesAreAwayFromTheStartsOfPages(t *testing.T) {
	for range 100 {
		place := newPlace()
		require.Len(t, place, placeWords)
		require.Equal(t, uintptr(pageBytes/2), uintptr(unsafe.Pointer(&place[0]))%pageBytes)
	}
}
