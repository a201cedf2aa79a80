package host

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

func TestUserTimecounter(t *testing.T) {
	yes, no := true, false
	for _, test := range []struct {
		arch, name string
		want       *bool
	}{
		{"amd64", "tsc", &yes}, {"amd64", "acpihpet0", &no}, {"amd64", "pvclock0", &no},
		{"arm64", "agtimer0", &yes}, {"arm64", "cntvct", &no}, {"riscv64", "timer0", nil},
	} {
		of := result.ClockSource{Current: test.name}
		addUserTimecounter(&of, test.arch)
		require.Equal(t, test.want, of.UserMode, test)
	}
}
