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

// otherFormats are the other messages.
var otherFormats = []format{
	// The clock source in use.
	{
		kind: switched, has: "clocksource", weight: weightContext,
		pattern: `Switch(?:ed|ing) to clocksource:? ` + named("clock") + `(?:\.?$|\s)`,
		example: "clocksource: Switched to clocksource hpet",
	},
	{
		kind: switched, has: "clocksource has been installed", weight: weightContext,
		pattern: `Time: ` + named("clock") + ` clocksource has been installed`,
		example: "Time: hpet clocksource has been installed.",
	},
	{
		kind: registered, has: "max_idle_ns", weight: weightContext,
		pattern: `clocksource: ` + named("clock") + `: mask: (?P<mask>0x[0-9a-f]+) max_cycles: (?P<maxcycles>0x[0-9a-f]+), max_idle_ns: (?P<maxidle>\d+) ns`,
		example: "clocksource: hpet: mask: 0xffffffff max_cycles: 0xffffffff, max_idle_ns: 133484882848 ns",
	},
	{
		kind: refused, has: "hrt compatible", weight: weightDecides,
		pattern: `Override clocksource ` + named("clock") + ` is (?:unstable and )?not (?:currently )?HRT compatible`,
		example: "clocksource: Override clocksource tsc is unstable and not HRT compatible - cannot switch while in HRT/NOHZ mode",
	},
	// Suspend and resume, after which the TSCs of the CPUs can differ.
	{
		kind: suspended, has: "suspended for", weight: weightNoise,
		pattern: `(?:Timekeeping )?suspended for \d+\.\d+ seconds`,
		example: "Timekeeping suspended for 59.424 seconds",
	},
	{
		kind: suspended, has: "pm: suspend e", weight: weightContext,
		pattern: `^PM: suspend (?:entry|exit)`,
		example: "PM: suspend exit",
	},
	{
		kind: suspended, has: "hibernation e", weight: weightContext,
		pattern: `^PM: (?:hibernation: )?hibernation (?:entry|exit)`,
		example: "PM: hibernation: hibernation exit",
	},
	{
		kind: suspended, has: "resume", weight: weightContext,
		pattern: `^(?:PM: (?:noirq |early )?resume (?:of )?devices|PM: resume devices took|ACPI: (?:PM: )?Low-level resume complete)`,
		example: "PM: resume of devices complete after 541.103 msecs",
	},
	{
		kind: suspended, has: "pm: ", weight: weightNoise,
		pattern: `^PM: (?:Finishing wakeup|Writing back config space|Preparing system for (?:mem )?sleep|Entering mem sleep)`,
		example: "PM: Writing back config space on device 0000:00:02.1 at offset 4 (was 0, writing f3180000)",
	},
	{
		kind: suspended, has: "system sleep state", weight: weightContext,
		pattern: `^ACPI: (?:PM: )?(?:Waking up from|Preparing to enter) system sleep state`,
		example: "ACPI: PM: Waking up from system sleep state S3",
	},
	{
		kind: suspended, has: "restarting tasks", weight: weightContext,
		pattern: `^(?:PM: )?Restarting tasks`,
		example: "Restarting tasks ... done.",
	},
	// Other timers.
	{
		kind: lostRTC, has: "rtc interrupts", clock: "hpet", weight: weightNoise,
		pattern: `lost \d+ rtc interrupts`,
		example: "hpet1: lost 318 rtc interrupts",
	},
	{
		kind: acpiOff, has: "interpreter disabled", weight: weightContext,
		pattern: `ACPI: Interpreter disabled`,
		example: "ACPI: Interpreter disabled.",
	},
	{
		kind: hpetRate, has: "comparators", clock: "hpet", weight: weightContext,
		pattern: `hpet\d*: \d+ comparators, \d+-bit (?P<mhz>\d+\.\d+) MHz counter`,
		example: "hpet0: 3 comparators, 64-bit 14.318180 MHz counter",
	},
	{
		kind: pmTimerOff, has: "pm-timer", clock: "acpi_pm", weight: weightContext,
		pattern: `PM-Timer (?:failed consistency check|had inconsistent results|running at invalid rate)`,
		example: "PM-Timer failed consistency check  (0xffffff) - aborting.",
		others:  []string{"PM-Timer had inconsistent results: 0x7f0000, 0x7f0000 - aborting.", "PM-Timer running at invalid rate: 200% of normal - aborting."},
	},
	// Virtual machines and sandboxes.
	{
		kind: hypervisorKind, has: "hypervisor detected", weight: weightContext,
		pattern: `Hypervisor detected: (?P<name>.+)`,
		example: "Hypervisor detected: KVM",
	},
	{
		kind: xenGuest, has: "xen", weight: weightContext,
		pattern: `installing Xen timer for CPU|Booting paravirtualized kernel on (?:bare hardware with )?Xen|Xen version:? \d|xen: PV spinlocks`,
		example: "installing Xen timer for CPU 0",
		others:  []string{"Booting paravirtualized kernel on Xen"},
	},
	{
		kind: "kvm-clock", has: "kvm-clock", clock: "kvm-clock", weight: weightContext,
		pattern: `kvm-clock: `,
		example: "kvm-clock: Using msrs 4b564d01 and 4b564d00",
	},
	{
		kind: hostRate, has: "mhz", clock: "tsc", weight: weightContext,
		pattern: `(?:vmware: )?TSC freq read from hypervisor : (?P<mhz>\d+\.\d+) MHz`,
		example: "vmware: TSC freq read from hypervisor : 2599.999 MHz",
	},
	{
		kind: gvisorStart, has: "starting gvisor", weight: weightDecides,
		pattern: `Starting gVisor`,
		example: "Starting gVisor...",
	},
	// Arm's counter.
	{
		kind: counterTrapped, has: "trapping cntvct", clock: "arch_sys_counter", weight: weightDecides,
		pattern: `CPU(?P<cpu>\d+): Trapping CNTVCT access`,
		example: "arch_timer: CPU4: Trapping CNTVCT access",
	},
	{
		kind: erratum, has: "erratum", clock: "arch_sys_counter", weight: weightDecides,
		pattern: `arch_timer: Enabling (?:local|global) workaround for (?P<name>.+)`,
		example: "arch_timer: Enabling local workaround for ARM erratum 858921",
	},
	{
		kind: armRate, has: "cp15 timer", clock: "arch_sys_counter", weight: weightContext,
		pattern: `cp15 timer(?:\(s\))? running at (?P<mhz>\d+\.\d+)MHz`,
		example: "arch_timer: cp15 timer(s) running at 24.00MHz (phys).",
	},
	// Lines that only have facts of the machine.
	{
		kind: kernelVersion, has: "linux version", weight: weightNone,
		pattern: `^Linux version (?P<name>\S+)`,
		example: "Linux version 6.1.0-28-amd64 (build@host) #1 SMP",
	},
	{
		kind: commandLine, has: "command line: ", weight: weightNone,
		pattern: `^(?:Kernel )?command line: (?P<name>.+)`,
		example: "Kernel command line: root=UUID=0 ro acpi=off quiet",
	},
	{
		kind: firmwareNames, has: "dmi: ", weight: weightNone,
		pattern: `^DMI: (?P<name>.+)`,
		example: "DMI: innotek GmbH VirtualBox/VirtualBox, BIOS VirtualBox 12/01/2006",
	},
}
