//go:build amd64 || arm64

package clock

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/test/need"
)

// Each step opens and spins, and a clock that is a step has its own id.
func TestStepsOfTheCallsThatProgramsReadMost(t *testing.T) {
	if _, err := vdso.Lookup("clock_gettime"); err != nil {
		need.Missing(t, "vdso", err.Error())
	}
	catalog := map[string]Clock{}
	for _, c := range Catalog() {
		catalog[c.ID] = c
	}
	for _, call := range []string{"CLOCK_REALTIME", "CLOCK_MONOTONIC", "gettimeofday"} {
		for _, path := range []string{"@vdso", "@syscall"} {
			c, enters := catalog[call+path], result.Always
			steps := c.Layers(enters)
			last := steps[len(steps)-1]
			require.Equal(t, "enter and leave the kernel", steps[0].Adds)
			require.Contains(t, steps[len(steps)-2].Adds, "read the clock source")
			require.Equal(t, c.ID, last.ID)
			require.Equal(t, "call and return of the wrapper", last.Adds)
			for _, s := range steps {
				require.NotEmpty(t, s.Adds)
				requireSpins(t, s)
			}
		}
		for _, enters := range []string{result.Unknown, result.Sometimes, ""} {
			require.Empty(t, catalog[call+"@vdso"].Layers(enters), enters)
		}
		inUserMode := catalog[call+"@vdso"].Layers(result.Never)
		require.Equal(t, FloorID, inUserMode[0].ID)
		require.Contains(t, inUserMode[len(inUserMode)-1].Adds, "convert (sequence, multiply)")
	}
	require.Empty(t, catalog["CLOCK_TAI@vdso"].Layers(result.Never))
	require.Empty(t, catalog["time.Now@go"].Layers(""))
}

// If the vDSO orders the counter in an unknown way, the order is no layer of its own.
func TestUnknownOrderIsPartOfTheRest(t *testing.T) {
	steps, last := byCounter(result.Never, "by an instruction of the future")
	require.Len(t, steps, 2)
	require.Equal(t, "in order, convert (sequence, multiply)", last)
	require.Empty(t, orderIn(nil))
}

// An LFENCE or ISB after the counter orders nothing before it.
func TestOrderOfTheCounter(t *testing.T) {
	for code, want := range map[string]map[string]string{
		"amd64": {"\x90\x0f\x01\xf9\x90": "RDTSCP", "\x90\x0f\xae\xe8\x0f\x31": "LFENCE", "\x0f\x31\x0f\xae\xe8": ""},
		"arm64": {
			"\x1f\x20\x03\xd5\xdf\x3f\x03\xd5\x42\xe0\x3b\xd5": "ISB",
			"\x1f\x20\x03\xd5\x42\xe0\x3b\xd5\xdf\x3f\x03\xd5": "",
		},
	}[runtime.GOARCH] {
		require.Equal(t, want, orderIn([]byte(code)), "%x", code)
	}
}
