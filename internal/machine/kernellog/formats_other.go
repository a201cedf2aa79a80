package kernellog

// The kinds of the other messages.
const (
	switched       Kind = "clocksource-switched"
	registered     Kind = "clocksource-registered"
	refused        Kind = "override-refused"
	hpetRate       Kind = "hpet-rate"
	acpiOff        Kind = "acpi-off"
	lostRTC        Kind = "lost-rtc-interrupts"
	pmTimerOff     Kind = "pm-timer-off"
	hypervisorKind Kind = "hypervisor"
	xenGuest       Kind = "xen-guest"
	hostRate       Kind = "hypervisor-tsc-rate"
	firmwareNames  Kind = "firmware-names"
	gvisorStart    Kind = "gvisor"
	erratum        Kind = "erratum"
	counterTrapped Kind = "counter-trapped"
	armRate        Kind = "arm-counter-rate"
	kernelVersion  Kind = "kernel-version"
	commandLine    Kind = "command-line"
	suspended      Kind = "suspended"
)

// selectionFormats are the messages on which clock source is in use.
var selectionFormats = []format{
	{
		kind: switched, has: "clocksource", pattern: `Switch(?:ed|ing) to clocksource:? ` + named("clock") + `(?:\.?$|\s)`,
		kernels: "since 2.6.26", source: clocksourceFile, weight: weightContext,
		example: "clocksource: Switched to clocksource hpet",
		meaning: "At boot several are normal.",
		harm:    "Harmless at boot; later a message before it says why.",
	},
	{
		kind: switched, has: "clocksource has been installed", pattern: `Time: ` + named("clock") + ` clocksource has been installed`,
		kernels: "2.6.18 to 2.6.25", source: "kernel/time/timekeeping.c", weight: weightContext,
		example: "Time: hpet clocksource has been installed.",
	},
	{
		kind: switched, has: "for high-res timesource", pattern: `Using ` + named("clock") + ` for high-res timesource`,
		kernels: "2.6.0 to 2.6.17 (i386)", source: "arch/i386/kernel/timers/timer.c", weight: weightContext,
		example: "Using tsc for high-res timesource",
	},
	{
		kind: registered, has: "max_idle_ns", pattern: `clocksource: ` + named("clock") + `: mask: (?P<mask>0x[0-9a-f]+) max_cycles: (?P<maxcycles>0x[0-9a-f]+), max_idle_ns: (?P<maxidle>\d+) ns`,
		kernels: "since 4.1", source: clocksourceFile, weight: weightContext,
		example: "clocksource: hpet: mask: 0xffffffff max_cycles: 0xffffffff, max_idle_ns: 133484882848 ns",
		meaning: "The kernel has this clock source, and may use another.",
	},
	{
		kind: refused, has: "hrt compatible", pattern: `Override clocksource ` + named("clock") + ` is (?:unstable and )?not (?:currently )?HRT compatible`,
		kernels: "since 2.6.25", source: clocksourceFile, weight: weightDecides,
		example: "clocksource: Override clocksource tsc is unstable and not HRT compatible - cannot switch while in HRT/NOHZ mode",
		meaning: "Somebody asked for a clock source that is marked unstable or not yet checked.",
		harm:    "The same as of the message that marked it.",
		action:  "Do not ask again.",
	},
	{
		kind: "leap-second", has: "leap second", pattern: `Clock: (?:inserting|deleting) leap second|leap second`,
		kernels: "since 2.6.21", source: "kernel/time/ntp.c", weight: weightNoise,
		example: "Clock: inserting leap second 23:59:60 UTC",
		meaning: "A leap second. After 2016-12-31 it comes from a wrong time server.",
	},
}

// timerFormats are the messages on timers other than the TSC.
var timerFormats = []format{
	{
		kind: lostRTC, has: "rtc interrupts", clock: "hpet", pattern: `lost \d+ rtc interrupts`,
		kernels: "since 2.6.16", source: "arch/x86/kernel/hpet.c", weight: weightNoise,
		example: "hpet1: lost 318 rtc interrupts",
		meaning: "Too busy for the interrupts of the RTC. Frequent in VirtualBox.",
		harm:    "Harmless for clocks.",
		action:  "Switch the virtual HPET off, or find the program that reads /dev/rtc.",
	},
	{
		kind: "hpet-disabled", has: "hpet", clock: "hpet", pattern: `HPET (?:dysfunctional in PC10|.*force disabled)|hpet.*(?:counter not counting|disabling hpet)|HPET: .*disabled`,
		kernels: "since 2.6", source: "arch/x86/kernel/hpet.c", weight: weightContext,
		example: "hpet: HPET dysfunctional in PC10. Force disabled.",
		meaning: "It stops in deep sleep of the CPU. The TSC does not need it.",
	},
	{
		kind: acpiOff, has: "interpreter disabled", pattern: `ACPI: Interpreter disabled`,
		kernels: "since 2.6", source: "drivers/acpi/bus.c", weight: weightContext,
		example: "ACPI: Interpreter disabled.",
		meaning: "Without ACPI no PM timer, and usually no HPET.",
		harm:    "Harmless if the TSC's rate is measured without them.",
		action:  "Remove `acpi=off`.",
	},
	{
		kind: hpetRate, has: "comparators", clock: "hpet", pattern: `hpet\d*: \d+ comparators, \d+-bit (?P<mhz>\d+\.\d+) MHz counter`,
		kernels: "since 2.6.29", source: "drivers/char/hpet.c", weight: weightContext,
		example: "hpet0: 3 comparators, 64-bit 14.318180 MHz counter",
		meaning: "There is an HPET of this rate.",
	},
	{
		kind: pmTimerOff, has: "pm-timer", clock: "acpi_pm", pattern: `PM-Timer (?:failed consistency check|had inconsistent results|running at invalid rate)`,
		kernels: "since 2.6.18", source: "drivers/clocksource/acpi_pm.c", weight: weightContext,
		example: "PM-Timer failed consistency check  (0xffffff) - aborting.",
		others:  []string{"PM-Timer had inconsistent results: 0x7f0000, 0x7f0000 - aborting.", "PM-Timer running at invalid rate: 200% of normal - aborting."},
		meaning: "The PM timer does not count. The kernel does without it.",
	},
	{
		kind: "pm-timer-slow", has: "pm-timer", clock: "acpi_pm", pattern: `(?:Found )?PM-Timer Bug\b|PM-Timer.*workarounds? for a bug`,
		kernels: "since 2.6.18", source: "drivers/clocksource/acpi_pm.c", weight: weightContext,
		example: "* Found PM-Timer Bug on the chipset. Due to workarounds for a bug,",
		meaning: "The kernel reads this old PM timer three times for each value.",
		harm:    "Harmless unless acpi_pm is in use.",
	},
}

// guestFormats are the messages of virtual machines and sandboxes.
var guestFormats = []format{
	{
		kind: hypervisorKind, has: "hypervisor detected", pattern: `Hypervisor detected: (?P<name>.+)`,
		kernels: "since 2.6.35", source: "arch/x86/kernel/cpu/hypervisor.c", weight: weightContext,
		example: "Hypervisor detected: KVM",
		meaning: "The hypervisor, its clock, the TSC rate that it names. On Xen the intended clock source is xen.",
	},
	{
		kind: xenGuest, has: "xen", pattern: `installing Xen timer for CPU|Booting paravirtualized kernel on (?:bare hardware with )?Xen|Xen version:? \d|xen: PV spinlocks`,
		kernels: "since 2.6.23", source: "arch/x86/xen/time.c", weight: weightContext,
		example: "installing Xen timer for CPU 0",
		others:  []string{"Booting paravirtualized kernel on Xen"},
	},
	{
		kind: "kvm-clock", has: "kvm-clock", pattern: `kvm-clock: `, clock: "kvm-clock",
		kernels: "since 2.6.26", source: "arch/x86/kernel/kvmclock.c", weight: weightContext,
		example: "kvm-clock: Using msrs 4b564d01 and 4b564d00",
	},
	{
		kind: hostRate, has: "mhz", clock: "tsc", pattern: `(?:vmware: )?TSC freq read from hypervisor : (?P<mhz>\d+\.\d+) MHz`,
		kernels: "since 2.6.29", source: "arch/x86/kernel/cpu/vmware.c", weight: weightContext,
		example: "vmware: TSC freq read from hypervisor : 2599.999 MHz",
	},
	{
		kind: gvisorStart, has: "starting gvisor", pattern: `Starting gVisor`,
		kernels: "gVisor", source: "pkg/sentry/kernel/syslog.go of google/gvisor", weight: weightDecides,
		example: "Starting gVisor...",
		meaning: "gVisor (runsc) implements the clocks itself.",
	},
}

// armFormats are the messages of Arm's counter.
var armFormats = []format{
	{
		kind: counterTrapped, has: "trapping cntvct", clock: "arch_sys_counter", pattern: `CPU(?P<cpu>\d+): Trapping CNTVCT access`,
		kernels: "since 4.12", source: "drivers/clocksource/arm_arch_timer.c", weight: weightDecides,
		example: "arch_timer: CPU4: Trapping CNTVCT access",
		meaning: "An erratum of the counter: reads of the time enter the kernel.",
		harm:    "Reads are right, and slow.",
	},
	{
		kind: erratum, has: "erratum", clock: "arch_sys_counter", pattern: `arch_timer: Enabling (?:local|global) workaround for (?P<name>.+)`,
		kernels: "since 4.12", source: "drivers/clocksource/arm_arch_timer.c", weight: weightDecides,
		example: "arch_timer: Enabling local workaround for ARM erratum 858921",
		meaning: "An erratum of the counter. 1418040 and 1188873 concern 32-bit programs only. After 858921, HiSilicon 161010101, Freescale a008585 and Allwinner's, \"Trapping CNTVCT access\" follows.",
		harm:    "It depends on the erratum.",
		action:  "Nothing: the workaround is needed.",
	},
	{
		kind: armRate, has: "cp15 timer", clock: "arch_sys_counter", pattern: `cp15 timer(?:\(s\))? running at (?P<mhz>\d+\.\d+)MHz`,
		kernels: "since 3.2", source: "drivers/clocksource/arm_arch_timer.c", weight: weightContext,
		example: "arch_timer: cp15 timer(s) running at 24.00MHz (phys).",
		meaning: "The rate of Arm's counter, the clock source arch_sys_counter.",
	},
}

// bootFormats are lines that only have facts of the machine.
var bootFormats = []format{
	{
		kind: kernelVersion, has: "linux version", pattern: `^Linux version (?P<name>\S+)`,
		kernels: "all", source: "init/version.c", weight: weightNone, example: "Linux version 6.1.0-28-amd64 (build@host) #1 SMP",
	},
	{
		kind: commandLine, has: "command line: ", pattern: `^(?:Kernel )?command line: (?P<name>.+)`,
		kernels: "all", source: "init/main.c", weight: weightNone, example: "Kernel command line: root=UUID=0 ro acpi=off quiet",
	},
	{
		kind: firmwareNames, has: "dmi: ", pattern: `^DMI: (?P<name>.+)`,
		kernels: "since 2.6.37", source: "drivers/firmware/dmi_scan.c", weight: weightNone,
		example: "DMI: innotek GmbH VirtualBox/VirtualBox, BIOS VirtualBox 12/01/2006",
	},
}
