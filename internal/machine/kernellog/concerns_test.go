package kernellog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConcerns(t *testing.T) {
	for _, text := range []string{
		"clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as unstable because the skew is too large:",
		"clocksource:                       'hpet' wd_nsec: 511946381 wd_now: 57530b1d wd_last: 56e31eec mask: ffffffff",
		"tsc: Marking TSC unstable due to clocksource watchdog", "tsc: Detected 2596.144 MHz processor",
		"TSC found unstable after boot, most likely due to broken BIOS. Use 'tsc=unstable'.",
		"[Firmware Bug]: TSC doesn't count with P0 frequency!", "[Firmware Bug]: TSC ADJUST differs: CPU0 0 --> -123. Restoring",
		"[Firmware Bug]: TSC_DEADLINE disabled due to Errata; please update microcode to version: 0x22 (or later)",
		"Measured 482 cycles TSC warp between CPUs, turning off TSC clock.",
		"kvm: SMP vm created on host with unstable TSC; guest TSC will not be reliable",
		"hpet0: at MMIO 0xfed00000, IRQs 2, 8, 0", "ACPI: HPET id: 0x8086a201 base: 0xfed00000", "hpet clockevent registered",
		"kvm-clock: Using msrs 4b564d01 and 4b564d00", "pvclock: x", "Hyper-V: LAPIC Timer Frequency: 0xc3500", "hyperv_clocksource: timer",
		"sched_clock: Marking unstable (1, 2)<-(3, 4)", "ACPI: PM-Timer IO Port: 0x608", "acpi_pm: x",
		"arch_timer: cp15 timer(s) running at 62.50MHz (virt).", "Architected cp15 timer(s) running at 24.00MHz (virt).",
		"Hypervisor detected: KVM", "Xen version: 4.11.amazon (preserve-AD)", "Xen version 4.11.",
		"CLOCKSOURCE: SWITCHED TO CLOCKSOURCE HPET", "marking tsc unstable due to clocksource watchdog", "Adjusting tsc more than 11% (1 vs 2)",
		"Starting gVisor...", "installing Xen timer for CPU 0", "warning: many lost ticks.", "Sep 11 07:03:06 kernel: tsc: x", "CPU5 1 < CPU0 2 (cycles)",
		"timekeeping: Marking clocksource", "rtc_cmos 00:05: RTC can wake from S4", "rtc-pl031 9010000.pl031: registered as rtc0",
		"PM: RTC time: 12:34:56, date: 2024-12-03", "vmware: using clock offset of 7218443011 ns",
	} {
		require.True(t, Concerns(text), text)
	}
	for _, text := range []string{
		"", "Out of memory: Killed process 4711 (tsc) total-vm:9441204kB", "audit: comm=\"tsc\" exe=\"/usr/bin/node\"", "clk: Disabling unused clocks",
		"[Firmware Bug]: the BIOS has corrupted hw-PMU resources", "NET: Registered PF_INET protocol family", "hv_vmbus: registering driver hv_utils",
		"usb 1-1: Product: artrtc", "INFO: task tsc:4711 blocked for more than 120 seconds.", "tsc[4711]: segfault at 0 ip 0", "CPU: 3 PID: 4711 Comm: tsc Not tainted",
		"Kernel command line: tsc=reliable password=x", "Linux version 6.1 (tsc)", "Sep 11 07:03:06 host ntpd[3]: tsc: x", "PTP clock support registered", "etsc: x",
	} {
		require.False(t, Concerns(text), text)
	}
}

// Each message begins its line. A format whose example does not needs its prefix in leading.
func TestMessagesBeginTheirLines(t *testing.T) {
	for i := range formats {
		text := Split(formats[i].example).Text
		require.True(t, Begins(text), "%q: add what stands before the message to leading", text)
	}
	for _, line := range []string{
		"The log has \"Marking TSC unstable due to clocksource watchdog\" in it.",
		"| Marking TSC unstable due to boot parameter | remove it |",
		"`tsc: Marking TSC unstable due to clocksource watchdog`",
		"kernel log: [    0.277034] tsc: Marking TSC unstable due to TSCs unsynchronized",
		"return \"Starting gVisor...\"",
		"",
	} {
		require.False(t, Begins(line), line)
	}
}
