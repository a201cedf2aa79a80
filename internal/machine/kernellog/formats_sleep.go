package kernellog

// sleepFormats are the messages on suspend and resume, after which the TSCs of the CPUs can differ.
var sleepFormats = []format{
	{
		kind: suspended, has: "suspended for", pattern: `(?:Timekeeping )?suspended for (?P<seconds>\d+\.\d+) seconds`,
		kernels: "since 3.9", source: "kernel/time/timekeeping_debug.c", weight: weightNoise,
		example: "Timekeeping suspended for 59.424 seconds",
		meaning: "How long the machine slept. CLOCK_MONOTONIC does not count it.",
	},
	{
		kind: suspended, has: "pm: suspend e", pattern: `^PM: suspend (?:entry|exit)`,
		kernels: "since 4.11", source: "kernel/power/suspend.c", weight: weightContext,
		example: "PM: suspend exit",
		meaning: "In S3 (\"deep\") the CPUs lose their TSC, and firmware or kernel must restore it.",
		harm:    "Harmless unless the TSCs then differ or went back.",
	},
	{
		kind: suspended, has: "hibernation e", pattern: `^PM: (?:hibernation: )?hibernation (?:entry|exit)`,
		kernels: "since 4.11", source: "kernel/power/hibernate.c", weight: weightContext,
		example: "PM: hibernation: hibernation exit",
	},
	{
		kind: suspended, has: "resume", pattern: `^(?:PM: (?:noirq |early )?resume (?:of )?devices|PM: resume devices took|ACPI: (?:PM: )?Low-level resume complete)`,
		kernels: "since 2.6.26", source: "drivers/base/power/main.c, drivers/acpi/sleep.c", weight: weightContext,
		example: "PM: resume of devices complete after 541.103 msecs",
	},
	{
		kind: suspended, has: "pm: ", pattern: `^PM: (?:Finishing wakeup|Writing back config space|Preparing system for (?:mem )?sleep|Entering mem sleep)`,
		kernels: "to 4.x", source: "kernel/power/main.c, drivers/pci/pci.c", weight: weightNoise,
		example: "PM: Writing back config space on device 0000:00:02.1 at offset 4 (was 0, writing f3180000)",
	},
	{
		kind: suspended, has: "system sleep state", pattern: `^ACPI: (?:PM: )?(?:Waking up from|Preparing to enter) system sleep state`,
		kernels: "since 2.6.27", source: "drivers/acpi/sleep.c", weight: weightContext,
		example: "ACPI: PM: Waking up from system sleep state S3",
	},
	{
		kind: suspended, has: "restarting tasks", pattern: `^(?:PM: )?Restarting tasks`,
		kernels: "all", source: "kernel/power/process.c", weight: weightContext,
		example: "Restarting tasks ... done.",
	},
	{
		kind: suspended, has: "back to c!", pattern: `^Back to C!`,
		kernels: "to 2.6.x", source: "drivers/acpi/sleep.c", weight: weightContext,
		example: "Back to C!",
	},
}
