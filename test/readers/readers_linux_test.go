package readers

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

func TestReaders(t *testing.T) {
	need.Minutes(t)
	for _, language := range Languages {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			counts(t, Build(t, language))
		})
	}
}

func counts(t *testing.T, program *Program) {
	for _, read := range program.Reads {
		shares := map[float64]float64{}
		for _, percent := range []float64{0, 10, 90} {
			report := program.Start(t, Options{Read: read, Percent: percent, Seconds: 0.2}).End()
			t.Logf("%s %g %%: %+v", read, percent, report)
			require.Positive(t, report.CPUNS)
			require.Positive(t, report.WallNS)
			if percent == 0 {
				require.Zero(t, report.Reads)
				require.Zero(t, report.Share)
				require.Zero(t, report.ShareByReads)
				require.Positive(t, report.Iterations)
				continue
			}
			require.Positive(t, report.Reads)
			require.Positive(t, report.ReadNS)
			shares[percent] = report.ShareByReads
		}
		require.Greater(t, shares[90], shares[10], read)
	}
	threads := program.Start(t, Options{Read: "vdso", Percent: 100, Threads: 4, Seconds: 0.2}).End()
	require.Positive(t, threads.Reads)
	require.Zero(t, threads.Iterations, "at 100 percent there is nothing but reads")
}
