package host

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// timekeepPage returns a page of FreeBSD whose current timehands have the algorithm, and the others another.
func timekeepPage(version, enabled, current, algorithm uint32) []byte {
	page := make([]byte, timekeepBytes+timehands*timehandsBytes)
	for at, word := range []uint32{version, enabled, current} {
		binary.LittleEndian.PutUint32(page[4*at:], word)
	}
	for i := range uint32(timehands) {
		binary.LittleEndian.PutUint32(page[timekeepBytes+i*timehandsBytes:], 99)
	}
	if current < timehands {
		binary.LittleEndian.PutUint32(page[timekeepBytes+current*timehandsBytes:], algorithm)
	}
	return page
}

func TestTimekeep(t *testing.T) {
	yes, no := true, false
	for name, test := range map[string]struct {
		page []byte
		arch string
		want result.ClockSource
	}{
		"TSC":                  {timekeepPage(1, 1, 0, 1), "amd64", result.ClockSource{UserMode: &yes, Algorithm: "TSC"}},
		"the last timehands":   {timekeepPage(1, 1, 3, 3), "amd64", result.ClockSource{UserMode: &yes, Algorithm: "Hyper-V page"}},
		"kvmclock":             {timekeepPage(1, 1, 2, 4), "amd64", result.ClockSource{UserMode: &yes, Algorithm: "pvclock"}},
		"arm64":                {timekeepPage(1, 1, 1, 1), "arm64", result.ClockSource{UserMode: &yes, Algorithm: "generic timer"}},
		"an unknown algorithm": {timekeepPage(1, 1, 1, 9), "amd64", result.ClockSource{UserMode: &yes}},
		"another CPU":          {timekeepPage(1, 1, 1, 1), "riscv64", result.ClockSource{UserMode: &yes}},
		"ACPI-fast":            {timekeepPage(1, 0, 1, 0), "amd64", result.ClockSource{UserMode: &no}},
		"another version":      {timekeepPage(2, 1, 1, 1), "amd64", result.ClockSource{}},
		"no such timehands":    {timekeepPage(1, 1, 4, 1), "amd64", result.ClockSource{}},
		"too short":            {timekeepPage(1, 1, 0, 1)[:100], "amd64", result.ClockSource{}},
		"nothing":              {nil, "amd64", result.ClockSource{}},
	} {
		var got result.ClockSource
		addTimekeep(&got, test.page, test.arch)
		require.Equal(t, test.want, got, name)
	}
}
