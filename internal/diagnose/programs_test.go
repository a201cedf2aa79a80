package diagnose

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/show/table"
)

// reading returns a program with this share of its CPU time in reads.
func reading(command string, share, low float64) profile.Process {
	return profile.Process{PID: 812, Command: command, ClockShare: &share, Samples: 500, UserShare: share, ClockShareLow: low, ClockShareHigh: share + share - low, ClockCPUs: share, ReadsPerSecond: 1.4e6}
}

func profiled(source, entry string, programs ...profile.Process) *result.Document {
	d := &result.Document{Host: result.Host{ClockSource: &result.ClockSource{Current: source}}}
	d.Put(&compare.Costs{Clocks: []compare.Clock{{
		ID: "CLOCK_MONOTONIC@vdso", Path: "vdso", Available: true, KernelEntry: entry, KernelEntryBy: "seccomp", Latency: &compare.Latency{MedianNS: 1200, MinNS: 1200},
	}}})
	d.Put(&profile.Profile{Processes: programs, KernelEntry: entry})
	return d
}

// Under a slow clock source the affected programs are evidence.
func TestProgramsUnderASlowClockSource(t *testing.T) {
	unknown := profile.Process{Command: "secret", ClockShareHigh: 1, ClockCPUs: 1}
	idle := reading("cron", 0.9, 0.8)
	idle.ClockCPUs = 0.0001
	short := reading("date", 0.8, 0.3)
	short.Samples = 6
	findings := Findings(profiled("hpet", result.Always, reading("postgres", 0.31, 0.3), reading("sshd", 0.05, 0.01), unknown, idle, short))
	require.Len(t, findings, 1)
	require.Equal(t, "kernel-entry", findings[0].Kind)
	require.Contains(t, findings[0].Evidence, "postgres (pid 812) spends 31 % of its CPU time on reading clocks (95% CI: 30 % to 32 %), with about 1.4 M/s")
	for _, line := range findings[0].Evidence {
		require.NotRegexp(t, "sshd|secret|cron|date", line)
	}
}

// On a healthy machine a program with many reads is a warning and named in the first line. A program with some reads is
// a note.
func TestProgramsOnAHealthyMachine(t *testing.T) {
	require.Empty(t, Findings(profiled("tsc", result.Never, reading("postgres", 0.02, 0.015))))
	d := profiled("tsc", result.Never, reading("postgres", 0.09, 0.08))
	compare.Into(d).Clocks[0].Latency.MedianNS = 22
	d.Findings = Findings(d)
	require.Len(t, d.Findings, 1)
	require.Equal(t, result.Note, d.Findings[0].Severity)
	answer, level := Answer(d)
	require.Equal(t, "Reading the clock is fast: 22 ns per read, in user mode (clock source tsc).", answer)
	require.Equal(t, table.OK, level)

	idle := reading("cron", 0.9, 0.8)
	idle.ClockCPUs = 0.015
	d = profiled("tsc", result.Never, reading("postgres", 0.09, 0.08), idle)
	compare.Into(d).Clocks[0].Latency.MedianNS = 22
	d.Findings = Findings(d)
	require.Equal(t, result.Note, d.Findings[0].Severity, "a program that hardly runs")
	answer, _ = Answer(d)
	require.NotContains(t, answer, "cron")

	d = profiled("tsc", result.Never, reading("postgres", 0.09, 0.08), reading("java", 0.2, 0.11))
	compare.Into(d).Clocks[0].Latency.MedianNS = 22
	d.Host.TimeSync = &result.TimeSync{MaxErrorNS: 16e9}
	findings := Findings(d)
	require.Len(t, findings, 2)
	require.Equal(t, "unsynchronised", findings[1].Kind, "the program comes first")
	d.Findings = findings
	answer, level = Answer(d)
	require.Equal(t, "Reading the clock is fast: 22 ns per read, in user mode (clock source tsc); java spends 20 % of its CPU time on reading clocks.", answer)
	require.Equal(t, table.Warn, level)
	require.Equal(t, []string{"heavy-readers", result.Warn, "java spends 20 % of its CPU time on reading clocks"}, []string{findings[0].Kind, findings[0].Severity, findings[0].Title})
	require.Len(t, findings[0].Evidence, 1)
	require.Contains(t, findings[0].Evidence[0], "java (pid 812) spends 20 %")
	require.NotEmpty(t, findings[0].Remedies)
	require.Contains(t, findings[0].Cause, "The program makes many")
}

// Another run of timebench, which reads clocks to measure them, is part of the load and no finding.
func TestAnotherTimebenchIsNoFinding(t *testing.T) {
	d := profiled("tsc", result.Never, reading("timebench", 0.6, 0.59))
	compare.Into(d).Clocks[0].Latency.MedianNS = 22
	require.Empty(t, Findings(d))
	answer, level := Answer(d)
	require.Equal(t, "Reading the clock is fast: 22 ns per read, in user mode (clock source tsc).", answer)
	require.Equal(t, table.OK, level)
	d.Host.CPU.Usable, d.Conditions = 2, &result.Conditions{DurationNS: 1e9, OtherCPUs: 1}
	warnings := Warnings(d)
	require.Len(t, warnings, 1)
	require.Equal(t, "other programs (also another timebench) used 1.00 of 2 CPUs during the run", warnings[0].Saw)
}

// Clocks of CPU time enter the kernel under any clock source, and a system call always does. If it is unknown whether
// reads enter the kernel, the finding does not call them fast.
func TestWhyProgramsReadMuch(t *testing.T) {
	for name, c := range map[string]struct {
		entry                 string
		user, kernel, syscall float64
		cause                 string
		coarse                bool
	}{
		"user mode":           {result.Never, 0.2, 0, 0, "as fast as the clock source allows", true},
		"clocks of CPU time":  {result.Never, 0.05, 0.15, 0, "such as the clocks of CPU time", false},
		"system calls":        {result.Never, 0.01, 0, 0.19, "makes system calls of clocks itself", true},
		"it is not known":     {result.Unknown, 0.02, 0.18, 0, "The program makes many reads.", true},
		"system calls, as is": {result.Unknown, 0.02, 0, 0.18, "The program makes many reads.", true},
	} {
		java := reading("java", 0.2, 0.11)
		java.UserShare, java.KernelShare, java.SyscallShare = c.user, c.kernel, c.syscall
		d := profiled("tsc", c.entry, java)
		costs := compare.Into(d)
		costs.Clocks = append(costs.Clocks, compare.Clock{
			ID: "CLOCK_REALTIME_COARSE@vdso", Path: "vdso", Available: true, KernelEntry: result.Never, Latency: &compare.Latency{MedianNS: 5, MinNS: 5},
		})
		findings := Findings(d)
		require.Len(t, findings, 1, name)
		require.Contains(t, findings[0].Cause, c.cause, name)
		require.Equal(t, c.coarse, len(findings[0].Remedies) > 1, name)
	}
}
