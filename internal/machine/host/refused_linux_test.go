package host

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestProbedCalls(t *testing.T) {
	unknown := probedCall{name: "none", number: 100_000}
	require.Equal(t, unix.ENOSYS, unknown.errno())
	for _, call := range probedCalls {
		require.NotEqual(t, unix.EFAULT, call.errno(), call.name)
		require.NotEqual(t, unix.EINVAL, call.errno(), call.name)
	}
}

func TestIsBefore(t *testing.T) {
	for release, want := range map[string]bool{
		"5.0.21": true, "4.19.0-27-686": true, "5.1.0": false, "5.10.0-28-amd64": false, "6.18.44": false, "3.10.0-1160.el7": true, "": true, "unknown": true,
	} {
		require.Equal(t, want, isBefore(release, []int{5, 1}), release)
		require.False(t, isBefore(release, nil), release)
	}
}
