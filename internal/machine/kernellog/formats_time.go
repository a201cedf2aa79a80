package kernellog

// The kinds of the messages on the wall clock, on ticks, and on what holds up the kernel's timers.
const (
	stepped Kind = "stepped"
	stalled Kind = "stalled"
)

// timeFormats are these messages, also of time services.
var timeFormats = []format{
	{kind: stepped, has: "jumped backwards", program: true, weight: weightDecides, pattern: `systemd-journald\[\d+\]: .*jumped (?P<back>backwards)`},
	{kind: stepped, has: "chronyd", program: true, weight: weightDecides, pattern: `(?P<name>chronyd)\[\d+\]: (?:System clock (?:was stepped|wrong) by (?P<step>-?[0.]{0,9}[1-9][\d.]{0,15}) seconds|(?:Forward|(?P<back>Backward)) time jump detected)`},
	{kind: "rate-beyond-limit", has: "exceeds allowed maximum", program: true, weight: weightDecides, pattern: `(?P<name>chronyd)\[\d+\]: Frequency (?P<reason>-?\d{1,9}\.\d+ ppm) exceeds allowed maximum`},
	{kind: "rate-beyond-limit", has: "exceeds tolerance", program: true, weight: weightDecides, pattern: `(?P<name>ntpd)\[\d+\]: frequency error (?P<reason>-?\d{1,9} PPM) exceeds tolerance`}, // ntpd/ntp_loopfilter.c
	{kind: stepped, has: "ntp", program: true, weight: weightDecides, pattern: `(?P<name>ntp(?:d|date))\[\d+\]: (?:time reset|step time server \S+ offset) (?P<step>[-+]?[0.]{0,9}[1-9][\d.]{0,15}) s`},
	{kind: stepped, has: "resyncing", program: true, weight: weightDecides, pattern: `systemd-timesyncd\[\d+\]: (?:System time changed|Clock change detected)\. Resyncing`},
	{kind: stepped, has: "time has been changed", program: true, weight: weightDecides, pattern: `systemd\[\d+\]: Time has been changed`},
	{kind: stepped, has: "stepping time", program: true, weight: weightDecides, pattern: `(?P<name>vmtoolsd)\[\d+\]: .*\[timeSync\] .*stepping time`},
	{kind: stepped, has: "radical guest time change", program: true, weight: weightDecides, pattern: `(?P<name>VBoxService)\[\d+\]: .*Radical guest time change`},
	{kind: stepped, has: "virtio_vmmci", weight: weightDecides, pattern: `(?P<name>virtio_vmmci): detected drift greater than \d+ seconds, synchronizing clock`},
	{kind: "leap-second", has: "leap second", weight: weightDecides, pattern: `Clock: (?P<name>inserting|deleting) leap second`},
	// The real-time clock.
	{kind: "rtc-read", has: "rtc", weight: weightNoise, pattern: `(?:[\w-]*rtc\S*(?: \S+)?: setting system clock to|RTC time: [\d:]+, date:) (?P<name>\d{4})-`},
	{kind: "rtc-missing", has: "unable to open rtc device", weight: weightContext, pattern: `(?:\S*drivers/rtc/)?hctosys(?:\.c)?: unable to open rtc device`},
	{kind: "rtc-unset", has: "hctosys", weight: weightDecides, pattern: `(?:\S*drivers/rtc/)?hctosys(?:\.c)?: (?:unable to (?:read|set)|invalid date)`},
	{kind: "rtc-unset", has: "rtc", weight: weightDecides, pattern: `[\w-]*rtc\S*(?: \S+)?: (?:low voltage detected|voltage low|oscillator failed|.*(?:date/time|time) is not reliable|.*set time!)`},
	{kind: "rtc-unset", has: "time before build time", program: true, weight: weightDecides, pattern: `systemd\[\d+\]: System time before build time, advancing clock`},
	{kind: "rtc-unset", has: "clock time unset", program: true, weight: weightDecides, pattern: `systemd-timesyncd\[\d+\]: System clock time unset or jumped backwards?, restor`},
	// Timers are held up, and so is the time of kernels that count timer interrupts.
	{kind: "lost-ticks", has: "ticks", clock: "tick", weight: weightDecides, pattern: `(?:many lost ticks|Loo?sing (?:some|too many) ticks)`},
	{kind: "lost-ticks", has: "time source seems to be instable", clock: "tick", weight: weightContext, pattern: `Your time source seems to be instable`},
	{kind: "xen-time-went-back", has: "time went backwards", clock: "xen", weight: weightDecides, pattern: `(?:Timer ISR|clocksource)/(?P<cpu>\d+): Time went backwards: .*?delta=(?P<skew>-?\d+)`},
	{kind: "slow-interrupt", has: "interrupt took", weight: weightContext, pattern: `hrtimer: interrupt took (?P<delay>\d+) ns`},
	{kind: "rt-throttling", has: "rt throttling", weight: weightContext, pattern: `sched: (?:DL replenish lagged|RT throttling activated)`},
	{kind: stalled, has: "stall", weight: weightContext, pattern: `INFO: rcu_\w+ (?:self-)?detected (?:expedited )?stalls?`},
	{kind: "stalled-for", has: "jiffies g=", weight: weightContext, pattern: `\(t=(?P<cycles>\d+) jiffies g=`},
	{kind: "idle-task", has: "comm: swapper/", weight: weightNoise, pattern: `^CPU: \d+ PID: 0 Comm: swapper/`},
	{kind: "undervoltage", has: "voltage detected", weight: weightContext, pattern: `Under-?voltage detected!`},
	{kind: stalled, has: "soft lockup", weight: weightContext, pattern: `BUG: soft lockup - CPU#(?P<cpu>\d+) stuck for`},
}
