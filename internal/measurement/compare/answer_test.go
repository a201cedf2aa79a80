package compare

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// Every run has an answer. Add a row for each selection of clocks that had none.
func TestEveryRunHasAnAnswer(t *testing.T) {
	counter, call := wall("RDTSC@cpu", []float64{11.9}), wall("CLOCK_MONOTONIC@syscall", []float64{208})
	none := Clock{ID: "hpet@mmio", Reason: "/dev/hpet: no such file or directory"}
	for _, test := range []struct {
		want   string
		clocks []Clock
	}{
		{"Reading RDTSC@cpu takes 11.9 ns.", []Clock{counter}},
		{"Reading RDTSC@cpu takes 11.9 ns.", []Clock{none, counter}},
		{"Reading one of the 2 clocks takes 11.9 ns (RDTSC@cpu) to 208 ns (CLOCK_MONOTONIC@syscall).", []Clock{call, none, counter}},
		{"Reading one of the 2 clocks takes 11.9 ns.", []Clock{counter, wall("LFENCE+RDTSC@cpu", []float64{11.9})}},
		{"hpet@mmio could not be read: /dev/hpet: no such file or directory.", []Clock{none}},
		{"None of the 2 clocks could be read; the reasons are below.", []Clock{none, {ID: "ptp0@syscall", Reason: "gone"}}},
		{"No read of a clock was timed.", []Clock{none, {ID: "RDTSC@cpu", Available: true}}},
		{"No read of a clock was timed.", nil},
	} {
		require.Equal(t, test.want, Answer(&result.Document{Sections: []result.Section{&Costs{Clocks: test.clocks}}}))
	}
}
