//go:build amd64 || arm64

package clock

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/machine/wintime"
	"golang.org/x/sys/windows"
)

// pageWith returns the address of a new page with a byte at an offset.
func pageWith(t *testing.T, offset uintptr, value byte) uintptr {
	t.Helper()
	address, err := windows.VirtualAlloc(0, 4096, windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_READWRITE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, windows.VirtualFree(address, 0, windows.MEM_RELEASE)) })
	at := address + offset
	*(*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))) = value
	return address
}

// What the pages say decides which loops are inside a read of QueryPerformanceCounter. Each runs by the convention of Windows.
func TestStepsOfQueryPerformanceCounter(t *testing.T) {
	const flags, off, on, byHypervisor = 0x3c6, 0, 0x81, 0x83
	for name, test := range map[string]struct {
		flags, hypervisor byte
		first             string // what the first step adds
	}{
		"in user mode":               {on, 0, "read the counter"},
		"by the hypervisor page":     {byHypervisor, 1, "read the counter"},
		"that page is not valid":     {byHypervisor, 0, "the system call"},
		"the bypass is switched off": {off, 1, "the system call"},
	} {
		steps, last := counterSteps(wintime.Page(pageWith(t, flags, test.flags)), wintime.HypervisorPage(pageWith(t, 0, test.hypervisor)))
		require.Len(t, steps, 1, name)
		require.NotEmpty(t, last, name)
		require.Contains(t, steps[0].Adds, test.first, name)
		var failed error // the test ends on its own goroutine only
		require.NoError(t, thread.Run(thread.Any, func() {
			reader, err := steps[0].Open()
			if failed = err; err == nil {
				reader.Spin(100)
				failed = Failure(reader)
			}
		}))
		require.NoError(t, failed, name)
	}
	steps, _ := counterSteps(0x1000, 0)
	require.Empty(t, steps, "no page")
	steps, _ = counterSteps(wintime.Page(pageWith(t, flags, byHypervisor)), 0)
	require.Empty(t, steps, "no hypervisor page")
}
