package remedy

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/situation"
)

// HighResolutionOff returns the boot parameters that turn high-resolution timers off: highres= with what kstrtobool
// takes for false (kernel/time/hrtimer.c: setup_hrtimer_hres; lib/kstrtox.c).
func HighResolutionOff(s *machine) []situation.Parameter {
	return slices.DeleteFunc(s.Parameters("highres"), func(p situation.Parameter) bool {
		value := strings.ToLower(p.Value)
		return !slices.ContainsFunc([]string{"0", "n", "f", "of"}, func(no string) bool { return strings.HasPrefix(value, no) })
	})
}

// costOfIdle is the risk of keeping CPUs out of deep idle states (docs.kernel.org/admin-guide/pm/cpuidle.html).
const costOfIdle = "Idle CPUs draw more power, all the time. What they draw is missing where other cores of the package want to turbo: busy threads may become slower. Measure both."

// wakeRemedies let programs wake up on time.
var wakeRemedies = map[string]remedy{
	"sleep-until": {
		source: "dotnet/runtime#67088; pubs.opengroup.org: clock_nanosleep",
		advice: "In the program, sleep until an absolute time, compare the clock with it after each sleep, and sleep again for what is left",
	},
	"high-resolution-timer": {
		source: "learn.microsoft.com: CreateWaitableTimerExW",
		where:  func(s *machine) bool { return s.OnWindows() },
		advice: "In the program, wait for a timer of CreateWaitableTimerEx with CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, where a wait must be exact. It needs Windows 10, version 1803",
	},
	"time-begin-period": {
		source: "learn.microsoft.com: timeBeginPeriod",
		where:  func(s *machine) bool { return s.OnWindows() },
		advice: "Or in the program, call timeBeginPeriod(1) while its waits must be exact, and timeEndPeriod(1) after them. Since Windows 10, version 2004, this counts for the process that calls it only, and Windows 11 ignores it while all its windows are hidden",
		risk:   "The system timer interrupts the CPUs up to 15 times as often, which costs power.",
	},
	"remove-highres-off": {
		source:  "docs.kernel.org/admin-guide/kernel-parameters.html: highres=",
		removes: HighResolutionOff,
		advice:  "Remove the boot parameter that turns high-resolution timers off",
		risk:    "More timer interrupts, because sleeps no longer end together. Find out first why it was set: old hardware needed it.",
	},
	"highres-config": {
		source: "kernel/time/Kconfig: HIGH_RES_TIMERS",
		kernel: true,
		where: func(s *machine) bool {
			return len(HighResolutionOff(s)) == 0 && !slices.Contains(situation.TickSources, s.ClockSource)
		},
		advice:   "Check whether this kernel was built with high-resolution timers, and use a kernel with CONFIG_HIGH_RES_TIMERS=y",
		commands: []string{"grep HIGH_RES_TIMERS /boot/config-$(uname -r)", "zgrep HIGH_RES_TIMERS /proc/config.gz"},
	},
	"slack-of-service": {
		source:   "systemd.exec(5): TimerSlackNSec=; prctl(2): PR_SET_TIMERSLACK",
		where:    func(s *machine) bool { return s.OnLinux() },
		advice:   "Find who sets it, and set it to the default of 50 µs there. In a unit of systemd: TimerSlackNSec=50us",
		commands: []string{"cat /proc/self/timerslack_ns", "systemctl show -p TimerSlackNSec UNIT"},
		risk:     "The service wakes up more often, which costs power.",
	},
	"slack-of-others": {
		source:   "systemd.exec(5): TimerSlackNSec=; proc_pid_timerslack_ns(5)",
		where:    func(s *machine) bool { return s.OnLinux() },
		advice:   "If a program should wake up on time, ask who set its slack: its unit of systemd (TimerSlackNSec=), or the program itself, which may do so to save power",
		commands: []string{"systemctl show -p TimerSlackNSec UNIT"},
		risk:     "With less slack the program wakes up more often, which costs power.",
	},
	"slack-of-thread": {
		source: "prctl(2): PR_SET_TIMERSLACK, which is of the calling thread; timerfd_create(2) has no slack",
		where:  func(s *machine) bool { return s.OnLinux() },
		advice: "Or in the program, call prctl(PR_SET_TIMERSLACK, 1) in each thread that must wake up on time, or use a timerfd, which has no slack",
		risk:   "That thread's wake-ups are no longer joined with others, which costs power.",
	},
	"hold-latency": {
		source: "docs.kernel.org/power/pm_qos_interface.html: /dev/cpu_dma_latency",
		where:  func(s *machine) bool { return s.OnLinux() && s.OwnsFirmware() },
		advice: "While latency matters, let a service hold /dev/cpu_dma_latency open, with the longest exit latency that it accepts written to it (in µs, 32 bits, binary). The limit ends when the service closes the file. It needs root. tuned does this with force_latency",
		risk:   costOfIdle,
	},
	"shallow-idle": {
		source:   "cpupower-idle-set(1): -D disables the states with this exit latency (in µs) or a longer one, -E enables all",
		kernel:   true,
		where:    func(s *machine) bool { return s.OwnsFirmware() },
		advice:   "Or until the next boot, do not use idle states with an exit latency of 50 µs or more. The second command undoes it",
		commands: []string{"sudo cpupower idle-set -D 50", "sudo cpupower idle-set -E"},
		risk:     costOfIdle,
	},
	"guest-halt-poll": {
		source:   "docs.kernel.org/virt/guest-halt-polling.html; docs.kernel.org/virt/kvm/halt-polling.html",
		kernel:   true,
		where:    func(s *machine) bool { return s.GuestUnder("kvm", "firecracker") },
		advice:   "In a guest of KVM, let idle CPUs poll before they halt: load cpuidle-haltpoll, and set guest_halt_poll_ns to the pauses of your program (it is 200 µs). On a host of your own, the parameter halt_poll_ns of the module kvm does the same for all guests",
		commands: []string{"sudo modprobe cpuidle-haltpoll", "cat /sys/module/haltpoll/parameters/guest_halt_poll_ns"},
		risk:     "A CPU that polls draws power, and takes CPU time that the host could give to others or bill.",
	},
}
