package readers

import (
	"bytes"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/test/need"
)

func TestReaders(t *testing.T) {
	for _, language := range Languages {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			program := Build(t, language)
			t.Run("counts", func(t *testing.T) { counts(t, program) })
			t.Run("bad arguments", func(t *testing.T) { badArguments(t, program) })
			t.Run("nothing is left", func(t *testing.T) { nothingIsLeft(t, program) })
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
				require.Zero(t, report.ShareByRest)
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

func badArguments(t *testing.T, program *Program) {
	bad := [][]string{
		{}, {"rdtsc", "10", "1", "1"}, {"vdso", "101", "1", "1"}, {"vdso", "x", "1", "1"}, {"vdso", "nan", "1", "1"}, {"none", "1", "1", "1"},
		{"vdso", "1", "0", "1"}, {"vdso", "1", "1.5", "1"}, {"vdso", "1", "1", "-1"}, {"vdso", "1", "1", "1", "-w"},
		{"vdso", "1", "1", "1", "-read-ns"}, {"vdso", "1", "1", "1", "-read-ns", "0"},
	}
	if !slices.Contains(program.Reads, "syscall") {
		bad = append(bad, []string{"syscall", "10", "1", "1"})
	}
	for _, args := range bad {
		var stdout, stderr bytes.Buffer
		command := program.process(args...)
		command.Stdout, command.Stderr = &stdout, &stderr
		var exit *exec.ExitError
		require.ErrorAs(t, command.Run(), &exit, args)
		require.Equal(t, 2, exit.ExitCode(), args)
		require.Empty(t, stdout.String(), args)
		require.Regexp(t, `^reader: [^\n]+\n$`, stderr.String(), args)
	}
}

// A program whose test ends, or whose parent is gone, does not stay.
func nothingIsLeft(t *testing.T, program *Program) {
	var pids []int
	t.Run("abandoned", func(t *testing.T) {
		waiting := program.Start(t, Options{Read: "none", Seconds: 1000})
		running := program.Start(t, Options{Read: "none", Threads: 4, Seconds: 1000})
		running.Go()
		pids = []int{waiting.PID(), running.PID()}
		for _, pid := range pids {
			require.NoError(t, syscall.Kill(pid, 0))
		}
	})
	for _, pid := range pids {
		require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
	}
	var exit *exec.ExitError
	require.ErrorAs(t, program.process("none", "0", "1", "1000", "-wait").Run(), &exit, "standard input is at its end")
	require.Equal(t, 1, exit.ExitCode())
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
	require.Equal(t, Samples{Count: 10, VDSO: 2. / 10, Clock: 1. / 10, Syscall: 5. / 10}, ParseScript(script))
	require.Zero(t, ParseScript("\n"))
}

// someSamples returns what perf samples of a process in the first window that has enough of them. On a busy machine the process
// may have no CPU throughout a short one.
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

// perf tells a program that reads from one that does not.
func TestPerf(t *testing.T) {
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
	if shares[100].VDSO+shares[100].Clock == 0 {
		need.Missing(t, "vdso", "no sample is in the vDSO")
	}
	require.Greater(t, shares[100].VDSO+shares[100].Clock, shares[0].VDSO)
}

// At 1 percent of one CPU, 400 samples take 41 s.
func TestSeconds(t *testing.T) {
	given := *window
	t.Cleanup(func() { *window = given })
	*window = 0
	require.Equal(t, 41.0, (&row{percent: 1, threads: 1}).seconds())
	require.Equal(t, 5.0, (&row{percent: 90, threads: 1}).seconds())
}

// A trial is of use if the costs are the same at both ends, and the CPU time is theirs.
func TestSteady(t *testing.T) {
	change := func(x float64) *float64 { return &x }
	require.True(t, Report{Share: 0.41, ShareByReads: 0.4, Change: change(-0.02)}.Steady())
	require.False(t, Report{Share: 0.41, ShareByReads: 0.4, Change: change(-0.04)}.Steady())
	require.False(t, Report{Share: 0.43, ShareByReads: 0.4, Change: change(0)}.Steady(), "it cost more meanwhile")
	require.False(t, Report{Share: 0.38, ShareByReads: 0.4, Change: change(0)}.Steady(), "it cost less meanwhile")
	require.True(t, Report{Share: 0.45, ShareByReads: 0.4}.Steady(), "Python's calls vary")
	require.False(t, Report{Share: 0.41, ShareByReads: 0.4, ReadChange: 0.17}.Steady())
	require.True(t, Report{Change: change(0)}.Steady(), "it reads no clock")
}

func TestTable(t *testing.T) {
	most, some := 0.45, 0.41
	r := row{language: "c", read: "vdso", percent: 40, threads: 1, repeated: 7}
	r.add(trial{report: Report{Reads: 16e6, WallNS: 1e9, CPUNS: 9e8, Share: 0.4, ShareByReads: 0.39, ShareByRest: 0.42}, profile: &profile.Process{CPUsUsed: 0.9, ClockShare: &some, ReadsPerSecond: 17e6}, perf: &Samples{Count: 2900, VDSO: 0.405}})
	r.add(trial{report: Report{Reads: 16e6, WallNS: 1e9, CPUNS: 9e8, Share: 0.4, ShareByReads: 0.4}, profile: &profile.Process{CPUsUsed: 0.9, ClockShare: &most, ReadsPerSecond: 20e6}, failed: errors.New("perf record: not permitted")})
	var out bytes.Buffer
	require.NoError(t, write(&out, []*row{&r, {language: "go", read: "syscall", percent: 1, threads: 4}}))
	table := out.String()
	require.Contains(t, table, "1 of 2")
	require.Regexp(t, `1 of 2 +7 +40\.50`, table, "one of two within 10 %, and seven repeated")
	require.Contains(t, table, "+3.00", "1 and 5 beyond the range")
	require.Contains(t, table, "perf record: not permitted")
	require.Equal(t, 4, strings.Count(table, "\n"), table)
}
