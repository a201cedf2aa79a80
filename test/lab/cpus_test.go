//go:build lab && linux

package lab

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/verify"
)

// otherCPUs are machines with CPUs that docs/lab.md does not compare.
var otherCPUs = []world{
	{
		name: "riscv64", arch: "riscv64", emulator: "qemu-system-riscv64", source: "riscv_clocksource", vdso: result.Never,
		// The kernel's tests of ciphers take CPU time for a minute.
		machine: machine("-machine virt -cpu rv64", 1024, 2, "ttyS0", "cryptomgr.notests=1"),
	},
	{
		name: "386", arch: "386", emulator: "qemu-system-i386", source: "tsc", vdso: result.Never,
		machine: machine("-cpu max,+invtsc", 1024, 2, "ttyS0", "tsc=reliable wait=tsc"),
	},
	{
		name: "arm", arch: "arm", emulator: "qemu-system-arm", source: "arch_sys_counter", vdso: result.Never,
		machine: machine("-M virt -cpu cortex-a15", 1024, 2, "ttyAMA0", ""),
	},
	{
		name: "s390x", arch: "s390x", emulator: "qemu-system-s390x", source: "tod", vdso: result.Never,
		machine: machine("-M s390-ccw-virtio -cpu max", 1024, 2, "ttysclp0", ""),
	},
	{
		name: "ppc64le", arch: "ppc64le", emulator: "qemu-system-ppc64", source: "timebase", vdso: result.Never,
		machine: machine("-M pseries -cpu power9 -vga none", 1024, 2, "hvc0", ""),
	},
}

// otherScript is the script of otherCPUs. A release has the same binary for them.
const otherScript = `
run sources cat $sources/available_clocksource
run compare timebench compare --format json --rounds 6 --throughput-time 5ms --threads 1,2 \
  @vdso @cpu CLOCK_MONOTONIC@syscall time.Now@go
run current cat $sources/current_clocksource
run doctor timebench doctor --format json
run verify timebench verify --format json CLOCK_MONOTONIC@vdso @cpu
`

func TestOtherCPUs(t *testing.T) {
	for _, w := range otherCPUs {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			said := w.run(t, otherScript)
			w.checkClocks(t, said)
			w.checkDoctor(t, said["doctor"])
			d := document(t, said["compare"])
			require.Equal(t, w.arch, d.Host.Arch)
			counters := 0
			for _, c := range compare.Of(d).Clocks {
				if strings.HasSuffix(c.ID, "@cpu") && c.Available {
					require.NotNil(t, c.Latency, c.ID)
					counters++
				}
			}
			require.Positive(t, counters)
			require.Len(t, verify.Of(document(t, said.ok(t, "verify"))).Clocks, 1+counters)
		})
	}
}
