package vmclock

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"golang.org/x/sys/unix"
)

// page returns a page as a hypervisor fills it, with these changes.
func page(changes ...func([]byte)) []byte {
	p := make([]byte, 4096)
	copy(p, "VCLK")
	binary.LittleEndian.PutUint32(p[4:], 4096)
	p[8], p[10] = 1, 0xff
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

// read returns the facts of a machine with this page.
func read(t *testing.T, page []byte, firecracker bool) *result.VMClock {
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "dev"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, device), page, 0o600))
	return Read(root, firecracker)
}

func TestParse(t *testing.T) {
	timed := func(p []byte) { p[10], p[11], p[34] = 1, 1, 2 }
	for name, c := range map[string]struct {
		page        []byte
		firecracker bool
		want        result.VMClock
	}{
		"QEMU, started":                {page(updated(2, 1)), false, result.VMClock{DisruptionMarker: "1", Status: "unknown"}},
		"QEMU, loaded three times":     {page(updated(8, 4)), false, result.VMClock{DisruptionMarker: "4", Disruptions: 3, Status: "unknown"}},
		"Firecracker, started":         {page(put(24, hasGeneration|1<<9)), true, result.VMClock{DisruptionMarker: "0", Generation: "0", Status: "unknown"}},
		"Firecracker, restored":        {page(updated(2, 1), put(24, hasGeneration|1<<9), put(104, 1)), true, result.VMClock{DisruptionMarker: "1", Disruptions: 1, Generation: "1", Status: "unknown"}},
		"a marker that does not count": {page(updated(8, math.MaxUint64)), false, result.VMClock{DisruptionMarker: "18446744073709551615", Status: "unknown"}},
		"updates without disruptions":  {page(updated(1000, 1)), false, result.VMClock{DisruptionMarker: "1", Status: "unknown"}},
		"with the time": {
			page(updated(1000, 7), timed, put(24, maximumValid), put(96, 50_000)), false,
			result.VMClock{DisruptionMarker: "7", Status: "synchronized", MaxErrorNS: ns(50_000)},
		},
		"an error that is not valid": {page(timed, put(96, 50_000)), false, result.VMClock{DisruptionMarker: "0", Status: "synchronized"}},
		"an error without end":       {page(put(24, maximumValid), put(96, math.MaxUint64)), false, result.VMClock{DisruptionMarker: "0", Status: "unknown"}},
		"unreliable":                 {page(func(p []byte) { p[34] = 4 }), false, result.VMClock{DisruptionMarker: "0", Status: result.UnreliableVMClock}},
		"values of a later version":  {page(func(p []byte) { p[10], p[11], p[34] = 9, 8, 7 }), false, result.VMClock{DisruptionMarker: "0", Status: "7"}},
		"the shortest page": {
			page(func(p []byte) { p[4], p[5] = minSize, 0 }, timed, put(24, hasGeneration|maximumValid), put(104, 5)), false,
			result.VMClock{DisruptionMarker: "0"},
		},
		"recorded in part": {page(put(24, hasGeneration), put(104, 5))[:100], false, result.VMClock{DisruptionMarker: "0", Status: "unknown"}},
	} {
		require.Equal(t, &c.want, read(t, c.page, c.firecracker), name)
	}
}

// A file that is not a page is a reason, and no wait.
func TestReadRefuses(t *testing.T) {
	ones := bytes.Repeat([]byte{0xff}, 4096)
	for name, p := range map[string][]byte{
		"empty": {}, "cut off": page()[:31], "ones": ones, "zeros": make([]byte, 4096),
		"a later version": page(func(p []byte) { p[8], p[9] = 1, 1 }),
	} {
		require.Regexp(t, "/dev/vmclock0: not a page of VMClock, version 1$", read(t, p, false).Reason, name)
	}
	root := t.TempDir()
	path := filepath.Join(root, device)
	require.Nil(t, Read(root, false), "no /dev")
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o755))
	require.Nil(t, Read(root, false), "no device")
	require.NoError(t, os.Mkdir(path, 0o755))
	require.Equal(t, &result.VMClock{Reason: path + ": is a directory"}, Read(root, false))
	require.NoError(t, os.Remove(path))
	require.NoError(t, unix.Mkfifo(path, 0o600))
	require.NotEmpty(t, Read(root, false).Reason)
	require.Nil(t, Read(path, false), "no folder")
}

// FuzzParse checks that no page ends the program or proves more disruptions than it has updates, and that a document
// may have all figures.
func FuzzParse(f *testing.F) {
	f.Add(page())
	f.Add(page(updated(8, 4), put(24, math.MaxUint64), put(96, math.MaxUint64)))
	f.Fuzz(func(t *testing.T, p []byte) {
		if len(p) < minSize {
			t.Skip("refused before")
		}
		clock := parse(p, 1)
		marker, err := strconv.ParseUint(clock.DisruptionMarker, 10, 64)
		require.NoError(t, err)
		require.LessOrEqual(t, uint64(clock.Disruptions), marker)
		if clock.MaxErrorNS != nil {
			require.LessOrEqual(t, *clock.MaxErrorNS, int64(maxError))
			require.GreaterOrEqual(t, *clock.MaxErrorNS, int64(0))
		}
	})
}
