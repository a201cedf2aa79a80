package readers

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

func TestReaders(t *testing.T) {
	need.Minutes(t)
	for _, language := range Languages {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			counts(t, Build(t, language))
		})
	}
}

func counts(t *testing.T, program *Program) {
	for _, read := range program.Reads {
		shares := map[float64]float64{}
		for _, percent := range []float64{0, 10, 90} {
			report := program.Start(t, Options{Read: read, Percent: percent, Seconds: 0.2}).End()
			t.Logf("%s %g %%: %+v", read, percent, report)
			require.Positive(t, report.CPUNS)
			require.Positive(t, report.WallNS)
			if percent == 0 {
				require.Zero(t, report.Reads)
				require.Zero(t, report.Share)
				require.Zero(t, report.ShareByReads)
				require.Positive(t, report.Iterations)
				continue
			}
			require.Positive(t, report.Reads)
			require.Positive(t, report.ReadNS)
			require.Equal(t, program.Language == "c" || program.Language == "go", report.Change != nil)
			shares[percent] = report.ShareByReads
		}
		require.Greater(t, shares[90], shares[10], read)
	}
	threads := program.Start(t, Options{Read: "vdso", Percent: 100, Threads: 4, Seconds: 0.2}).End()
	require.Positive(t, threads.Reads)
	require.Zero(t, threads.Iterations, "at 100 percent there is nothing but reads")
}

func TestParseScript(t *testing.T) {
	const script = `
    7ffe00000a3b __vdso_clock_gettime ([vdso])
    7f0000001000 clock_gettime (/usr/lib/libc.so.6)

ffffffff81000000 read_hpet ([kernel.kallsyms])
ffffffff81000010 do_syscall_64 ([kernel.kallsyms])
    7ffe00000a3b __vdso_clock_gettime ([vdso])

ffffffff81000000 read_tsc ([kernel.kallsyms])
ffffffff81000008 __x64_sys_clock_gettime ([kernel.kallsyms])
ffffffff81000010 do_syscall_64 ([kernel.kallsyms])
    7f0000001000 syscall (/usr/lib/libc.so.6)

ffffffff81000010 do_syscall_64 ([kernel.kallsyms])
    7f0000001000 syscall (/usr/lib/libc.so.6)

    7f0000001000 syscall (/usr/lib/libc.so.6)
    555500001000 run (/tmp/reader-c)

ffffffff81000020 asm_sysvec_apic_timer_interrupt ([kernel.kallsyms])
    555500001000 arithmetic (/tmp/reader-c)

    555500002000 system_call (/tmp/reader-c)
    555500001000 run (/tmp/reader-c)

    555500002000 internal/runtime/syscall/linux.Syscall6 (/tmp/reader-go)
    555500001000 syscall.RawSyscall6 (/tmp/reader-go)

    555500001000 arithmetic (/tmp/reader-c)
    7ffe00000a3b __vdso_clock_gettime ([vdso])

    555500001000 arithmetic (/tmp/reader-c)
`
	require.Equal(t, Samples{Count: 10, VDSO: 2. / 10, Syscall: 5. / 10}, ParseScript(script))
	require.Zero(t, ParseScript("\n"))
}

// someSamples returns the samples of perf of a process in the first window with enough of them. On a busy machine the
// process may have no CPU throughout a short window.
func someSamples(t *testing.T, perf string, pid int) Samples {
	t.Helper()
	const enough = 20
	for seconds := 0.5; seconds <= 16; seconds *= 2 {
		samples, err := Perf(t, perf, pid, seconds)
		if err != nil {
			need.Missing(t, "perf", err.Error())
		}
		if samples.Count >= enough {
			return samples
		}
		t.Logf("perf has %d samples of process %d in %g s", samples.Count, pid, seconds)
	}
	require.Fail(t, "perf has too few samples of a process that is always busy")
	return Samples{}
}

// perf finds the program that reads.
func TestPerf(t *testing.T) {
	need.Minutes(t)
	perf := need.Program(t, "perf")
	program := Build(t, "c")
	shares := map[float64]Samples{}
	for _, percent := range []float64{0, 100} {
		running := program.Start(t, Options{Read: "vdso", Percent: percent, Seconds: 1000}) // until the test ends
		running.Go()
		shares[percent] = someSamples(t, perf, running.PID())
	}
	t.Logf("%+v", shares)
	require.Zero(t, shares[0].VDSO)
	if shares[100].VDSO+shares[100].Syscall == 0 {
		need.Missing(t, "vdso", "no sample is in the vDSO")
	}
	require.Greater(t, shares[100].VDSO+shares[100].Syscall, shares[0].VDSO)
}

// A trial is useful if the costs are the same at both ends, and their sum is the CPU time.
func TestSteady(t *testing.T) {
	change := func(x float64) *float64 { return &x }
	require.True(t, Report{Share: 0.41, ShareByReads: 0.4, Change: change(-0.02)}.Steady())
	require.False(t, Report{Share: 0.41, ShareByReads: 0.4, Change: change(-0.04)}.Steady())
	require.False(t, Report{Share: 0.43, ShareByReads: 0.4, Change: change(0)}.Steady(), "it cost more meanwhile")
	require.False(t, Report{Share: 0.38, ShareByReads: 0.4, Change: change(0)}.Steady(), "it cost less meanwhile")
	require.True(t, Report{Share: 0.45, ShareByReads: 0.4}.Steady(), "Java's calls vary")
	require.False(t, Report{Share: 0.41, ShareByReads: 0.4, ReadChange: 0.17}.Steady())
	require.True(t, Report{Change: change(0)}.Steady(), "it reads no clock")
}
