package wake

import (
	"fmt"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/windows"
)

// A way that nothing refers to has no handle open.
func TestHandlesAreClosed(t *testing.T) {
	open := func() (handles uint32) {
		got, _, err := kernel32.NewProc("GetProcessHandleCount").Call(uintptr(windows.CurrentProcess()),
			uintptr(unsafe.Pointer(&handles)))
		require.NotZero(t, got, err)
		return handles
	}
	sleepBriefly := func() {
		for _, way := range systemWays {
			if sleep, err := way.open(); err == nil {
				_, err = sleep.sleep(int64(time.Millisecond))
				require.NoError(t, err, way.ID)
			}
		}
	}
	sleepBriefly() // the threads of the pool have handles too
	const times = 50
	before := open()
	for range times {
		sleepBriefly()
	}
	need.Until(t, fmt.Sprintf("fewer handles than %d", before+times), func() bool {
		runtime.GC()
		return open() < before+times
	})
}
