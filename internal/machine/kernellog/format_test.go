package kernellog

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/show/texts"
)

// examples are the messages in docs/kernel-messages.md, which leaves out most prefixes, and messages that only have
// facts of the machine.
func examples(t testing.TB) []string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/kernel-messages.md")
	require.NoError(t, err)
	all := []string{
		"Linux version 6.1.0-28-amd64 (build@host) #1 SMP", "Kernel command line: root=UUID=0 ro acpi=off quiet",
		"DMI: innotek GmbH VirtualBox/VirtualBox, BIOS VirtualBox 12/01/2006",
		"Hardware name: VMware, Inc. VMware Virtual Platform/440BX Desktop Reference Platform, BIOS 6.00 05/20/2014",
		"ACPI: RSDP 0x00000000000F2400 000024 (v02 BHYVE )", "smpboot: CPU0: Intel(R) Core(TM) i9-9880H CPU @ 2.30GHz (family: 0x6, model: 0x9e, stepping: 0xd)", "smpboot: CPU0: Intel Xeon Processor",
		"(168 ms before the line above)", "(the dates of the lines jump by 5447576 s)", "(the dates of the lines go back by 8 h)", "(the dates of the lines go back and forth, by 1 s)", "(the next lines are of another machine: web2)", "ACPI: CPU0 (power states: C1[C1] C2[C2] C3[C3])", "CPU: ARMv7 Processor [410fc075] revision 5 (ARMv7), cr=10c5387d", "ACPI: FACP 0x00000000000A0C97 000114 (v06 FIRECK FCVMFADT", "virtio_blk virtio0: [vda] 41943040 512-byte logical blocks", "virtio_vmmci: detected drift greater than 5 seconds, synchronizing clock", "Switching to timer-based delay loop, resolution 18ns",
		"WSLg version: 1.0.47", "EXT4-fs (vda3): resized filesystem to 18298363", "WSL (247) ERROR: CheckConnection: getaddrinfo() failed: -5", "mini_init (232): drop_caches: 1", "CPU: 0 PID: 0 Comm: swapper/0 Not tainted 6.1.102 #1", "CPU: 5 PID: 2064 Comm: X Kdump: loaded Tainted: G            E     5.13.0.g625acff-master #4", "(t=44589 jiffies g=-51 q=223 ncpus=2)",
		"pc : arch_local_irq_enable+0x8/0xc", "PC is at __do_softirq+0x90/0x350", "INFO: RCU detected CPU 1 stall (t=4294904015/1000 jiffies)", "PM: hibernation: hibernation exit", "Back to C!", "hv_utils: TimeSync - force sync", "hv_balloon: Max. dynamic memory size: 3584 MB", "ntpd[7]: 0.0.0.0 061c 0c clock_step +4.152345 s", "systemd-timesyncd[602]: Initial synchronization to time server 192.0.2.62:123 (2.pool.ntp.org).", "ntpdate[7]: adjust time server 192.0.2.62 offset -0.012934 sec", "NTPSynchronized=yes", "ata1.00: qc timeout (cmd 0xec)", "INFO: NMI handler (perf_event_nmi_handler) took too long to run: 1.553 msecs", "TSC warped randomly between CPUs", "TSC: Unable to calibrate against PIT", "CPU#1 had -5 usecs TSC skew, fixed it up.", "PM: Writing back config space on device 0000:00:02.1 at offset 4 (was 0, writing f3180000)", "clocksource_watchdog_inject_delay(): Injecting delay.", "Hangcheck: hangcheck value past margin!", "NMI watchdog: Watchdog detected hard LOCKUP on cpu 2", "chronyd[7]: Fatal error : Not superuser",
	}
	for line := range strings.Lines(string(page)) {
		if messages, _, found := strings.Cut(line, "`: "); found && strings.HasPrefix(messages, "- `") {
			for message := range strings.SplitSeq(messages[len("- `"):], "`, `") {
				if formatOf(message) == nil && formatOf("clocksource: "+message) != nil {
					message = "clocksource: " + message
				}
				all = append(all, message)
			}
		}
	}
	return all
}

// The page explains more lines than the rules need: a document only keeps them. A format without an example may be
// hidden by an earlier format.
func TestEveryFormatHasAnExample(t *testing.T) {
	seen := map[string]bool{}
	for _, example := range examples(t) {
		f := formatOf(example)
		if f == nil {
			require.True(t, concerns(example), "%s: no document keeps it", example)
			continue
		}
		seen[f.pattern] = true
		require.Equal(t, f.weight > weightFacts, concerns(example), example)
		for _, line := range []string{example, strings.ToUpper(example), "[    1.000000] " + example, "Sep 11 07:03:06 host kernel: [    1.0] " + example} {
			events := Parse([]string{line})
			require.Len(t, events, 1, line)
			require.Equal(t, f.kind, events[0].Kind, line)
			require.NotEmpty(t, events[0].Line)
		}
		var boot LastBoot
		boot.Add("Sep 11 07:03:06 host kernel: " + example)
		boot.Finish()
		require.Equal(t, f.weight > weightFacts, len(Parse(boot.Lines)) == 1, "%s: %q", example, boot.Lines)
	}
	for _, e := range texts.Entries(formatsFile) {
		for _, f := range e.Fields {
			require.True(t, slices.Contains([]string{"by", "anywhere", "clock", "pattern"}, f.Key) || weights[f.Key] > 0 || f.Key == "facts", "%s: %s", e.Name, f.Key)
		}
	}
	for _, f := range formats() {
		require.NotEmpty(t, f.has, "%s: a filter", f.kind)
		require.True(t, seen[f.pattern], "%s: add an example of it to docs/kernel-messages.md", f.pattern)
		require.Equal(t, strings.ToLower(strings.Join(f.has, "")), strings.Join(f.has, ""), "%s: the text of the filter must be in lower case", f.pattern)
		require.NotRegexp(t, `^\.\*`, f.pattern, "a pattern that begins with .* is slow")
		for _, group := range f.expression().SubexpNames()[1:] {
			require.Contains(t, fields, group, "%s: add the group to fields", f.pattern)
		}
	}
}

// A filter hides no format, wherever its text stands in a line.
func TestFiltersHideNoFormat(t *testing.T) {
	for _, f := range formats() {
		for _, has := range f.has {
			require.Contains(t, candidates("x "+has), f, has)
			require.Contains(t, candidates(has), f, has)
		}
	}
	require.Empty(t, candidates(""))
	require.Empty(t, candidates("an ordinary line of a log"))
}
