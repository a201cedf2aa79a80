package wake

import (
	"fmt"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
)

// Wake is how late sleeps and timers end.
type Wake struct {
	// DurationNS is the time that the measurement took.
	DurationNS int64 `json:"duration_ns"`
	// CPUs are the CPUs to which sleeping threads were pinned; absent for one unpinned thread.
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
	// SlackNS is the timer slack of this process (PR_GET_TIMERSLACK).
	SlackNS int64 `json:"slack_ns,omitempty"`
	// ResolutionNS is the clock_getres(2) of timers: a tick without high-resolution timers.
	ResolutionNS int64 `json:"resolution_ns,omitempty"`
	// Facts are what else the kernel publishes, under these names: Timer device, Broadcast device (it wakes CPUs whose own
	// timer stops in a deep idle state), Idle driver, Idle governor, Halt polling (guest_halt_poll_ns),
	// Kernel build, preemption, Isolated CPUs.
	Facts []Fact `json:"facts,omitempty" once:"name"`
	// IdleStates are the idle states of these CPUs, or of all, the deepest last.
	IdleStates []IdleState `json:"idle_states,omitempty" once:"name"`
	// LargeSlacks are the other programs whose timer slack is 500 µs or more, the largest first, 20 at most. Only doctor
	// looks for them, as root.
	LargeSlacks []ProgramSlack `json:"large_slacks,omitempty"`
}

// A Fact is a fact of a machine.
type Fact struct {
	// Name is what it is, such as Idle driver.
	Name string `json:"name" is:"named"`
	// Value is its value, as the kernel writes it.
	Value string `json:"value"`
}

// Fact returns the value of a fact; "" if it is unknown.
func (t *Timers) Fact(name string) string {
	for _, f := range t.Facts {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// LargeSlackNS is a timer slack that a user notices: half of a millisecond, in which most programs sleep.
const LargeSlackNS = 500_000

// A ProgramSlack is the timer slack of a program.
type ProgramSlack struct {
	// Program is its name, as in /proc/PID/comm.
	Program string `json:"program"`
	// PID is the number of its process.
	PID int `json:"pid"`
	// SlackNS is the timer slack of its first thread.
	SlackNS int64 `json:"slack_ns"`
}

// An IdleState is a state of an idle CPU.
type IdleState struct {
	// Name is its name: C1, C6, POLL.
	Name string `json:"name" is:"named"`
	// LatencyNS is the time to leave it, by its driver.
	LatencyNS int64 `json:"latency_ns"`
	// Entered is how often measured CPUs entered it.
	Entered int64 `json:"entered"`
}

// Kind is the kind of this section.
var Kind = section.Kind{New: func() result.Section { return new(Wake) }, Command: "wake", Pictures: pictures,
	Compare: compared, Join: section.Joining(Join)}

// Of returns the section of a document, or nil.
func Of(d *result.Document) *Wake { return result.Of[*Wake](d) }

// Key returns the key of the section in a document.
func (*Wake) Key() string { return "wake" }

// Check reports too many spans.
func (w *Wake) Check(c *result.Checker) { CheckSpans(c, "ways", w.Ways) }

// CheckSpans reports more spans at this place than a run has, in all ways together: each may have a table of its own.
func CheckSpans(c *result.Checker, at string, ways []SleepWay) {
	if spans := len(Rows(ways)); spans > result.MostNamed {
		c.Fail(at, fmt.Sprintf("have %d spans; they have %d at most", spans, result.MostNamed))
	}
}
