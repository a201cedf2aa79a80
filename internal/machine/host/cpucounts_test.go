package host

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCPUCountsOfBSD(t *testing.T) {
	usable := runtime.NumCPU()
	for _, test := range []struct {
		sysctls        map[string]uint32
		logical, cores int
	}{
		{map[string]uint32{"kern.smp.cpus": 1 << 10, "kern.smp.cores": 1 << 9}, 1 << 10, 1 << 9},
		{map[string]uint32{"kern.smp.cpus": 1 << 10}, 1 << 10, 0}, // before FreeBSD 12
		{map[string]uint32{"kern.smp.cores": 1 << 9}, usable, 0},
		{nil, usable, 0}, // NetBSD, OpenBSD
	} {
		logical, cores := countsBy(func(name string) (uint32, error) {
			n, found := test.sysctls[name]
			if !found {
				return 0, errors.New("no such sysctl")
			}
			return n, nil
		})
		require.Equal(t, test.logical, logical, test.sysctls)
		require.Equal(t, test.cores, cores, test.sysctls)
	}
}
