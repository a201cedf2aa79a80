//go:build lab && linux

package lab

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/counter"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/test/need"
)

// skewedScript has the host move the time stamp counter of CPU 1, and checks that it is found.
const skewedScript = `
echo "### move the TSC" | say
run marked timeout 120 marked 1
run skew timebench skew --format json LFENCE+RDTSC@cpu
run verify timebench verify --format json LFENCE+RDTSC@cpu
run doctor timebench doctor --format json
`

// skewed returns a machine on which the host moves the time stamp counter of the CPU of marked by these ticks.
func skewed(ticks int64) world {
	w, moved := named("tsc"), false
	w.host = func(t testing.TB, _, line string, emulator *os.Process) {
		if strings.Contains(line, "### move the TSC") && !moved {
			moved = true
			at := tscOffset(t)
			for tries := 0; !moveTSC(t, emulator, at, ticks); tries++ { // until marked runs
				require.Less(t, tries, 100)
				time.Sleep(time.Second)
			}
		}
	}
	return w
}

// TestSkewedTSC has the time stamp counter of CPU 1 some 5 µs and 1 ms ahead, and 5 µs behind. Skew, verify and doctor
// find that. If the host is too busy for a check, they say so.
func TestSkewedTSC(t *testing.T) {
	for _, ticks := range []int64{13_000, -13_000, 2_600_000} {
		t.Run(strconv.FormatInt(ticks, 10), func(t *testing.T) {
			said := skewed(ticks).run(t, skewedScript)
			c := skew.Of(document(t, said["skew"])).Clocks[0]
			require.Positive(t, c.TicksPerSecond, c.Reason)
			ahead := float64(ticks) / c.TicksPerSecond * 1e9
			require.Equal(t, 1, len(c.Pairs)+len(c.MissingPairs))
			for _, p := range c.Pairs {
				t.Logf("%.0f ns ahead; skew: %.0f ± %.0f ns", ahead, p.OffsetNS, p.BoundNS)
				require.InDelta(t, ahead, p.OffsetNS, p.BoundNS)
			}

			size := math.Abs(ahead)
			v := verify.Of(document(t, said["verify"])).Clocks[0]
			warp := v.Fault(verify.FaultWarp)
			switch {
			case warp != nil:
				t.Logf("verify: a warp of %.0f ns", warp.WorstNS)
				require.LessOrEqual(t, warp.WorstNS, size)
			case v.Across != nil && v.Across.SmallestWarpNS > 0:
				t.Logf("verify: the smallest detectable warp is %.0f ns", v.Across.SmallestWarpNS)
				require.Greater(t, v.Across.SmallestWarpNS, size)
			default:
				require.NotEmpty(t, v.Reason)
			}

			d := document(t, said["doctor"])
			backwards := found(d, "backwards")
			t.Logf("doctor: found: %v, not checked: %v", backwards, d.NotChecked)
			t.Logf("counter: %s: %v", counter.Of(d).Verdict, counter.Of(d).Reasons)
			require.NotEqual(t, counter.Yes, counter.Of(d).Verdict)
			if s := skew.Of(d); s != nil && s.Worst() != nil && strings.Contains(s.Block(d).Faults[0], "@cpu") {
				require.Equal(t, counter.No, counter.Of(d).Verdict)
			}
			require.True(t, backwards != nil || slices.ContainsFunc(d.NotChecked, func(n result.NotChecked) bool {
				return n.What == "whether the CPUs have the same time"
			}))
		})
	}
}

// tscOffset returns the offset of tsc_offset in the CPUX86State of QEMU 7.2 (target/i386/cpu.h). QEMU adds it to the
// value of RDTSC, and ignores writes to the MSR TSC_ADJUST. The registers are first.
func tscOffset(t testing.TB) int64 {
	version := need.Output(t, exec.Command(need.Program(t, x86), "--version"))
	if !strings.HasPrefix(string(version), "QEMU emulator version 7.2.") {
		need.Missing(t, "tsc_offset", "where it is in the memory of "+string(version))
	}
	return 0x3400
}

// moveTSC adds ticks to the time stamp counter of the CPU on which marked runs, and ends marked. It returns whether
// marked was running.
func moveTSC(t testing.TB, emulator *os.Process, at, ticks int64) bool {
	var pattern []byte
	for register := uint64(8); register < 16; register++ {
		pattern = binary.LittleEndian.AppendUint64(pattern, 0x5eed0000c0ffee00|register<<32|register)
	}
	require.NoError(t, emulator.Signal(syscall.SIGSTOP))
	defer func() { require.NoError(t, emulator.Signal(syscall.SIGCONT)) }()
	memory, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", emulator.Pid), os.O_RDWR, 0)
	require.NoError(t, err)
	defer func() { _ = memory.Close() }()
	const registers = 8 * 8 // before r8
	moved := 0
	for line := range strings.Lines(string(content(t, fmt.Sprintf("/proc/%d/maps", emulator.Pid)))) {
		var from, to uint64
		var access string
		_, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &access)
		require.NoError(t, err)
		if !strings.HasPrefix(access, "rw") || to-from > 300<<20 { // not the memory of the machine
			continue
		}
		region := make([]byte, to-from)
		n, _ := memory.ReadAt(region, int64(from)) // some of it cannot be read
		region = region[:n]
		for begun := int64(0); ; begun += registers {
			i := bytes.Index(region[begun:], pattern)
			if i < 0 {
				break
			}
			begun += int64(i)
			if offset := begun - registers + at; offset+8 <= int64(n) && binary.LittleEndian.Uint64(region[offset:]) == 0 {
				_, err := memory.WriteAt(binary.LittleEndian.AppendUint64(nil, uint64(ticks)), int64(from)+offset)
				require.NoError(t, err)
				_, err = memory.WriteAt(make([]byte, 8), int64(from)+begun)
				require.NoError(t, err)
				moved++
			}
		}
	}
	require.LessOrEqual(t, moved, 1, "CPUs of the emulator that run marked")
	return moved == 1
}
