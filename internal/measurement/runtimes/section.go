package runtimes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/wake"
)

// Runtimes are the costs of the clock calls of language runtimes.
type Runtimes struct {
	// DurationNS is the time that the measurement took.
	DurationNS int64 `json:"duration_ns"`
	// Clocks are the system's clocks, measured between the starts, each id once.
	Clocks []SystemClock `json:"clocks" once:"id"`
	// Environment are passed variables that matter: TZ=Europe/Berlin.
	Environment []string `json:"environment,omitempty"`
	// ClearedEnvironment are names of those not passed on.
	ClearedEnvironment []string `json:"cleared_environment,omitempty"`
	// Preloaded are preloaded libraries that return the time: /usr/lib/libfaketime.so.1 (LD_PRELOAD).
	Preloaded []string `json:"preloaded,omitempty"`
	// Runtimes has an entry for each runtime, each name once.
	Runtimes []MeasuredRuntime `json:"runtimes" once:"name"`
}

// A SystemClock is a clock that was read without a runtime.
type SystemClock struct {
	// ID is call and path: CLOCK_MONOTONIC@vdso.
	ID string `json:"id" is:"named"`
	// Latency is its latency.
	Latency *compare.Latency `json:"latency,omitempty"`
	// KernelEntry is how often a read enters the kernel.
	KernelEntry string `json:"kernel_entry,omitempty" is:"never|always|sometimes|unknown"`
}

// fine returns the clocks of the system that most programs read, if they were timed. gettimeofday costs as much as
// CLOCK_REALTIME.
func (s *Runtimes) fine() []SystemClock {
	return slices.DeleteFunc(slices.Clone(s.Clocks), func(c SystemClock) bool {
		name, _, _ := strings.Cut(c.ID, "@")
		timed := c.Latency != nil && c.Latency.MedianNS > 0
		return !timed || name == "gettimeofday" || !slices.Contains(clock.MostRead, name)
	})
}

// A MeasuredRuntime is one runtime, or why it was not measured.
type MeasuredRuntime struct {
	// Name is its name.
	Name string `json:"name" is:"named"`
	// Version is its version.
	Version string `json:"version,omitempty"`
	// Path is the program.
	Path string `json:"path,omitempty"`
	// TimedBy is cpu time, or absent for a monotonic clock.
	TimedBy string `json:"timed_by,omitempty"`
	// Libc is its C library: glibc 2.36, or none if static.
	Libc string `json:"libc,omitempty"`
	// Available is whether its calls could be measured.
	Available bool `json:"available"`
	// Reason is why something is missing, or what failed.
	Reason string `json:"reason,omitempty"`
	// Forks is the number of its starts.
	Forks int `json:"forks,omitempty"`
	// LoopNS is the cost of the empty loop, included in each latency.
	LoopNS float64 `json:"loop_ns,omitempty"`
	// CallNS is the same with an empty call.
	CallNS float64 `json:"call_ns,omitempty"`
	// Calls has an entry for each call, each id once.
	Calls []MeasuredCall `json:"calls"`
	// Sleeps has an entry for each way to sleep, each id once.
	Sleeps []wake.SleepWay `json:"sleeps,omitempty" once:"id"`
}

// A MeasuredCall is a call that returns the time.
type MeasuredCall struct {
	// ID is call and runtime: System.nanoTime@java.
	ID string `json:"id" is:"named"`
	// Call is the call as its manual spells it.
	Call string `json:"call"`
	// Kind is the meaning of the values.
	Kind string `json:"kind" is:"monotonic|wall|cpu time"`
	// Reason is why something is missing, or what failed.
	Reason string `json:"reason,omitempty"`
	// Latency is the time of a call, by timed_by. Its samples are the lowest levels of the starts.
	Latency *compare.Latency `json:"latency,omitempty"`
	// Resolution is the resolution that the program sees.
	Resolution *compare.Resolution `json:"resolution,omitempty"`
	// Throughput is the throughput of the program's threads.
	Throughput []compare.Throughput `json:"throughput,omitempty" once:"threads"`
	// Reads are the clocks that one call reads, in order.
	Reads []string `json:"reads,omitempty"`
	// ReadsBy is the method, or why it is unknown.
	ReadsBy string `json:"reads_by,omitempty"`
	// TracedCalls is the number of calls that were traced.
	TracedCalls int `json:"traced_calls"`
	// AttributedCalls is the number of those with these reads, or more.
	AttributedCalls int `json:"attributed_calls"`
	// KernelEntry is how often a read enters the kernel.
	KernelEntry string `json:"kernel_entry,omitempty" is:"never|always|sometimes|unknown"`
	// WithoutVDSONS is the cost of a call with the vDSO hidden.
	WithoutVDSONS float64 `json:"without_vdso_ns,omitempty"`
}

// Kind is the kind of this section.
var Kind = section.Kind{New: func() result.Section { return new(Runtimes) }, Command: "runtimes", Pictures: pictures,
	Compare: compared, Join: section.Joining(join)}

// Of returns the section of a document; or nil.
func Of(d *result.Document) *Runtimes { return result.Of[*Runtimes](d) }

// Key returns the key of the section in a document.
func (*Runtimes) Key() string { return "runtimes" }

// Check reports a call that appears twice, of whatever runtimes, and too many spans of sleeps.
func (s *Runtimes) Check(c *result.Checker) {
	wake.CheckSpans(c, "runtimes", s.sleeps())
	seen := map[string]bool{}
	for i, runtime := range s.Runtimes {
		for j, call := range runtime.Calls {
			if at := fmt.Sprintf("runtimes[%d].calls[%d]", i, j); seen[call.ID] {
				c.Fail(at, fmt.Sprintf("(%.64q) appears twice", call.ID))
			} else if len(seen) >= result.MostNamed {
				c.Fail(at, fmt.Sprintf("is one of more than %d; no machine has more", result.MostNamed))
			}
			seen[call.ID] = true
		}
	}
}

// Check reports more traced calls than there were.
func (m *MeasuredCall) Check(c *result.Checker) {
	c.Part("attributed_calls", int64(m.AttributedCalls), int64(m.TracedCalls), "traced_calls")
}
