//go:build !linux

package clocksource

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyLinuxLetsAProgramChoose(t *testing.T) {
	_, err := Sysfs.Available()
	require.ErrorIs(t, err, errLinux)
	_, err = Sysfs.Current()
	require.ErrorIs(t, err, errLinux)
	require.ErrorIs(t, Sysfs.Writable(), errLinux)
	require.ErrorIs(t, Guard(os.Stdin, os.Stdout, Sysfs), errLinux)
	s, err := Hold(Sysfs, exec.Command("none"))
	require.ErrorIs(t, err, errLinux)
	require.Nil(t, s)
}
