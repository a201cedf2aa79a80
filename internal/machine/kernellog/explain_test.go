package kernellog

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// casesFolder has the reported logs of diagnose.
const casesFolder = "../../diagnose/testdata/cases"

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
// public notes on journalctl (journal-pager), and a server of 2009 (mausmaki.net).
var explained = map[string]struct {
	kinds []string
	tsc   Judgement
	has   string
}{
	"25-kernel-7-0-desktop-stalls":         {[]string{"clocks-agree"}, TSCRight, "agree within 12.14 µs (4.19 ppm)"},
	"35-athlon64-powernow-2009":            {[]string{"cpufreq-changes"}, TSCWrong, "constant_tsc"},
	"49-arm64-neoverse-n1-1418040-healthy": {[]string{"32-bit-erratum"}, TSCUnknown, "32-bit programs only"},
	"07-bhyve-guest":                       {[]string{"check-ran-late"}, TSCUnknown, "The check ran at least"},
	"deepin-265":                           {[]string{"tsc-adjust"}, TSCUnknown, "CPUs 13 to 15"},
	"docker-for-mac-2747":                  {[]string{"hpet-may-stop"}, TSCUnknown, "3.321 GHz, if hpet has 14.318 MHz"},
	"docker-for-mac-4486":                  {[]string{"hpet-may-stop"}, TSCUnknown, "1.363 s at 14.318 MHz; 1.016 s at 19.2 MHz"},
	"framework-107-grep":                   {[]string{"clocks-disagree"}, TSCUnknown, "does not have the figures of both"},
	"journal-pager":                        {[]string{"clocks-disagree"}, TSCUnknown, "hpet advanced 510.6 ms, the TSC advanced 506.7 ms (the kernel's figures): -0.764 % (7635 ppm)"},
	"kvm-opencore-15":                      {[]string{"cpus-differ", "host-unstable"}, TSCWrong, "1430554 cycles (551.5 µs at 2.594 GHz, by the line \"Detected\")"},
	"lede-9028":                            {[]string{"watchdog-timed-out"}, TSCUnknown, "too slow to read"},
	"matebook-pop-os-8":                    {[]string{"tsc-restarted"}, TSCUnknown, "+62 %"},
	"mellanox-mkt-74":                      {[]string{"read-back-delay"}, TSCRight, "took too long"},
	"netfinity-2009":                       {[]string{"watchdog-misread"}, TSCUnknown, "1048573 ticks"},
	"qubes-2044":                           {[]string{"tsc-went-back"}, TSCWrong, "restarted near zero"},
	"rpcs3-16382":                          {[]string{"cpus-differ"}, TSCWrong, "(3.184 s at 2.296 GHz, by the line \"Detected\") between CPU 0 and CPU 2"},
	"sgi-rtc-lkml":                         {[]string{"clocks-disagree"}, TSCUnknown, "+0.138 % (1376 ppm)"},
	"sozu-500":                             {[]string{"hpet-of-qemu", "slow-interrupt"}, TSCUnknown, "578.4 ms (57837214 ticks at 100 MHz"},
	"sungju-rhel6":                         {[]string{"watchdog-reported"}, TSCUnknown, "95.17 s less"},
	"virtual-dsm-1111":                     {[]string{"cpus-differ"}, TSCWrong, "In a virtual machine the hypervisor sets them"},
	"xen-migration-gist":                   {[]string{"watchdog-reported"}, TSCUnknown, "125 ms more than its watchdog"},
}

// logsOf returns the lines of all logs of public reports, by name.
func logsOf(t *testing.T) map[string][]string {
	t.Helper()
	logs := map[string][]string{}
	for _, of := range []struct{ before, after string }{
		{casesFolder + "/logs/", "/dmesg.txt"}, {casesFolder + "/", "/tree/var/log/dmesg"}, {"testdata/public/", ".txt"},
	} {
		paths, err := filepath.Glob(of.before + "*" + of.after)
		require.NoError(t, err)
		require.NotEmpty(t, paths)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(path), of.before), of.after)
			logs[name] = strings.Split(strings.TrimRight(string(text), "\n"), "\n")
		}
	}
	return logs
}

func TestExplain(t *testing.T) {
	logs := logsOf(t)
	for name, want := range explained {
		require.Contains(t, logs, name)
		causes := Explain(Parse(logs[name]), Machine{})
		require.Equal(t, want.kinds, kinds(causes), name)
		require.Equal(t, want.tsc, causes[0].TSC, "%s: %s", name, causes[0].Text)
		require.Contains(t, causes[0].Text, want.has, name)
	}
	var harmful []string // the kinds of causes that may be harmful
	for _, r := range slices.Concat(reasons(), otherRules()) {
		if r.Get("harmless") == "" {
			harmful = append(harmful, r.kind)
		}
	}
	for name, lines := range logs {
		causes := Explain(Parse(lines), Machine{})
		for _, c := range causes {
			require.NotRegexp(t, "NaN|Inf", c.Text, name)
			require.True(t, c.Harmless || slices.Contains(harmful, c.Kind), c.Kind)
			require.False(t, strings.HasSuffix(name, "healthy") && (!c.Harmless || c.TSC == TSCWrong), "%s: %s", name, c.Text)
		}
		kept, incomplete := Select(lines, MaxLines)
		require.False(t, incomplete, name)
		require.Equal(t, kinds(causes), kinds(Explain(Parse(kept), Machine{})), "%s: the lines that a document keeps say something else", name)
	}
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
