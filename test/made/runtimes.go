package made

import (
	"fmt"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/measurement/wake"
)

// Runtimes returns a section with a number of calls of a runtime, a call of another runtime that was timed by CPU time,
// and a runtime that is not available.
func Runtimes(calls int) *runtimes.Runtimes {
	java := runtimes.MeasuredRuntime{
		Name: "java", Version: `openjdk version "17.0.15" 2025-04-15`, Path: "/usr/bin/java", Libc: "glibc 2.36",
		Available: true,
		Forks:     10, LoopNS: 0.4, CallNS: 0.5, Reason: "with 8 threads: did not end within 10s",
		Calls: []runtimes.MeasuredCall{},
	}
	for i := range calls {
		cost := []float64{23.4, 23.5, 31.8, 51, 582}[i%5] + float64(i)/50
		call := []string{"System.currentTimeMillis", "System.nanoTime", "Instant.now", "LocalDateTime.now",
			"ThreadMXBean.getCurrentThreadCpuTime"}[i%5]
		if i >= 5 {
			call = fmt.Sprint(call, i)
		}
		java.Calls = append(java.Calls, runtimes.MeasuredCall{
			ID: call + "@java", Call: call, Kind: []string{"wall", "monotonic", "wall", "wall", "cpu time"}[i%5],
			Latency: &compare.Latency{
				MedianNS: cost, LowNS: cost * 0.99, HighNS: cost * 1.2, Confidence: 0.95, MinNS: cost * 0.9,
				SamplesNS: []float64{cost, cost * 0.9, cost * 1.1, cost, cost * 0.99, cost * 1.2, cost},
			},
			Resolution: &compare.Resolution{TickNS: []float64{1e6, 1, 1000, 1000, 1}[i%5], FinerThanRead: i%5 == 1,
				WatchedNS: 5e7, Ticks: 50},
			Throughput: []compare.Throughput{
				{Threads: 1, ReadsPerSecond: 1e9 / cost, CountedReadsPerSecond: 0.9e9 / cost, NSPerRead: cost,
					Fairness:              1,
					SamplesReadsPerSecond: []float64{1e9 / cost}},
				{Threads: 4, ReadsPerSecond: 2e9 / cost, CountedReadsPerSecond: 2e9 / cost, NSPerRead: 2 * cost,
					Fairness:       0.9,
					Oversubscribed: true, SamplesReadsPerSecond: []float64{2e9 / cost}},
			},
			Reads: []string{[]string{"CLOCK_REALTIME", "CLOCK_MONOTONIC", "CLOCK_REALTIME", "CLOCK_REALTIME",
				"CLOCK_THREAD_CPUTIME_ID"}[i%5]}, ReadsBy: "ptrace",
			TracedCalls: 1000, AttributedCalls: 1000 - i%2,
			KernelEntry:   []string{result.Never, result.Never, result.Sometimes, result.Never, result.Always}[i%5],
			WithoutVDSONS: 10 * cost,
		})
	}
	for i, late := range []float64{73e3, 975e3, -200e3}[:min(calls, 3)] {
		name := []string{"LockSupport.parkNanos", "Thread.sleep(ms)", "Object.wait"}[i]
		java.Sleeps = append(java.Sleeps, wake.SleepWay{ID: name + "@java", Call: name, Available: true,
			Spans: []wake.SleepSpan{{
				SpanNS: 1e6, Samples: 300, Early: 3 * (i / 2), MinLateNS: late - 50e3, MedianLateNS: late, P99LateNS: late +
					1e6,
				MaxLateNS: late + 5e6, PartMediansNS: []float64{late}, SystemCall: []string{"futex", "epoll_wait", ""}[i],
				SystemCallNS: []int64{990e3, 2e6, 0}[i], SystemCallBy: []string{"ptrace", "ptrace",
					"ptrace needs Linux 5.3"}[i],
				Deadline: i == 0,
			}}})
	}
	if calls > 5 {
		java.Calls[4].Reason = "needs the module java.management"
		java.Calls[3].Reads, java.Calls[3].ReadsBy, java.Calls[3].TracedCalls, java.Calls[3].AttributedCalls = nil,
			"ptrace is not permitted here (kernel.yama.ptrace_scope is 3)", 0, 0
	}
	lua := runtimes.MeasuredRuntime{
		Name: "lua", Version: "Lua 5.4.4", TimedBy: "cpu time", Path: "/usr/bin/lua5.4", Available: true, Forks: 10,
		LoopNS: 2.1, CallNS: 14.9,
		Calls: []runtimes.MeasuredCall{{
			ID: "os.time@lua", Call: "os.time", Kind: "wall",
			Latency:    &compare.Latency{MedianNS: 61, MinNS: 60, SamplesNS: []float64{61, 60, 62}},
			Resolution: &compare.Resolution{TickNS: 1e9, WatchedNS: 5e7}, Reads: []string{"CLOCK_REALTIME", "time",
				"time"},
			ReadsBy: "ptrace", TracedCalls: 1000, AttributedCalls: 1000,
		}},
	}
	ruby := runtimes.MeasuredRuntime{Name: "ruby", Reason: "not found in PATH: ruby", Calls: []runtimes.MeasuredCall{}}
	s := &runtimes.Runtimes{
		DurationNS: 12e9, Environment: []string{"TZ=Europe/Berlin"}, ClearedEnvironment: []string{"JAVA_TOOL_OPTIONS"},
		Runtimes: []runtimes.MeasuredRuntime{java, lua, ruby},
		Clocks: []runtimes.SystemClock{
			{ID: "CLOCK_REALTIME@vdso", Latency: &compare.Latency{MedianNS: 21.7, LowNS: 21.6, HighNS: 21.8,
				Confidence: 0.95,
				MinNS:      21.5, SamplesNS: []float64{21.7, 21.5, 21.8}}, KernelEntry: result.Never},
			{ID: "CLOCK_MONOTONIC@vdso", Latency: &compare.Latency{MedianNS: 21.9, MinNS: 21.5,
				SamplesNS: []float64{21.9}},
				KernelEntry: result.Never},
		},
	}
	if calls == 0 {
		s.Runtimes, s.Clocks = []runtimes.MeasuredRuntime{ruby}, nil
	}
	return s
}
