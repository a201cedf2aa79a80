package attachment

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is too large in an archive is left out, and the document says so where it has no other log.
func TestLargeFileInAnArchiveIsLeftOut(t *testing.T) {
	large := []string{"s/sos_commands/kernel/dmesg_-T", strings.Repeat("x", maxText+1)}
	d, err := Read("x", bytes.NewReader(archived(t, nil, append(large, sosreport...)...)))
	require.NoError(t, err)
	require.Equal(t, "sos_commands/kernel/dmesg", d.Host.KernelLog.Source)
	d, err = Read("x", bytes.NewReader(archived(t, nil, append(large, sosreport[:2]...)...)))
	require.NoError(t, err)
	require.Equal(t, "sos_commands/kernel/dmesg_-T: has more than 64 MiB of text", d.Host.KernelLog.Reason)
}

// A sosreport has the log in several files. The one of the boot lacks what the kernel found out later.
func TestBestLogCounts(t *testing.T) {
	_, wrapped, _ := strings.Cut(boot, "\n") // without the line that begins the boot
	const current, ofUnit = "s/sos_commands/kernel/dmesg", "s/sos_commands/logs/journalctl_--no-pager_--boot"
	for _, c := range []struct {
		why, want string
		files     []string
	}{
		{"the log of the boot ends there", current, []string{"s/" + logOfBoot, healthy, current, boot}},
		{"also if it is the only whole one", current, []string{"s/" + logOfBoot, healthy, current, wrapped}},
		{"the journal reaches back to the boot", ofUnit, []string{current, wrapped, ofUnit, boot, "s/" + logOfBoot, healthy}},
		{"of two whole ones the first counts", current, []string{ofUnit, boot, current, boot}},
		{"of two that lost lines too", current, []string{ofUnit, wrapped, current, wrapped}},
		{"it is better than none", "s/" + logOfBoot, []string{"s/" + logOfBoot, boot, "s/var/log/syslog", "other"}},
	} {
		d, err := Read("x", bytes.NewReader(archived(t, nil, c.files...)))
		require.NoError(t, err)
		require.Equal(t, c.want, "s/"+d.Host.KernelLog.Source, c.why)
		require.Contains(t, strings.Join(d.Host.KernelLog.Lines, "\n"), marked, c.why)
	}
}

// Facts are also in files that package host does not read on a machine.
func TestFactsInOtherFiles(t *testing.T) {
	d, err := Read("x", bytes.NewReader(archived(t, nil, append(sosreport[:2:2],
		"s/sos_commands/kernel/uname_-a", "Linux host 6.1.0-28-amd64 #1 SMP x86_64 GNU/Linux\n",
		"s/sys/devices/virtual/dmi/id/sys_vendor", "Maker\n", "s/proc/cmdline", "tsc=reliable\n")...)))
	require.NoError(t, err)
	if runtime.GOOS != "linux" {
		t.Skip("package host reads the files of Linux on Linux only")
	}
	require.Equal(t, "6.1.0-28-amd64", d.Host.Kernel)
	require.Equal(t, "Maker", d.Host.Machine.Vendor)
	require.Equal(t, []string{"clocksource=hpet"}, d.Host.BootParameters, "of two files with one name, the first counts")
}

// The flags of a thousand CPUs are the same, and a flood of CPUs does not fill the memory.
func TestCPUInfoIsReduced(t *testing.T) {
	const paragraph = "processor\t: 0\nmodel name\t: Nameless\nflags\t\t: lm tsc\nbugs\t\t: many\nphysical id\t: 0\n\n"
	kept, err := readCPUInfo(strings.NewReader(strings.Repeat(paragraph, maxCPUs+9)))
	require.NoError(t, err)
	require.Equal(t, maxCPUs, bytes.Count(kept, []byte("processor")))
	require.Equal(t, maxCPUs, bytes.Count(kept, []byte("physical id")))
	require.Equal(t, 1, bytes.Count(kept, []byte("flags")))
	require.NotContains(t, string(kept), "bugs")
	kept, err = readCPUInfo(strings.NewReader(strings.Repeat("\n", maxLines)))
	require.NoError(t, err)
	require.Len(t, kept, maxCPULines)
}
