//go:build !linux

package clocksource

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuildThatCannotSwitch(t *testing.T) {
	_, err := Sysfs.Available()
	require.ErrorIs(t, err, errNotBuilt)
	_, err = Sysfs.Current()
	require.ErrorIs(t, err, errNotBuilt)
	require.ErrorIs(t, Sysfs.Writable(), errNotBuilt)
	require.ErrorIs(t, Guard(os.Stdin, os.Stdout, Sysfs), errNotBuilt)
	s, err := Hold(Sysfs, exec.Command("none"))
	require.ErrorIs(t, err, errNotBuilt)
	require.Nil(t, s)
}
