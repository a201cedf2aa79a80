package remedy

import (
	"fmt"
)

// windowsRemedies are for the Windows Time service.
var windowsRemedies = map[string]remedy{
	"w32time-start": {where: (*machine).OnWindows, source: "learn.microsoft.com: Windows Time service tools and settings; sc.exe config",
		advise: func(s *machine) string {
			advice := "If no other program sets the clock, start the service as administrator"
			if isNoSync(s) {
				advice += ", and let it use its NTP servers, or in a domain the domain (domhier)"
			}
			return advice
		},
		command: w32timeCommands,
		risk:    "If the clock is far off, the service steps it. Some programs cannot handle that."},
	"w32time-sync": {where: (*machine).OnWindows, source: "learn.microsoft.com: Windows Time service tools and settings: w32tm /config /syncfromflags, /manualpeerlist",
		advice:  "If no other program sets the clock, let the service use its NTP servers, or in a domain the domain (domhier), as administrator",
		command: w32timeCommands,
		risk:    "If the clock is far off, the service steps it. Some programs cannot handle that."},
}

// w32timeCommands returns the commands that make the Windows Time service synchronise the wall clock. w32tm configures
// only a service that runs.
func w32timeCommands(s *machine) []string {
	service := *s.Host.Windows.W32Time
	disabled, running := service.Start == "disabled", service.State == "running"
	var commands []string
	if disabled && !running {
		commands = append(commands, "sc.exe config w32time start= auto")
	}
	if !running {
		commands = append(commands, "net start w32time")
	}
	switch {
	case isNoSync(s) && service.Servers == "":
		commands = append(commands, `w32tm /config /syncfromflags:manual /manualpeerlist:"time.windows.com,0x9" /update`)
	case isNoSync(s):
		commands = append(commands, "w32tm /config /syncfromflags:manual /update")
	}
	commands = append(commands, "w32tm /resync")
	if disabled || running {
		commands = append(commands, "w32tm /query /status")
	}
	return commands
}

func isNoSync(s *machine) bool { return s.Host.Windows.W32Time.Type == "NoSync" }

// bsdRemedies select another timecounter.
var bsdRemedies = map[string]remedy{
	"timecounter-tsc": {source: "FreeBSD timecounters(4), sys/x86/x86/tsc.c; OpenBSD tc_init(9), sys/arch/amd64/amd64/tsc.c; NetBSD timecounter(9): kern.timecounter.hardware",
		where: func(s *machine) bool {
			name, _ := s.TSCCounter()
			return s.OnBSD() && s.OnX86() && name != "" && name != s.ClockSource
		},
		advise: func(s *machine) string {
			name, _ := s.TSCCounter()
			return fmt.Sprintf("Select %s, and measure again. To keep it, put the line into /etc/sysctl.conf", name)
		},
		command: func(s *machine) []string {
			name, _ := s.TSCCounter()
			if !safeInShell().MatchString(name) {
				return nil
			}
			if s.Host.OS == "freebsd" || s.Host.OS == "dragonfly" {
				return []string{asRoot, "sysctl kern.timecounter.hardware=" + name}
			}
			return []string{asRoot, "sysctl -w kern.timecounter.hardware=" + name}
		},
		risk: "If the TSCs of the CPUs differ, or the rate changes, time jumps between CPUs, also backwards. Run `timebench skew` and `timebench verify --load` afterwards."},
	"timecounter-smp-tsc": {source: "FreeBSD sys/x86/x86/tsc.c: smp_tsc, smp_tsc_adjust; test_tsc in a guest; golang/go#50947",
		where: func(s *machine) bool {
			_, quality := s.TSCCounter()
			return s.Host.OS == "freebsd" && s.OnX86() && s.Sets("kern.timecounter.smp_tsc=0") && quality < 0
		},
		advice:   "To make FreeBSD select the TSC by itself, set the loader tunable, and reboot. Do so only if the TSC is invariant and the CPUs agree",
		commands: []string{asRoot, "echo kern.timecounter.smp_tsc=1 >> /boot/loader.conf"},
		risk:     "FreeBSD then takes the TSC for safe on several CPUs. If it is not, time jumps between CPUs, also backwards."},
	"timecounter-fast": {where: func(s *machine) bool { return s.OnBSD() && s.Sets("kern.timecounter.fast_gettime=0") }, source: "FreeBSD sys/kern/kern_tc.c: kern.timecounter.fast_gettime",
		advice:   "Let programs read the timecounter in user mode",
		commands: []string{asRoot, "sysctl kern.timecounter.fast_gettime=1"},
		risk:     "None known: it is the default."},
	"timecounter-look": {where: func(s *machine) bool { return s.OnBSD() && s.ClockSource == "" }, source: "FreeBSD timecounters(4)",
		advice:   "Look which timecounter is in use and which there are. If a TSC is among them (on FreeBSD TSC-low), select it: `sysctl kern.timecounter.hardware=TSC-low`, or the loader tunable kern.timecounter.smp_tsc=1 if its quality is negative",
		commands: []string{"sysctl kern.timecounter.hardware kern.timecounter.choice kern.timecounter.smp_tsc"},
		risk:     "If the TSCs of the CPUs differ, time jumps between CPUs, also backwards. Run `timebench skew` afterwards."},
}
