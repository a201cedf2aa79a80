package vmclock

import (
	"encoding/binary"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// page returns a page as a hypervisor fills it, with these changes.
func page(changes ...func([]byte)) []byte {
	p := make([]byte, 4096)
	copy(p, "VCLK")
	binary.LittleEndian.PutUint32(p[4:], 4096)
	p[8], p[10] = version, 0xff
	for _, change := range changes {
		change(p)
	}
	return p
}

func put(offset int, value uint64) func([]byte) {
	return func(p []byte) { binary.LittleEndian.PutUint64(p[offset:], value) }
}

// updated is the number of updates, and the marker.
func updated(sequence uint32, marker uint64) func([]byte) {
	return func(p []byte) {
		binary.LittleEndian.PutUint32(p[12:], sequence)
		put(16, marker)(p)
	}
}

func ns(of int64) *int64 { return &of }

func TestParse(t *testing.T) {
	timed := func(p []byte) { p[10], p[11], p[34] = 1, 1, 2 }
	for name, c := range map[string]struct {
		page  []byte
		first uint64
		want  result.VMClock
	}{
		"QEMU, started":                {page(updated(2, 1)), FirstOfQEMU, result.VMClock{DisruptionMarker: "1", Status: "unknown"}},
		"QEMU, loaded three times":     {page(updated(8, 4)), FirstOfQEMU, result.VMClock{DisruptionMarker: "4", Disruptions: 3, Status: "unknown"}},
		"Firecracker, started":         {page(put(24, hasGeneration|1<<9)), FirstOfFirecracker, result.VMClock{DisruptionMarker: "0", Generation: "0", Status: "unknown"}},
		"Firecracker, restored":        {page(updated(2, 1), put(24, hasGeneration|1<<9), put(104, 1)), FirstOfFirecracker, result.VMClock{DisruptionMarker: "1", Disruptions: 1, Generation: "1", Status: "unknown"}},
		"a marker that does not count": {page(updated(8, math.MaxUint64)), FirstOfQEMU, result.VMClock{DisruptionMarker: "18446744073709551615", Status: "unknown"}},
		"updates without disruptions":  {page(updated(1000, 1)), FirstOfQEMU, result.VMClock{DisruptionMarker: "1", Status: "unknown"}},
		"with the time": {
			page(updated(1000, 7), timed, put(24, estimatedValid|maximumValid|dueInADay), put(88, 20_000), put(96, 50_000)), FirstOfQEMU,
			result.VMClock{DisruptionMarker: "7", Status: "synchronized", EstimatedErrorNS: ns(20_000), MaxErrorNS: ns(50_000), DisruptionDue: "a day"},
		},
		"errors that are not valid":  {page(timed, put(88, 20_000), put(96, 50_000)), FirstOfQEMU, result.VMClock{DisruptionMarker: "0", Status: "synchronized"}},
		"an error without end":       {page(put(24, maximumValid), put(96, math.MaxUint64)), FirstOfQEMU, result.VMClock{DisruptionMarker: "0", Status: "unknown"}},
		"due in an hour, unreliable": {page(put(24, dueInADay|dueInAnHour), func(p []byte) { p[34] = 4 }), FirstOfQEMU, result.VMClock{DisruptionMarker: "0", Status: result.UnreliableVMClock, DisruptionDue: "an hour"}},
		"values of a later version":  {page(func(p []byte) { p[10], p[11], p[34] = 9, 8, 7 }), FirstOfQEMU, result.VMClock{DisruptionMarker: "0", Status: "7"}},
		"the shortest page": {
			page(func(p []byte) { p[4], p[5] = minSize, 0 }, timed, put(24, hasGeneration|estimatedValid|maximumValid), put(104, 5)), FirstOfQEMU,
			result.VMClock{DisruptionMarker: "0"},
		},
		"recorded in part": {page(put(24, hasGeneration), put(104, 5))[:100], FirstOfQEMU, result.VMClock{DisruptionMarker: "0", Status: "unknown"}},
	} {
		got, err := Parse(c.page, c.first)
		require.NoError(t, err, name)
		require.Equal(t, &c.want, got, name)
	}
}

func TestParseRefuses(t *testing.T) {
	ones := make([]byte, 4096)
	for i := range ones {
		ones[i] = 0xff
	}
	for want, p := range map[string][]byte{
		"a page of 0 bytes; the shortest has 32":               {},
		"a page of 31 bytes; the shortest has 32":              page()[:31],
		"the page begins with 0xffffffff instead of VCLK":      ones,
		"the page begins with 0x0 instead of VCLK":             make([]byte, 4096),
		"the page has version 65535; version 1 is supported":   page(func(p []byte) { p[8], p[9] = 0xff, 0xff }),
		"the page has a size of 31 bytes; the shortest has 32": page(func(p []byte) { p[4], p[5] = 31, 0 }),
		"the hypervisor is updating the page":                  page(updated(3, 1)),
	} {
		_, err := Parse(p, FirstOfQEMU)
		require.EqualError(t, err, want)
	}
}

// FuzzParse checks that no page ends the program or proves more disruptions than it has updates, and that a document
// may have all figures.
func FuzzParse(f *testing.F) {
	f.Add(page())
	f.Add(page(updated(8, 4), put(24, math.MaxUint64), put(88, math.MaxUint64), put(96, 1)))
	f.Add([]byte("VCLK"))
	f.Fuzz(func(t *testing.T, p []byte) {
		clock, err := Parse(p, FirstOfQEMU)
		if err != nil {
			require.Nil(t, clock)
			return
		}
		marker, err := strconv.ParseUint(clock.DisruptionMarker, 10, 64)
		require.NoError(t, err)
		require.LessOrEqual(t, uint64(clock.Disruptions), marker)
		for _, of := range []*int64{clock.EstimatedErrorNS, clock.MaxErrorNS} {
			if of != nil {
				require.LessOrEqual(t, *of, int64(maxError))
				require.GreaterOrEqual(t, *of, int64(0))
			}
		}
	})
}
