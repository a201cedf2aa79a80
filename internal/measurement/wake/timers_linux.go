package wake

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

const folder = "/sys/devices/system/cpu"

// files are the facts of the machine on which wake-ups depend, and the files that have them.
var files = []Fact{
	{"Timer device", "/sys/devices/system/clockevents/clockevent0/current_device"},
	{"Broadcast device", "/sys/devices/system/clockevents/broadcast/current_device"},
	{"Idle driver", folder + "/cpuidle/current_driver"},
	{"Idle governor", folder + "/cpuidle/current_governor_ro"},
	{"Halt polling (guest_halt_poll_ns)", "/sys/module/haltpoll/parameters/guest_halt_poll_ns"},
	{"Kernel build, preemption", "/proc/sys/kernel/version"},
	{"Isolated CPUs", folder + "/isolated"},
}

// timers returns what the kernel publishes, with how often the CPUs entered each idle state since boot; of all CPUs
// that this process may use, if cpus is nil.
func timers(cpus []int) Timers {
	t := Timers{SlackNS: int64(slack()), IdleStates: idleStates(cpus)}
	for _, f := range files {
		if f.Value = procfile.Field(f.Value, ""); f.Value != "" {
			t.Facts = append(t.Facts, f)
		}
	}
	var resolution unix.Timespec
	if unix.ClockGetres(unix.CLOCK_MONOTONIC, &resolution) == nil {
		t.ResolutionNS = resolution.Nano()
	}
	return t
}

func number(path string) int64 {
	n, _ := strconv.ParseInt(procfile.Field(path, ""), 10, 64)
	return max(0, n)
}

// idleStates returns the idle states, with how often the CPUs entered each since boot. CPUs may differ in them.
func idleStates(cpus []int) (all []IdleState) {
	if cpus == nil {
		cpus = thread.Usable()
	}
	for _, cpu := range cpus {
		states, _ := filepath.Glob(fmt.Sprintf("%s/cpu%d/cpuidle/state*", folder, cpu))
		for _, state := range states {
			name := procfile.Field(state+"/name", "")
			at := slices.IndexFunc(all, func(s IdleState) bool { return s.Name == name })
			if at < 0 && name != "" {
				at, all = len(all), append(all, IdleState{Name: name, LatencyNS: 1000 * number(state+"/latency")})
			}
			if at >= 0 {
				all[at].Entered += number(state + "/usage")
			}
		}
	}
	slices.SortStableFunc(all, func(a, b IdleState) int { return cmp.Compare(a.LatencyNS, b.LatencyNS) })
	return all
}

// LargeSlacks returns the other programs with a large timer slack; none without root, who alone may read it.
func LargeSlacks() (all []ProgramSlack) {
	const most, looked = 20, 10_000
	pids, own := process.All(), append(process.Children(), unix.Getpid()) // a process that kept CPUs awake may live on
	for _, pid := range pids[:min(looked, len(pids))] {
		folder := fmt.Sprintf("/proc/%d/", pid)
		if ns := number(folder + "timerslack_ns"); ns >= LargeSlackNS && !slices.Contains(own, pid) {
			all = append(all, ProgramSlack{procfile.Field(folder+"comm", ""), pid, ns})
		}
	}
	slices.SortStableFunc(all, func(a, b ProgramSlack) int { return cmp.Compare(b.SlackNS, a.SlackNS) })
	return all[:min(most, len(all))]
}
