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
