package host

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/wintime"
	"golang.org/x/sys/windows"
)

// Without a shared page, it is unknown how QueryPerformanceCounter is read, and whether it enters the kernel. The rate
// is known.
func TestQPCWithoutTheSharedPage(t *testing.T) {
	for _, wine := range []bool{false, true} {
		require.Equal(t, &result.QPC{Hz: wintime.PerformanceFrequency()}, qpc(0x1000, 0, wine))
	}
}

// planted returns the address of a page of this process, with bytes at offsets.
func planted(t *testing.T, bytes map[uintptr]byte) uintptr {
	t.Helper()
	address, err := windows.VirtualAlloc(0, 4096, windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_READWRITE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, windows.VirtualFree(address, 0, windows.MEM_RELEASE)) })
	for offset, value := range bytes {
		at := address + offset
		*(*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))) = value
	}
	return address
}

// The bypass through the hypervisor page (flags 0x83, as on current versions of Windows): the first word of that page
// shows whether a read enters the kernel. Without the page that is unknown.
func TestQPCThroughTheHypervisorPage(t *testing.T) {
	yes, no := true, false
	const flags, firstWord, secondWord = 0x3c6, 0, 8
	shared := wintime.Page(planted(t, map[uintptr]byte{flags: 0x83}))
	for name, test := range map[string]struct {
		page     uintptr
		userMode *bool
	}{
		"valid":         {planted(t, map[uintptr]byte{firstWord: 1}), &yes},
		"valid, 2^24":   {planted(t, map[uintptr]byte{firstWord + 3: 1}), &yes},
		"not valid":     {planted(t, map[uintptr]byte{secondWord: 0xff}), &no},
		"not there":     {0, nil},
		"not readable":  {0x1000, nil},
		"not a page":    {planted(t, nil) + 2, nil},
		"kernel memory": {^(^uintptr(0) >> 1), nil},
	} {
		require.Equal(t, &result.QPC{Hz: wintime.PerformanceFrequency(), HypervisorPage: true, UserMode: test.userMode},
			qpc(shared, wintime.HypervisorPage(test.page), false), name)
	}
	off := wintime.Page(planted(t, map[uintptr]byte{flags: 0x82}))
	require.Equal(t, &no, qpc(off, wintime.HypervisorPage(planted(t, map[uintptr]byte{firstWord: 1})), false).UserMode, "the bypass is off")
}
