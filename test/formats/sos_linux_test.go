package formats

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose/attachment"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/test/need"
)

// The document of a sosreport, which people attach to bug reports, has the facts of the machine that made it, packed
// and unpacked.
func TestSosreport(t *testing.T) {
	need.Minutes(t) // sos gathers for long
	sos := need.Program(t, "sos")
	if os.Geteuid() != 0 {
		need.Missing(t, "root", "sos gathers files that only root may read")
	}
	folder := need.Folder(t)
	need.Output(t, exec.Command(sos, "report", "--batch", "--quiet", "-o", "kernel,processor,logs,boot,chrony,hardware",
		"--tmp-dir", folder))
	archives, err := filepath.Glob(filepath.Join(folder, "*.tar.?z"))
	require.NoError(t, err)
	require.Len(t, archives, 1)

	here := host.Facts()
	check := func(d *result.Document, err error) {
		require.NoError(t, err)
		require.Equal(t, here.ClockSource, d.Host.ClockSource)
		require.Equal(t, here.BootParameters, d.Host.BootParameters)
		require.Equal(t, here.CPU.Model, d.Host.CPU.Model)
		require.Equal(t, here.Kernel, d.Host.Kernel)
	}
	packed, err := os.Open(archives[0])
	require.NoError(t, err)
	defer func() { _ = packed.Close() }()
	check(attachment.Read(archives[0], packed))
	unpacked := filepath.Join(folder, "unpacked")
	require.NoError(t, os.Mkdir(unpacked, 0o700))
	need.Output(t, exec.Command(need.Program(t, "tar"), "-xf", archives[0], "-C", unpacked))
	check(attachment.ReadFolder(unpacked))
}
