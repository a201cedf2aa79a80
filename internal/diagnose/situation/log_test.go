package situation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// The output of programs is not called a kernel log.
func TestLogsOfPrograms(t *testing.T) {
	const stepped, switched = "chronyd[7]: System clock was stepped by -0.502348 seconds", "[    1.0] clocksource: Switched to clocksource tsc"
	for log, want := range map[string]bool{
		"Leap status     : Normal": true, stepped: true, "Dec  3 09:00:12 db1 systemd[1]: Time has been changed": true,
		stepped + "\n" + switched: false, stepped + "\n[    1.0] clocksource: something new": false,
	} {
		d := &result.Document{Host: result.Host{OS: "linux", KernelLog: &result.KernelLog{Lines: strings.Split(log, "\n")}}}
		require.Equal(t, want, Of(d).OfPrograms(), log)
	}
	require.False(t, Of(&result.Document{}).OfPrograms())
}
