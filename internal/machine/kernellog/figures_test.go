package kernellog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOlder(t *testing.T) {
	for release, want := range map[string]bool{
		"5.0.21": true, "4.19.0-27-686": true, "5.1.0": false, "5.10.0-28-amd64": false, "6.18.44": false, "3.10.0-1160.el7": true, "": false, "unknown": false,
	} {
		require.Equal(t, want, Older(release, 5, 1), release)
		require.False(t, Older(release, 0, 0), release)
	}
}
