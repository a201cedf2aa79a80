package wake

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/show/printable"
	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

const devices, folder = "/sys/devices/system/clockevents", "/sys/devices/system/cpu"

// timers returns the facts of this machine on which wake-ups depend, and how often the CPUs entered each idle state since
// boot; of all CPUs that this process may use, if cpus is nil. A fact that the kernel does not publish is empty.
func timers(cpus []int) Timers {
	t := Timers{
		SlackNS:         int64(slack()),
		Device:          text(devices, "clockevent0/current_device"),
		BroadcastDevice: text(devices, "broadcast/current_device"),
		IdleDriver:      strings.TrimPrefix(text(folder, "cpuidle/current_driver"), "none"),
		IdleGovernor:    text(folder, "cpuidle/current_governor_ro"),
		IsolatedCPUs:    thread.Isolated(),
		IdleStates:      idleStates(cpus),
	}
	if t.IdleDriver == "haltpoll" || t.IdleGovernor == "haltpoll" {
		t.HaltPollNS = number("/sys/module/haltpoll/parameters", "guest_halt_poll_ns")
	}
	var resolution unix.Timespec
	if unix.ClockGetres(unix.CLOCK_MONOTONIC, &resolution) == nil {
		t.ResolutionNS = resolution.Nano()
	}
	var names unix.Utsname
	if unix.Uname(&names) == nil {
		for _, word := range strings.Fields(unix.ByteSliceToString(names.Version[:])) { // #1 SMP PREEMPT_DYNAMIC
			if strings.HasPrefix(word, "PREEMPT") {
				t.Preemption = printable.OneLine(word)
			}
		}
	}
	return t
}

func text(folder, name string) string {
	content, _ := procfile.Read(filepath.Join(folder, name))
	return printable.OneLine(strings.TrimSpace(string(content)))
}

func number(folder, name string) int64 {
	n, _ := strconv.ParseInt(text(folder, name), 10, 64)
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
			name := text(state, "name")
			at := slices.IndexFunc(all, func(s IdleState) bool { return s.Name == name })
			if at < 0 && name != "" {
				at, all = len(all), append(all, IdleState{Name: name, LatencyNS: 1000 * number(state, "latency")})
			}
			if at >= 0 {
				all[at].Entered += number(state, "usage")
			}
		}
	}
	slices.SortStableFunc(all, func(a, b IdleState) int { return cmp.Compare(a.LatencyNS, b.LatencyNS) })
	return all
}

// LargeSlacks returns the other programs with a large timer slack; none without root, who alone may read it.
func LargeSlacks() (all []ProgramSlack) {
	const most, looked = 20, 10_000
	pids := process.All()
	for _, pid := range pids[:min(looked, len(pids))] {
		folder := filepath.Join("/proc", strconv.Itoa(pid))
		if ns := number(folder, "timerslack_ns"); ns >= LargeSlackNS && pid != unix.Getpid() {
			all = append(all, ProgramSlack{text(folder, "comm"), pid, ns})
		}
	}
	slices.SortStableFunc(all, func(a, b ProgramSlack) int { return cmp.Compare(b.SlackNS, a.SlackNS) })
	return all[:min(most, len(all))]
}
