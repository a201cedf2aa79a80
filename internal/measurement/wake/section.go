package wake

import (
	"fmt"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// Wake is how late sleeps and timers end.
type Wake struct {
	// DurationNS is the time that the measurement took.
	DurationNS int64 `json:"duration_ns"`
	// CPUs are the CPUs to which the threads that slept were pinned; absent for a single thread that was free to move.
	CPUs []int `json:"cpus,omitempty"`
	// BusyThreads is the number of threads that kept CPUs busy (--load).
	BusyThreads int `json:"busy_threads,omitempty"`
	// NoIdleLayer is why the time to leave idle could not be measured.
	NoIdleLayer string `json:"no_idle_layer,omitempty"`
	// Timers are the facts of the machine on which wake-ups depend.
	Timers Timers `json:"timers"`
	// Ways has an entry for each way to sleep, each id once.
	Ways []SleepWay `json:"ways" once:"id"`
}

// Timers are the facts of a machine on which wake-ups depend.
type Timers struct {
	// SlackNS is the timer slack of a thread of this process; prctl(2), PR_GET_TIMERSLACK.
	SlackNS int64 `json:"slack_ns,omitempty"`
	// ResolutionNS is the resolution of timers; clock_getres(2) of CLOCK_MONOTONIC: a tick without high-resolution
	// timers.
	ResolutionNS int64 `json:"resolution_ns,omitempty"`
	// Device is the device of the timer interrupt: lapic-deadline.
	Device string `json:"device,omitempty"`
	// BroadcastDevice wakes CPUs whose own device stops in a deep idle state.
	BroadcastDevice string `json:"broadcast_device,omitempty"`
	// IdleDriver is the driver of the idle states: intel_idle, acpi_idle, haltpoll.
	IdleDriver string `json:"idle_driver,omitempty"`
	// IdleGovernor chooses the idle state: menu, teo, haltpoll.
	IdleGovernor string `json:"idle_governor,omitempty"`
	// IdleStates are the idle states of the first CPU.
	IdleStates []IdleState `json:"idle_states,omitempty" once:"name"`
	// HaltPollNS is how long an idle guest polls before it halts; guest_halt_poll_ns of haltpoll.
	HaltPollNS int64 `json:"halt_poll_ns,omitempty"`
	// Preemption is the preemption model in the version of the kernel: PREEMPT_DYNAMIC.
	Preemption string `json:"preemption,omitempty"`
	// IsolatedCPUs are the CPUs of isolcpus=.
	IsolatedCPUs []int `json:"isolated_cpus,omitempty"`
}

// An IdleState is a state of an idle CPU.
type IdleState struct {
	// Name is its name: C1, C6, POLL.
	Name string `json:"name" is:"named"`
	// LatencyNS is how long the CPU takes to leave it, as its driver reports.
	LatencyNS int64 `json:"latency_ns"`
	// Disabled is whether it is disabled.
	Disabled bool `json:"disabled,omitempty"`
	// Entered is how often the measured CPUs entered it during the measurement.
	Entered int64 `json:"entered"`
}

// A SleepWay is one way to sleep.
type SleepWay struct {
	// ID is call and path: clock_nanosleep@syscall.
	ID string `json:"id" is:"named"`
	// Call is the call with its deadline: clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME).
	Call string `json:"call"`
	// Available is whether it could be measured.
	Available bool `json:"available"`
	// Reason is why something is missing, or what failed.
	Reason string `json:"reason,omitempty"`
	// Spans has an entry for each length of the sleep.
	Spans []SleepSpan `json:"spans,omitempty" once:"span_ns"`
}

// A SleepSpan is the lateness of sleeps of one length: the time of the wake-up minus the deadline.
type SleepSpan struct {
	// SpanNS is the length; a random part of it, half at most and 1 ms at most, is added to each deadline.
	SpanNS int64 `json:"span_ns" is:"positive"`
	// Samples is the number of sleeps.
	Samples int `json:"samples" is:"positive"`
	// Early is the number of sleeps that ended before the deadline.
	Early int `json:"early"`
	// MinLateNS is the minimum; negative: early.
	MinLateNS float64 `json:"min_late_ns" is:"signed"`
	// MedianLateNS is the median.
	MedianLateNS float64 `json:"median_late_ns" is:"signed"`
	// LowNS is the lower end of the interval of the median; absent below 6 sleeps.
	LowNS float64 `json:"low_ns,omitempty" is:"signed"`
	// HighNS is the upper end of the interval of the median; absent below 6 sleeps.
	HighNS float64 `json:"high_ns,omitempty" is:"signed"`
	// P99LateNS is the 99th percentile; absent below 100 sleeps.
	P99LateNS float64 `json:"p99_late_ns,omitempty" is:"signed"`
	// P999LateNS is the 99.9th percentile; absent below 10,000 sleeps.
	P999LateNS float64 `json:"p99_9_late_ns,omitempty" is:"signed"`
	// MaxLateNS is the maximum.
	MaxLateNS float64 `json:"max_late_ns" is:"signed"`
	// MaxAtNS is when the sleep with the maximum ended, from the start of the measurement.
	MaxAtNS int64 `json:"max_at_ns"`
	// WorstCPU is the CPU with the highest median, if several were measured.
	WorstCPU *int `json:"worst_cpu,omitempty"`
	// WorstCPUMedianNS is the median on that CPU.
	WorstCPUMedianNS float64 `json:"worst_cpu_median_ns,omitempty" is:"signed"`
	// Layers are the parts of the median, which add up to it; absent if they are unknown.
	Layers []SleepLayer `json:"layers,omitempty" once:"name"`
	// PartMediansNS are the medians of the parts of the measurement, 50 at most, in order.
	PartMediansNS []float64 `json:"part_medians_ns" is:"signed"`
	// Runs has the number of parts of each run, if there are several.
	Runs []int `json:"runs,omitempty" is:"positive"`
}

// The names of layers.
const (
	Runtime     = "runtime"
	Rounding    = "rounding"
	TimerSlack  = "timer slack"
	LeavingIdle = "leaving idle"
	TheRest     = "the rest"
)

// A SleepLayer is a part of the median lateness: by how much it fell without the cause.
type SleepLayer struct {
	// Name is its cause; the rest is the timer interrupt, the wake-up and the scheduler.
	Name string `json:"name" is:"runtime|rounding|timer slack|leaving idle|the rest"`
	// NS is its part.
	NS float64 `json:"ns"`
}

// key is the key of the section in a document.
const key = "wake"

// Kind is the kind of this section.
var Kind = section.Kind{Kind: result.Kind{
	Key: key,
	New: func() result.Section { return new(Wake) },
}, Command: "wake", Pictures: pictures, Compare: compared, Join: section.Joining(Join)}

// Of returns the section of a document, or nil.
func Of(d *result.Document) *Wake { return result.Of[*Wake](d) }

// Key returns the key of the section in a document.
func (*Wake) Key() string { return key }

// Check reports more spans than a run has, in all ways together: each may have a table of its own.
func (w *Wake) Check(c *result.Checker) {
	spans := 0
	for _, way := range w.Ways {
		spans += len(way.Spans)
	}
	if spans > result.MostNamed {
		c.Fail("ways", fmt.Sprintf("have %d spans; they have %d at most", spans, result.MostNamed))
	}
}

// Check reports more early sleeps than sleeps, figures that are out of order, and parts that do not belong to the runs.
func (s *SleepSpan) Check(c *result.Checker) {
	c.Part("early", int64(s.Early), int64(s.Samples), "samples")
	if s.MinLateNS > s.MedianLateNS || s.MedianLateNS > s.MaxLateNS || s.P99LateNS != 0 && s.P99LateNS > s.MaxLateNS {
		c.Fail("median_late_ns", "is not between the minimum and the maximum")
	}
	compare.CheckRuns(c, s.Runs, s.PartMediansNS)
}
