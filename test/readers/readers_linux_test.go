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
			require.Equal(t, program.Language == "c" || program.Language == "go", report.Change != nil)
			shares[percent] = report.ShareByReads
		}
		require.Greater(t, shares[90], shares[10], read)
	}
	threads := program.Start(t, Options{Read: "vdso", Percent: 100, Threads: 4, Seconds: 0.2}).End()
	require.Positive(t, threads.Reads)
	require.Zero(t, threads.Iterations, "at 100 percent there is nothing but reads")
}

// someSamples returns the samples of perf of a process in the first window with enough of them. On a busy machine the
// process may have no CPU throughout a short window.
func someSamples(t *testing.T, perf string, pid int) Samples {
	t.Helper()
	const enough = 20
	for seconds := 0.5; seconds <= 16; seconds *= 2 {
		samples, err := Perf(t, perf, pid, seconds)
		if err != nil {
			need.Missing(t, "perf", err.Error())
		}
		if samples.Count >= enough {
			return samples
		}
		t.Logf("perf has %d samples of process %d in %g s", samples.Count, pid, seconds)
	}
	require.Fail(t, "perf has too few samples of a process that is always busy")
	return Samples{}
}

// perf finds the program that reads.
func TestPerf(t *testing.T) {
	need.Minutes(t)
	perf := need.Program(t, "perf")
	program := Build(t, "c")
	shares := map[float64]Samples{}
	for _, percent := range []float64{0, 100} {
		running := program.Start(t, Options{Read: "vdso", Percent: percent, Seconds: 1000}) // until the test ends
		running.Go()
		shares[percent] = someSamples(t, perf, running.PID())
	}
	t.Logf("%+v", shares)
	require.Zero(t, shares[0].VDSO)
	if shares[100].VDSO+shares[100].Syscall == 0 {
		need.Missing(t, "vdso", "no sample is in the vDSO")
	}
	require.Greater(t, shares[100].VDSO+shares[100].Syscall, shares[0].VDSO)
}
