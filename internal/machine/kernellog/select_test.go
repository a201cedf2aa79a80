package kernellog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFloodDoesNotHideTheReason(t *testing.T) {
	var log []string
	flood := func() {
		for i := range 500 {
			log = append(log, fmt.Sprintf("[%5d.000000] hpet1: lost %d rtc interrupts", len(log), 300+i%20))
		}
	}
	flood()
	log = append(log, strings.Split(strings.TrimSpace("[  431.0] "+verdict), "\n")...)
	log = append(log, "[  431.1] clocksource: 'tsc' cs_nsec: 9022114 cs_now: c8a9f1b2d1 cs_last: c898a1b002 mask: ffffffffffffffff")
	flood()
	kept, incomplete := Select(log, 80)
	require.False(t, incomplete)
	require.Equal(t, []string{"[    0.000000] hpet1: lost 300 rtc interrupts (logged 1000 times)", log[500], log[501]}, kept)
	require.Equal(t, 1000, Parse(kept)[0].Count)
	twice, _ := Select(append(kept, log[:10]...), 80)
	require.Contains(t, twice[0], "logged 1010 times", "a folded line is folded again")
}

func TestOfLinesThatDecideTheLastIsKept(t *testing.T) {
	var log []string
	for i := range 6 {
		log = append(log, fmt.Sprintf("clocksource: timekeeping watchdog on CPU%d: hpet read-back delay of 525200ns, attempt 4, marking unstable", i))
	}
	kept, _ := Select(log, 80)
	require.Equal(t, []string{log[0] + " (logged 5 times)", log[5]}, kept)
	few, _ := Select(log[:3], 80)
	require.Equal(t, log[:3], few)
}

// Lines that decide come first, then the context, each in their order, and the result shows that lines are missing.
func TestSelectSaysThatLinesAreMissing(t *testing.T) {
	const decides, context = "tsc: Marking TSC unstable due to clocksource watchdog", "clocksource: Switched to clocksource hpet"
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("clocksource: %c%c: unknown", 'a'+i%26, 'a'+i/26))
	}
	lines = slices.Insert(lines, 50, decides, context)
	for _, c := range []struct {
		limit      int
		want       []string
		incomplete bool
	}{
		{limit: 10, want: slices.Concat(lines[:4], []string{decides, context}, lines[98:]), incomplete: true},
		{limit: 2, want: []string{decides, context}, incomplete: true},
		{limit: 1, want: []string{decides}, incomplete: true},
		{limit: -1, incomplete: true},
		{limit: len(lines), want: lines},
	} {
		kept, incomplete := Select(lines, c.limit)
		require.Equal(t, c.incomplete, incomplete, c.limit)
		require.Equal(t, c.want, kept, c.limit)
	}
	kept, incomplete := Select(nil, 80)
	require.False(t, incomplete)
	require.Empty(t, kept)
}

// The memory for a log does not grow with the log, and a flood does not push out the lines that decide.
func TestFloodIsFoldedWhileItIsRead(t *testing.T) {
	var b LastBoot
	b.Add(verdict)
	for i := range 2 * maxPending {
		b.Add("[    1.0] hpet: " + strings.Repeat("x", 1+i%100) + strings.Repeat("y", 1+i/100))
		require.Less(t, len(b.Lines), maxPending)
		b.Add("DMI: x")
	}
	b.Finish()
	require.True(t, b.Incomplete)
	require.Len(t, b.Lines, MaxLines)
	require.Equal(t, strings.TrimSpace(verdict), b.Lines[0])
	require.Len(t, b.facts, maxFacts)
}
