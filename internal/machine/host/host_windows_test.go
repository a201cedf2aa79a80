package host

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/wintime"
	"golang.org/x/sys/windows"
)

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
// shows whether a read enters the kernel. Without the page that is unknown, and without a shared page all but the rate.
func TestQPC(t *testing.T) {
	yes, no := true, false
	const firstWord, secondWord = 0, 8
	flags := func(flags byte) uintptr { return planted(t, map[uintptr]byte{0x3c6: flags}) }
	valid := planted(t, map[uintptr]byte{firstWord: 1})
	for name, test := range map[string]struct {
		shared, page uintptr
		through      bool
		userMode     *bool
	}{
		"valid":             {flags(0x83), valid, true, &yes},
		"valid, 2^24":       {flags(0x83), planted(t, map[uintptr]byte{firstWord + 3: 1}), true, &yes},
		"not valid":         {flags(0x83), planted(t, map[uintptr]byte{secondWord: 0xff}), true, &no},
		"not there":         {flags(0x83), 0, true, nil},
		"not readable":      {flags(0x83), 0x1000, true, nil},
		"not a page":        {flags(0x83), planted(t, nil) + 2, true, nil},
		"kernel memory":     {flags(0x83), ^(^uintptr(0) >> 1), true, nil},
		"a machine":         {flags(0x81), 0, false, &yes},
		"the bypass is off": {flags(0x82), valid, false, &no},
		"no shared page":    {0x1000, 0, false, nil},
	} {
		require.Equal(t, &result.QPC{Hz: wintime.PerformanceFrequency(), HypervisorPage: test.through, UserMode: test.userMode},
			qpc(wintime.Page(test.shared), wintime.HypervisorPage(test.page), false), name)
	}
	require.Nil(t, qpc(wintime.Page(flags(0x80)), 0, true).UserMode, "Wine leaves the flags empty")
}

// InvariantTSC is never unknown: a CPU without the leaf does not promise it.
func TestInvariantTSCIsTold(t *testing.T) {
	require.Equal(t, strings.Contains("386 amd64", runtime.GOARCH), Facts().CPU.InvariantTSC != nil)
}
