package situation

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// What is no kernel log is not called one.
func TestLogsOfPrograms(t *testing.T) {
	for want, lines := range map[string][]string{
		"the status of a time service":                      {"Frequency       : 31244.098 ppm slow", "Leap status     : Normal"},
		"the log of a time service":                         {"chronyd[7]: System clock was stepped by -0.502348 seconds"},
		"the log of a program that looks at the clock":      {"HikariPool-1 - Thread starvation or clock leap detected (housekeeper delta=1m6s828ms)"},
		"the output of a program that compares wall clocks": {"prober found high clock drift"},
		"the log of systemd":                                {"Dec  3 09:00:12 db1 systemd[1]: Time has been changed"},
		"":                                                  {"chronyd[7]: System clock was stepped by -0.502348 seconds", "[    1.0] clocksource: Switched to clocksource tsc"},
	} {
		d := &result.Document{Host: result.Host{OS: "linux", KernelLog: &result.KernelLog{Lines: lines}}}
		require.Equal(t, want, Of(d).OfPrograms(), lines)
	}
	require.Empty(t, Of(&result.Document{}).OfPrograms())
	unjudged := &result.KernelLog{Lines: []string{"chronyd[7]: System clock was stepped by -0.5 seconds", "[    1.0] clocksource: something new"}}
	require.Empty(t, Of(&result.Document{Host: result.Host{OS: "linux", KernelLog: unjudged}}).OfPrograms())
}
