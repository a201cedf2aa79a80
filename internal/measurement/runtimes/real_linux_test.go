package runtimes

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/ptrace"
	"github.com/timebench/timebench/test/need"
)

// reading are the clocks that each call reads on Linux, seen by strace in processes without a vDSO.
var reading = map[string]string{
	"System.currentTimeMillis@java": "CLOCK_REALTIME", "System.nanoTime@java": "CLOCK_MONOTONIC",
	"Instant.now@java":                           "CLOCK_REALTIME",
	"LocalDateTime.now@java":                     "CLOCK_REALTIME",
	"ThreadMXBean.getCurrentThreadCpuTime@java":  "CLOCK_THREAD_CPUTIME_ID",
	"ThreadMXBean.getCurrentThreadUserTime@java": "", // before JDK 26 a file of /proc

	"time.time@python3": "CLOCK_REALTIME", "time.time_ns@python3": "CLOCK_REALTIME",
	"time.monotonic@python3":    "CLOCK_MONOTONIC",
	"time.perf_counter@python3": "CLOCK_MONOTONIC", "time.process_time@python3": "CLOCK_PROCESS_CPUTIME_ID",
	"time.thread_time@python3": "CLOCK_THREAD_CPUTIME_ID",
	"datetime.now@python3":     "CLOCK_REALTIME",

	"Date.now@node": "gettimeofday", "new Date@node": "gettimeofday", "toISOString@node": "gettimeofday",
	"performance.now@node":       "CLOCK_MONOTONIC",
	"process.hrtime.bigint@node": "CLOCK_MONOTONIC", "process.uptime@node": "CLOCK_MONOTONIC CLOCK_MONOTONIC",

	"Date.now@bun": "CLOCK_REALTIME", "new Date@bun": "CLOCK_REALTIME", "toISOString@bun": "CLOCK_REALTIME",
	"performance.now@bun":       "CLOCK_MONOTONIC",
	"process.hrtime.bigint@bun": "CLOCK_MONOTONIC", "process.uptime@bun": "CLOCK_MONOTONIC",

	"Date.now@deno": "gettimeofday", "new Date@deno": "gettimeofday", "toISOString@deno": "gettimeofday",
	"performance.now@deno":       "CLOCK_MONOTONIC",
	"process.hrtime.bigint@deno": "CLOCK_MONOTONIC",

	"DateTime.UtcNow@dotnet": "CLOCK_REALTIME", "DateTime.Now@dotnet": "CLOCK_REALTIME",
	"DateTimeOffset.UtcNow@dotnet":  "CLOCK_REALTIME",
	"Stopwatch.GetTimestamp@dotnet": "CLOCK_MONOTONIC", "Environment.TickCount64@dotnet": "CLOCK_MONOTONIC_COARSE",

	"DateTime.UtcNow@netframework": "gettimeofday", "DateTime.Now@netframework": "gettimeofday",
	"DateTimeOffset.UtcNow@netframework":  "gettimeofday",
	"Stopwatch.GetTimestamp@netframework": "CLOCK_MONOTONIC",

	// After the sources of PowerShell and .NET.
	"Get-Date@pwsh": "CLOCK_REALTIME", "[DateTime]::UtcNow@pwsh": "CLOCK_REALTIME",
	"[DateTime]::Now@pwsh":                         "CLOCK_REALTIME",
	"[DateTimeOffset]::UtcNow@pwsh":                "CLOCK_REALTIME",
	"[Diagnostics.Stopwatch]::GetTimestamp()@pwsh": "CLOCK_MONOTONIC",
	"[Environment]::TickCount@pwsh":                "CLOCK_MONOTONIC_COARSE",

	"Time.now@ruby": "CLOCK_REALTIME", "Process.clock_gettime(CLOCK_REALTIME)@ruby": "CLOCK_REALTIME",
	"Process.clock_gettime(CLOCK_MONOTONIC)@ruby": "CLOCK_MONOTONIC",

	"time@php": "gettimeofday", "microtime(true)@php": "gettimeofday", "hrtime(true)@php": "CLOCK_MONOTONIC",
	"new DateTimeImmutable@php": "gettimeofday",

	"time@perl": "time", "Time::HiRes::time@perl": "gettimeofday",
	"Time::HiRes::clock_gettime(CLOCK_MONOTONIC)@perl": "CLOCK_MONOTONIC", "localtime@perl": "time",

	"os.time@lua": "time", "os.clock@lua": "CLOCK_PROCESS_CPUTIME_ID", "os.time@luajit": "time",
	"os.clock@luajit": "CLOCK_PROCESS_CPUTIME_ID",

	"clock_gettime(CLOCK_REALTIME)@c": "CLOCK_REALTIME", "clock_gettime(CLOCK_MONOTONIC)@c": "CLOCK_MONOTONIC",
	"clock_gettime(CLOCK_MONOTONIC_COARSE)@c": "CLOCK_MONOTONIC_COARSE", "gettimeofday@c": "gettimeofday",
	"time@c": "time", "clock@c": "CLOCK_PROCESS_CPUTIME_ID", "getrusage(RUSAGE_THREAD)@c": "getrusage",
	// musl calls clock_gettime for these.
	"clock_gettime(CLOCK_REALTIME)@musl":         "CLOCK_REALTIME",
	"clock_gettime(CLOCK_MONOTONIC)@musl":        "CLOCK_MONOTONIC",
	"clock_gettime(CLOCK_MONOTONIC_COARSE)@musl": "CLOCK_MONOTONIC_COARSE", "gettimeofday@musl": "CLOCK_REALTIME",
	"time@musl": "CLOCK_REALTIME", "clock@musl": "CLOCK_PROCESS_CPUTIME_ID",
	"getrusage(RUSAGE_THREAD)@musl": "getrusage",

	"std::chrono::system_clock::now@c++":          "CLOCK_REALTIME",
	"std::chrono::steady_clock::now@c++":          "CLOCK_MONOTONIC",
	"std::chrono::high_resolution_clock::now@c++": "CLOCK_REALTIME",
	"SystemTime::now@rust":                        "CLOCK_REALTIME", "Instant::now@rust": "CLOCK_MONOTONIC",
	"time.Now@go": "CLOCK_REALTIME CLOCK_MONOTONIC", "time.Since@go": "CLOCK_MONOTONIC",
}

// waiting are the system calls of sleeps of a millisecond; empty for those that several threads make.
var waiting = map[string]string{
	"Thread.sleep(ms)@java": "futex(deadline)", "Thread.sleep(ms, ns)@java": "futex(deadline)",
	"LockSupport.parkNanos@java": "futex(deadline)", "ScheduledExecutorService.schedule@java": "",
	"time.sleep@python3": "clock_nanosleep(deadline)", "threading.Event.wait@python3": "futex(deadline)",
	"asyncio.sleep@python3": "epoll_wait",
	"setTimeout@node":       "epoll_pwait",
	"setTimeout@bun":        "epoll_pwait2",
	"setTimeout@deno":       "epoll_wait",
	"Thread.Sleep@dotnet":   "futex(deadline)", "Task.Delay@dotnet": "",
	"Thread.Sleep@netframework": "futex(deadline)", "Task.Delay@netframework": "",
	"sleep@ruby": "ppoll", "usleep@php": "clock_nanosleep", "Time::HiRes::usleep@perl": "clock_nanosleep",
	"nanosleep@c": "clock_nanosleep", "nanosleep@musl": "nanosleep",
	"std::this_thread::sleep_for@c++": "clock_nanosleep", "thread::sleep@rust": "clock_nanosleep",
	"time.Sleep@go": "epoll_pwait", "time.Ticker@go": "epoll_pwait",
}

// testWaits checks that the system call of each way to sleep is found.
func testWaits(t *testing.T, r *runner) {
	t.Helper()
	s := r.subjects[0]
	if len(s.Sleeps) == 0 {
		return
	}
	r.settings.Spans, r.settings.Sleeps = []time.Duration{time.Millisecond}, 10
	r.sleep(s)
	r.traceSleeps(s)
	s.addSleeps(r.settings.Spans)
	require.Len(t, s.entry.Sleeps, len(s.Sleeps))
	for _, m := range s.entry.Sleeps {
		want, known := waiting[m.ID]
		require.True(t, known, "add the system call of %s to waiting", m.ID)
		require.Len(t, m.Spans, 1, m.ID)
		if slept := m.Spans[0]; want != "" {
			got := slept.SystemCall
			if slept.Deadline {
				got += "(deadline)"
			}
			require.Equal(t, want, got, "%s: %+v", m.ID, slept)
			require.InDelta(t, 1e6, slept.SystemCallNS, 1.1e6, m.ID)
		}
	}
}

// testAttribution checks that all calls of a runtime are measured, and that each traced call is attributed to the
// clocks that it reads.
func testAttribution(t *testing.T, r *runner) {
	t.Helper()
	if err := ptrace.Usable(); err != nil {
		need.Missing(t, "ptrace", err.Error())
	}
	s := r.subjects[0]
	r.cost(s)
	require.Empty(t, s.entry.Reason)
	r.trace(s)
	r.withoutVDSO(s)
	one := s.result()
	require.Empty(t, one.Reason)
	require.Regexp(t, `[0-9]+\.[0-9]`, one.Version)
	require.Equal(t, 1, one.Forks)
	require.Positive(t, one.LoopNS)
	require.Positive(t, one.CallNS)
	require.Len(t, one.Calls, len(s.Calls))
	for _, m := range one.Calls {
		require.NotNil(t, m.Latency, m.ID)
		require.Len(t, m.Latency.SamplesNS, 1, m.ID)
		require.Equal(t, byPtrace, m.ReadsBy, m.ID)
		require.Equal(t, tracedCalls, m.TracedCalls, m.ID)
		if reading[m.ID] != "" { // otherwise a read of the runtime's own is not told from one of the call
			require.Equal(t, tracedCalls, m.AttributedCalls, m.ID)
		}
		require.Contains(t, reading, m.ID, "add the clocks of %s to reading", m.ID)
		require.Equal(t, reading[m.ID], strings.Join(m.Reads, " "), m.ID)
		if m.Kind == cpuTime {
			require.Equal(t, result.Always, m.KernelEntry, "%s: no vDSO has CPU times", m.ID)
		}
		require.Equal(t, m.fromVDSO(), m.WithoutVDSONS > 0, m.ID)
	}
}
