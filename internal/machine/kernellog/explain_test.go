package kernellog

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// casesFolder has the reported logs of diagnose.
const casesFolder = "../../diagnose/testdata/cases"

func readLines(t testing.TB, parts ...string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n")
}

func kinds(causes []Cause) []string {
	var all []string
	for _, c := range causes {
		all = append(all, c.Kind)
	}
	return all
}

// explained are the results of Explain for the logs of public reports: the kinds of the causes, and the judgement of
// the TSC and parts of the text of the first cause. The answers for the other logs are in their cases.
//
// The logs in testdata are from docker/for-mac#2747 and #4486, sozu-proxy/sozu#500, QubesOS/qubes-issues#2044,
// thenickdude/KVM-Opencore#15, vdsm/virtual-dsm#1111, RPCS3/rpcs3#16382, codepayne/pop-os-linux#8,
// coolsnowwolf/lede#9028, Mellanox/mkt#74, FrameworkComputer/SoftwareFirmwareIssueTracker#107,
// deepin-community/kernel#265, lkml.iu.edu/2603.1/00100.html, sungju.org/2019/02/27, gist.github.com/wmealing/5316542,
// and a server of 2009 (mausmaki.net).
var explained = map[string]struct {
	kinds []string
	tsc   Judgement
	has   string
}{
	"02-acpi-pm-wrapped-qemu-i386":            {[]string{"watchdog-wrapped"}, TSCRight, "4.687 s is one round of acpi_pm"},
	"06-sapphire-rapids-ntp-4-percent":        {[]string{"wrong-cpuid-rate"}, TSCWrong, "+4.17 %"},
	"10-kvm-guest-host-suspended":             {[]string{"watchdog-jumped"}, TSCUnknown, "kvm-clock advanced 6.899 s"},
	"13-xhyve-after-sleep":                    {[]string{"clocks-disagree"}, TSCUnknown, "131.6 ms less than the watchdog"},
	"16-threadripper-tsc-showed-zero":         {[]string{"tsc-went-back"}, TSCWrong, "an advance of 0 ns"},
	"19-thinkcentre-m715q":                    {[]string{"clocks-disagree"}, TSCUnknown, "+0.177 % (1770 ppm)"},
	"22-corefreq-changed-p-state":             {[]string{"tsc-jumped", "override-refused"}, TSCWrong, "11 h (130532519275279 cycles at 3.297 GHz, by its value and the uptime, a guess)"},
	"25-kernel-7-0-desktop-stalls":            {[]string{"clocks-agree"}, TSCRight, "agree within 12.14 µs (4.19 ppm)"},
	"27-cooper-lake-4-cycles":                 {[]string{"cpus-differ"}, TSCWrong, "4 cycles between CPU 0 and CPU 36"},
	"30-core2-desktop-after-resume":           {[]string{"cpus-differ-after-resume"}, TSCWrong, "suspended and resumed"},
	"33-core-duo-t2400-old-words":             {[]string{"cpus-differ"}, TSCWrong, "3399901879 cycles"},
	"35-athlon64-powernow-2009":               {[]string{"cpufreq-changes"}, TSCWrong, "constant_tsc"},
	"38-ec2-xen-pv-2-ghz":                     {[]string{"xen-by-design"}, TSCUnknown, "Xen guest"},
	"41-macbook-acpi-off":                     {[]string{"calibration-failed"}, TSCWrong, "acpi=off"},
	"44-xeon-tsc-reliable-hides-firmware-bug": {[]string{"tsc-adjust"}, TSCUnknown, "The firmware wrote to the TSC"},
	"47-arm64-cortex-a73-858921":              {[]string{"counter-trapped"}, TSCUnknown, "858921"},
	"49-arm64-neoverse-n1-1418040-healthy":    {[]string{"32-bit-erratum"}, TSCUnknown, "32-bit programs only"},
	"52-hyperv-gen2-healthy":                  {[]string{"hyperv-by-design"}, TSCUnknown, "as intended"},
	"54-hpet-first-then-tsc-healthy":          {},
	"57-p0-frequency-note-virtualbox-healthy": {[]string{"p0-frequency"}, TSCUnknown, "HWCR bit 24"},
	"60-overclocked-tsc-3-ghz-healthy":        {},
	"01-watchdog-wrapped":                     {[]string{"watchdog-wrapped"}, TSCRight, "4.687 s is one round of acpi_pm"},
	"02-read-back-delay-8-sockets":            {[]string{"read-back-delay"}, TSCRight, "153.6 µs, where 125 µs is the limit"},
	"03-kernel-7-inter-cpu-skew":              {[]string{"cpus-differ"}, TSCWrong, "115657 cycles (38.62 µs at 2.994 GHz, by the line \"Refined TSC\") behind the TSC of CPU 0"},
	"03b-kernel-7-frequency-skew":             {[]string{"clocks-disagree"}, TSCUnknown, "+2.47 %"},
	"05-hpet-flood-hides-the-reason":          {[]string{"clocks-disagree", "lost-rtc-interrupts"}, TSCUnknown, "acpi_pm advanced 503.1 ms (the kernel's figure), the TSC advanced 112.1 ms (290456271 cycles at 2.592 GHz, by the line \"Refined TSC\")"},
	"06-tsc-early-despite-reliable":           {[]string{"weak-watchdog"}, TSCUnknown, "Linux before 5.4 also ignores tsc=reliable"},
	"07-bhyve-guest":                          {[]string{"check-ran-late"}, TSCUnknown, "The check ran at least"},
	"deepin-265":                              {[]string{"tsc-adjust"}, TSCUnknown, "CPUs 13 to 15"},
	"docker-for-mac-2747":                     {[]string{"hpet-may-stop"}, TSCUnknown, "3.321 GHz, if hpet has 14.318 MHz"},
	"docker-for-mac-4486":                     {[]string{"hpet-may-stop"}, TSCUnknown, "1.363 s at 14.318 MHz; 1.016 s at 19.2 MHz"},
	"framework-107-grep":                      {[]string{"clocks-disagree"}, TSCUnknown, "does not have the figures of both"},
	"kvm-opencore-15":                         {[]string{"cpus-differ", "host-unstable"}, TSCWrong, "1430554 cycles (551.5 µs at 2.594 GHz, by the line \"Detected\")"},
	"lede-9028":                               {[]string{"watchdog-timed-out"}, TSCUnknown, "too slow to read"},
	"matebook-pop-os-8":                       {[]string{"tsc-restarted"}, TSCUnknown, "+62 %"},
	"mellanox-mkt-74":                         {[]string{"read-back-delay"}, TSCRight, "took too long"},
	"netfinity-2009":                          {[]string{"watchdog-misread"}, TSCUnknown, "1048573 ticks"},
	"qubes-2044":                              {[]string{"tsc-went-back"}, TSCWrong, "restarted near zero"},
	"rpcs3-16382":                             {[]string{"cpus-differ"}, TSCWrong, "(3.184 s at 2.296 GHz, by the line \"Detected\") between CPU 0 and CPU 2"},
	"sgi-rtc-lkml":                            {[]string{"clocks-disagree"}, TSCUnknown, "+0.138 % (1376 ppm)"},
	"sozu-500":                                {[]string{"hpet-of-qemu", "slow-interrupt"}, TSCUnknown, "578.4 ms (57837214 ticks at 100 MHz"},
	"sungju-rhel6":                            {[]string{"watchdog-reported"}, TSCUnknown, "95.17 s less"},
	"virtual-dsm-1111":                        {[]string{"cpus-differ"}, TSCWrong, "In a virtual machine the hypervisor sets them"},
	"xen-migration-gist":                      {[]string{"watchdog-reported"}, TSCUnknown, "125 ms more than its watchdog"},
}

func TestExplain(t *testing.T) {
	judgedLogs := 0
	for _, of := range []struct{ before, after string }{
		{casesFolder + "/logs/", "/dmesg.txt"}, {casesFolder + "/", "/tree/var/log/dmesg"}, {"testdata/public/", ".txt"},
	} {
		paths, err := filepath.Glob(of.before + "*" + of.after)
		require.NoError(t, err)
		for _, path := range paths {
			name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(path), of.before), of.after)
			lines := readLines(t, path)
			causes := Explain(Parse(lines), Machine{})
			want, judged := explained[name]
			if judged {
				judgedLogs++
				require.Equal(t, want.kinds, kinds(causes), name)
			}
			for i, c := range causes {
				require.NotContains(t, c.Text, "NaN", name)
				require.NotContains(t, c.Text, "Inf", name)
				require.True(t, c.Harmless || slices.Contains(Causes(), c.Kind), c.Kind)
				if strings.HasSuffix(name, "healthy") {
					require.True(t, c.Harmless && c.TSC != TSCWrong, "%s: %s", name, c.Text)
				}
				if i == 0 && judged {
					require.Equal(t, want.tsc, c.TSC, "%s: %s", name, c.Text)
					require.Contains(t, c.Text, want.has, name)
				}
			}
			kept, incomplete := Select(lines, MaxLines)
			require.False(t, incomplete, name)
			require.Equal(t, kinds(causes), kinds(Explain(Parse(kept), Machine{})), "%s: the lines that a document keeps say something else", name)
		}
	}
	require.Len(t, explained, judgedLogs, "a row of the table has no log")
}

func TestEvidenceIsBounded(t *testing.T) {
	var lines []string
	for cpu := range 5000 {
		lines = append(lines, "[Firmware Bug]: TSC ADJUST differs: CPU"+strings.Repeat("1", 1+cpu%3)+" 0 --> "+strings.Repeat("9", 1+cpu%15)+". Restoring")
	}
	causes := Explain(Parse(lines), Machine{})
	require.Len(t, causes, 1)
	require.LessOrEqual(t, len(causes[0].Evidence), maxEvidence)
}

// A counter that passes zero, or is near its largest value, has the right interval.
func TestCycles(t *testing.T) {
	for _, c := range []struct {
		now, last, mask uint64
		want            float64
	}{
		{10, 4, math.MaxUint64, 6},
		{4, 10, math.MaxUint64, -6},
		{5, math.MaxUint64 - 4, math.MaxUint64, 10},
		{math.MaxUint64, 0, math.MaxUint64, -1},
		{1 << 62, 0, math.MaxUint64, 1 << 62},
		{5, 0xfffffb, 0xffffff, 10},
		{4, 10, 0xffffffff, 0xfffffffa},
		{4, 10, 0xffffffffffffff, -6},
		{7, 7, math.MaxUint64, 0},
	} {
		require.Equal(t, c.want, cycles(Event{Now: c.now, Last: c.last, Mask: c.mask}), "%+v", c)
	}
}
