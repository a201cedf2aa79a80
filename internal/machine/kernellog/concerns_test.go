package kernellog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConcerns(t *testing.T) {
	for _, text := range []string{
		"[Firmware Bug]: TSC_DEADLINE disabled due to Errata; please update microcode to version: 0x22 (or later)",
		"hpet0: at MMIO 0xfed00000, IRQs 2, 8, 0", "ACPI: HPET id: 0x8086a201 base: 0xfed00000", "hpet clockevent registered",
		"pvclock: x", "Hyper-V: LAPIC Timer Frequency: 0xc3500", "hyperv_clocksource: timer", "sched_clock: Marking unstable (1, 2)<-(3, 4)",
		"ACPI: PM-Timer IO Port: 0x608", "acpi_pm: x", "Architected cp15 timer(s) running at 24.00MHz (virt).", "Xen version 4.11.",
		"CLOCKSOURCE: SWITCHED TO CLOCKSOURCE HPET", "Sep 11 07:03:06 kernel: tsc: x", "timekeeping: Marking clocksource",
		"rtc_cmos 00:05: RTC can wake from S4", "rtc-pl031 9010000.pl031: registered as rtc0", "PM: RTC time: 12:34:56, date: 2024-12-03",
		"vmware: using clock offset of 7218443011 ns", "Clock: inserting leap second 23:59:60 UTC",
		"warning: many lost ticks.", "Loosing too many ticks!", "Your time source seems to be instable or some driver is hogging interupts", "[ 9.1] Back to C!",
	} {
		require.True(t, concerns(text), text)
	}
	for _, text := range []string{
		"", "Out of memory: Killed process 4711 (tsc) total-vm:9441204kB", "audit: comm=\"tsc\" exe=\"/usr/bin/node\"", "clk: Disabling unused clocks",
		"[Firmware Bug]: the BIOS has corrupted hw-PMU resources", "NET: Registered PF_INET protocol family", "hv_vmbus: registering driver hv_utils",
		"usb 1-1: Product: artrtc", "INFO: task tsc:4711 blocked for more than 120 seconds.", "tsc[4711]: segfault at 0 ip 0", "CPU: 3 PID: 4711 Comm: tsc Not tainted",
		"Kernel command line: tsc=reliable password=x", "Linux version 6.1 (tsc)", "Sep 11 07:03:06 host ntpd[3]: tsc: x", "PTP clock support registered", "etsc: x", "pci 0000:00:1f.3: Falling back to C!",
	} {
		require.False(t, concerns(text), text)
	}
}

// Prose that quotes a message does not begin with it.
func TestQuotedMessagesBeginNoLine(t *testing.T) {
	for _, line := range []string{
		"The log has \"Marking TSC unstable due to clocksource watchdog\" in it.",
		"| Marking TSC unstable due to boot parameter | remove it |",
		"`tsc: Marking TSC unstable due to clocksource watchdog`",
		"kernel log: [    0.277034] tsc: Marking TSC unstable due to TSCs unsynchronized",
		"return \"Starting gVisor...\"",
		"timekeeping watchdog on CPU3: Marking clocksource 'tsc' as unstable, which only means that the watchdog was late.",
		"timekeeping watchdog on CPU0: Marking clocksource 'tsc' as unstable)",
		"// System clock wrong by 3600.5 seconds", "/* frequency error 512 PPM exceeds tolerance 500 PPM */",
		"* time correction of 1537 seconds exceeds sanity limit (1000)", "- Can't synchronise: no selectable sources",
		"10. Could not step system clock", "12:01 <ann> System clock wrong by 3600.5 seconds",
		"",
	} {
		require.Nil(t, formatOf(line), line)
	}
}
