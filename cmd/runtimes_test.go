package cmd

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/test/need"
)

func TestNoRuntimeIsThere(t *testing.T) {
	t.Setenv("PATH", need.Folder(t))
	root := Root()
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	root.SetArgs([]string{"runtimes", "perl", "ruby", "perl"})
	var failed *failure
	require.ErrorAs(t, root.Execute(), &failed)
	require.Equal(t, 1, failed.status)
	require.ErrorContains(t, failed, "none of the chosen runtimes could be measured: perl (not found in PATH: perl), ruby (not found in PATH: ruby)")
}

func TestSelectedRuntimes(t *testing.T) {
	all, err := selectedRuntimes(nil, nil)
	require.NoError(t, err)
	require.Greater(t, len(all), 10)
	some, err := selectedRuntimes([]string{"perl", "java", "perl"}, []string{"java=/opt/jdk=25/bin/java"})
	require.NoError(t, err)
	require.Len(t, some, 3)
	require.Equal(t, "java", some[2].Name)
	require.Equal(t, "/opt/jdk=25/bin/java", some[2].Path)
	require.Empty(t, some[1].Path)
	only, err := selectedRuntimes(nil, []string{"c=/usr/bin/musl-gcc"})
	require.NoError(t, err)
	require.Len(t, only, 1, "not all others too")
}

// On a machine without a vDSO the runtimes are compared with system calls.
func TestSystemClocksWithoutVDSO(t *testing.T) {
	there := func() (clock.Reader, error) { return nil, nil }
	absent := func() (clock.Reader, error) { return nil, errors.New("no vDSO") }
	all := []clock.Clock{{ID: "a@vdso", Open: absent}, {ID: "a@syscall", Open: there}, {ID: "b@vdso", Open: absent}}
	choices := [][]string{{"a@vdso", "b@vdso"}, {"a@syscall"}}
	require.Equal(t, "a@syscall", firstAvailable(all, choices)[0].ID)
	all[2].Open = there
	require.Equal(t, "b@vdso", firstAvailable(all, choices)[0].ID)
	require.NotEmpty(t, firstAvailable(nil, choices))
}
