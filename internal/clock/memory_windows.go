//go:build amd64 || arm64

package clock

import (
	"errors"

	"github.com/timebench/timebench/internal/machine/native"
	"github.com/timebench/timebench/internal/machine/wintime"
)

func memoryClocks(page wintime.Page) []Clock {
	memory := func(name string, offset uintptr, kind Kind, hz float64, reported func() float64) Clock {
		return Clock{
			ID: name + "@" + string(Memory), Call: "KUSER_SHARED_DATA." + name, Path: Memory, Kind: kind, Hz: hz,
			ReportedNS: reported, Coarse: true,
			Open: func() (Reader, error) { return openMemory(page, offset) },
		}
	}
	return []Clock{
		memory("SystemTime", wintime.SystemTime, Wall, filetime(), notReported),
		memory("InterruptTime", wintime.InterruptTime, Monotonic, filetime(), notReported),
		memory("TickCount", wintime.TickCount, Monotonic, page.TicksPerSecond(),
			func() float64 { return tickOf(page) }),
	}
}

func openMemory(page wintime.Page, offset uintptr) (Reader, error) {
	if err := page.Readable(); err != nil {
		return nil, err
	}
	if !page.Settles(offset) {
		return nil, errors.New("the page that the kernel shares with every process has no stable time there")
	}
	r := memoryReader{uintptr(page) + offset}
	ticks := make([]int64, 1)
	if r.Read(ticks); ticks[0] == 0 {
		return nil, errors.New("the kernel does not maintain this time in the page that it shares with every process")
	}
	return r, nil
}

// A memoryReader reads the KSYSTEM_TIME at an address that stays valid for the life of the
// process.
type memoryReader struct{ at uintptr }

func (r memoryReader) Spin(n int) { native.SpinKSystemTime(r.at, n) }

func (r memoryReader) Read(ticks []int64) { native.ReadKSystemTime(r.at, &ticks[0], len(ticks)) }
