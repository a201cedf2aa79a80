package diagnose

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/runtimes"
)

// Each runtime of the catalogue has a coarse call, or is known to have none.
func TestEveryLanguageHasARemedy(t *testing.T) {
	known := slices.Clone(noCoarseCall)
	for _, of := range coarseCalls {
		known = append(known, of.runtimes...)
	}
	var found []string // Go has no program to find: timebench is its own
	for _, r := range runtimes.All {
		if len(r.Programs) > 0 {
			found = append(found, r.Name)
		}
	}
	require.ElementsMatch(t, found, known)
}

func TestLanguageRemedies(t *testing.T) {
	d := &result.Document{}
	require.Empty(t, languageRemedies(d))
	d.Host.Runtimes = []string{"java", "c", "c++", "ruby", "node", "cobol"}
	remedies := languageRemedies(d)
	require.Len(t, remedies, 2)
	require.Equal(t, "Call a coarse clock in the languages of this machine: c, c++: clock_gettime(CLOCK_MONOTONIC_COARSE, …); ruby: Process.clock_gettime(Process::CLOCK_MONOTONIC_COARSE)", remedies[0].Advice)
	require.Contains(t, remedies[1].Advice, "In java and node there is no coarse clock, as in Go")
	for _, r := range remedies {
		require.NotEmpty(t, r.Risk)
	}
}

// The finding about slow reads has them, below the coarse clocks.
func TestSlowReadsHaveLanguageRemedies(t *testing.T) {
	d := well()
	compare.Into(d).Clocks = clocks(result.Always, 1350)
	d.Host.ClockSource.Current, d.Host.Runtimes = "hpet", []string{"ruby"}
	findings := Findings(d)
	require.NotEmpty(t, findings)
	remedies := findings[0].Remedies
	require.Contains(t, remedies[len(remedies)-2].Advice, "CLOCK_REALTIME_COARSE")
	require.Contains(t, remedies[len(remedies)-1].Advice, "ruby: Process.clock_gettime")
}
