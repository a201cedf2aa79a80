package kernellog

// The kinds of the other messages.
const (
	switched   Kind = "clocksource-switched"
	registered Kind = "clocksource-registered"
	refused    Kind = "override-refused"
	erratum    Kind = "erratum"
	armRate    Kind = "arm-counter-rate"
	suspended  Kind = "suspended"
)

// otherFormats are the other messages.
var otherFormats = []format{
	// The clock source in use.
	{kind: switched, has: "clocksource", weight: weightContext, pattern: `Switch(?:ed|ing) to clocksource:? ` + named("clock") + `(?:\.?$|\s)`},
	{kind: switched, has: "clocksource has been installed", weight: weightContext, pattern: `Time: ` + named("clock") + ` clocksource has been installed`},
	{kind: registered, has: "max_idle_ns", weight: weightContext, pattern: `clocksource: (?P<clock>[\w .:-]+?): mask: 0x[0-9a-f]+ max_cycles: (?P<maxcycles>0x[0-9a-f]+), max_idle_ns: (?P<maxidle>\d+) ns`},
	{kind: refused, has: "hrt compatible", weight: weightDecides, pattern: `Override clocksource ` + named("clock") + ` is (?:unstable and )?not (?:currently )?HRT compatible`},
	// Suspend and resume, after which the TSCs of the CPUs can differ.
	{kind: suspended, has: "suspended for", weight: weightNoise, pattern: `(?:Timekeeping )?suspended for \d+\.\d+ seconds`},
	{kind: suspended, has: "pm: suspend e", weight: weightContext, pattern: `^PM: suspend (?:entry|exit)`},
	{kind: suspended, has: "hibernation e", weight: weightContext, pattern: `^PM: (?:hibernation: )?hibernation (?:entry|exit)`},
	{kind: suspended, has: "resume", weight: weightContext, pattern: `^(?:PM: (?:noirq |early )?resume (?:of )?devices|PM: resume devices took|ACPI: (?:PM: )?Low-level resume complete)`},
	{kind: suspended, has: "pm: ", weight: weightNoise, pattern: `^PM: (?:Finishing wakeup|Writing back config space|Preparing system for (?:mem )?sleep|Entering mem sleep)`},
	{kind: suspended, has: "system sleep state", weight: weightContext, pattern: `^ACPI: (?:PM: )?(?:Waking up from|Preparing to enter) system sleep state`},
	{kind: suspended, has: "restarting tasks", weight: weightContext, pattern: `^(?:PM: )?Restarting tasks`},
	// Other timers.
	{kind: "lost-rtc-interrupts", has: "rtc interrupts", clock: "hpet", weight: weightNoise, pattern: `lost \d+ rtc interrupts`},
	{kind: "acpi-off", has: "interpreter disabled", weight: weightContext, pattern: `ACPI: Interpreter disabled`},
	{kind: "hpet-rate", has: "comparators", clock: "hpet", weight: weightContext, pattern: `hpet\d*: \d+ comparators, \d+-bit (?P<mhz>\d{1,7}\.\d+) MHz counter`},
	{kind: "pm-timer-off", has: "pm-timer", clock: "acpi_pm", weight: weightContext, pattern: `PM-Timer (?:failed consistency check|had inconsistent results|running at invalid rate)`},
	// Virtual machines and sandboxes.
	{kind: "hypervisor", has: "hypervisor detected", weight: weightContext, pattern: `Hypervisor detected: (?P<name>.+)`},
	{kind: "xen-guest", has: "xen", weight: weightContext, pattern: `installing Xen timer for CPU|Booting paravirtualized kernel on (?:bare hardware with )?Xen|Xen version:? \d|xen: PV spinlocks`},
	{kind: "kvm-clock", has: "kvm-clock", clock: "kvm-clock", weight: weightContext, pattern: `kvm-clock: `},
	{kind: "hypervisor-tsc-rate", has: "mhz", clock: "tsc", weight: weightContext, pattern: `(?:vmware: )?TSC freq read from hypervisor : (?P<mhz>\d{1,7}\.\d+) MHz`},
	{kind: "gvisor", has: "starting gvisor", weight: weightDecides, pattern: `Starting gVisor`},
	// Arm's counter.
	{kind: "counter-trapped", has: "trapping cntvct", clock: "arch_sys_counter", weight: weightDecides, pattern: `CPU(?P<cpu>\d+): Trapping CNTVCT access`},
	{kind: erratum, has: "erratum", clock: "arch_sys_counter", weight: weightDecides, pattern: `arch_timer: Enabling (?:local|global) workaround for (?P<name>.+)`},
	{kind: armRate, has: "cp15 timer", clock: "arch_sys_counter", weight: weightContext, pattern: `cp15 timer(?:\(s\))? running at (?P<mhz>\d{1,7}\.\d+)MHz(?: \((?P<name>phys|virt)\))?`},
	{kind: "arm-32", has: "armv7 processor", weight: weightContext, pattern: `^CPU: ARMv7 Processor`},
	{kind: "arm-32", has: "timer-based delay loop", weight: weightContext, pattern: `^Switching to timer-based delay loop`}, // arch/arm/lib/delay.c
	// The CPU, and what it does when idle.
	{kind: "idle-states", has: "c3", weight: weightNoise, pattern: `^ACPI: CPU0 \(power states: .*C3\[`},
	{ // stamps.Add writes it
		kind: stampBack, has: "ms before the line above", clock: "tsc", weight: weightDecides, pattern: `^\((?P<before>\d+) ms before the line above\)`,
	},
	// Lines that only have facts of the machine.
	{kind: "kernel-version", has: "linux version", weight: weightNone, pattern: `^Linux version (?P<name>\S+)`},
	// print_cpu_info in arch/x86/kernel/cpu/common.c
	{kind: "cpu-name", has: "cpu0: ", weight: weightNone, pattern: `^(?:smpboot: )?CPU0: (?P<name>(?:\w+ )?(?:Intel|AMD|VIA|Hygon).+?)(?: \(family: .*| stepping \w+)$`},
	{kind: "command-line", has: "command line: ", weight: weightNone, pattern: `^(?:Kernel )?command line: (?P<name>.+)`},
	{kind: "firmware-names", has: "dmi: ", weight: weightNone, pattern: `^DMI: (?P<name>.+)`},
	{kind: "firmware-names", has: "hardware name: ", weight: weightNone, pattern: `^Hardware name: (?P<name>.+)`},
	// The tables of Firecracker: "ACPI: FACP 0x00000000000A0C97 000114 (v06 FIRECK FCVMFADT".
	{kind: "firecracker", has: " fireck", weight: weightNone, pattern: `^ACPI: .* FIRECK`},
	{kind: "virtio", has: "virtio", weight: weightNone, pattern: `^virtio[_-]\w+(?: virtio\d+)?: `},
	{kind: "wsl", has: "wsl (", weight: weightNone, pattern: `^WSL \(\d+\)`},
	{kind: "wsl", has: "mini_init (", weight: weightNone, pattern: `^mini_init \(\d+\)`},
	{kind: "firmware-names", has: "acpi: rsdp", weight: weightContext, pattern: `^ACPI: RSDP .*\(v\d+ (?P<name>VBOX|BHYVE|PRLS|BOCHS|PTLTD|Xen|VRTUAL)`},
}
