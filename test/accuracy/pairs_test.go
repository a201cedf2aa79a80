package accuracy

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/test/need"
)

// BenchmarkRuns and BenchmarkVerdicts measure how accurate the verdicts of `timebench diff` are on a machine: how many
// pairs of runs of an unchanged machine differ (none should), and how many pairs with slower clocks are found.
//
//	mkdir runs
//	TIMEBENCH_PAIRS=$PWD/runs go test ./test/accuracy -run '^$' -bench Runs -benchtime 60x -timeout 2h
//	TIMEBENCH_PAIRS=$PWD/runs go test ./test/accuracy -run '^$' -bench Verdicts -benchtime 1x
//
// The first makes sixty runs, each a process of its own, and keeps their documents. The second prints the share of the
// verdicts in 400 pairs for each figure, with one run on a side and with five; and how often a run is odd in a fleet.

// commands make a run of every kind of clock: fine and coarse in the vDSO, system call, counter, CPU time, and of a
// language.
var commands = [][]string{
	{"compare", "--threads", "1,2", "CLOCK_MONOTONIC@vdso", "CLOCK_REALTIME_COARSE@vdso", "CLOCK_MONOTONIC@syscall",
		"RDTSC@cpu", "CLOCK_THREAD_CPUTIME_ID@vdso", "time.Now@go"},
	{"runtimes", "python3"},
}

// folder returns the folder of the runs.
func folder(b *testing.B) string {
	b.Helper()
	name := os.Getenv("TIMEBENCH_PAIRS")
	if name == "" {
		b.Skip("TIMEBENCH_PAIRS names no folder for the runs")
	}
	return name
}

// BenchmarkRuns makes runs of the real program, and keeps their documents.
func BenchmarkRuns(b *testing.B) {
	to, timebench := folder(b), need.Timebench(b)
	for i := 0; b.Loop(); i++ {
		for _, command := range commands {
			out := need.Output(b, exec.Command(timebench, append(slices.Clone(command), "--quiet", "--format", "json")...))
			require.NoError(b, os.WriteFile(filepath.Join(to, fmt.Sprintf("%s-%03d.json", command[0], i)), out, 0o600))
		}
	}
	b.ReportMetric(0, "ns/op") // the length of a run says nothing
}

// An experiment compares a number of runs on each side. The new runs are made slower.
type experiment struct {
	runs   int
	slower float64
}

var experiments = []experiment{{1, 0}, {1, 0.05}, {5, 0}, {5, 0.03}, {20, 0.03}}

// pairs is the number of pairs of each experiment.
const pairs = 400

// BenchmarkVerdicts prints the share of verdicts on pairs of the runs in the folder.
func BenchmarkVerdicts(b *testing.B) {
	from := folder(b)
	for b.Loop() {
		for _, command := range commands {
			if runs := read(b, filepath.Join(from, command[0]+"-*.json")); len(runs) > 0 {
				// b.Logf would print ten lines of it.
				fmt.Printf("%d runs of %s\n%s\n", len(runs), command[0], table(runs))
				if command[0] == "compare" {
					fmt.Printf("As machines of a fleet\n%s\n", fleetTable(runs))
				}
			}
		}
	}
	b.ReportMetric(0, "ns/op")
}

func read(b *testing.B, pattern string) []*result.Document {
	b.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(b, err)
	var runs []*result.Document
	for _, file := range files {
		d, err := sections.Load(file)
		require.NoError(b, err)
		runs = append(runs, d)
	}
	return runs
}

// table has the share of the pairs with a verdict for each figure, by experiment.
func table(runs []*result.Document) string {
	counts := map[string][]int{}
	var figures []string
	for e, of := range experiments {
		if len(runs) < 2*of.runs {
			continue
		}
		chance := rand.New(rand.NewPCG(1, uint64(e)))
		for range pairs {
			order := chance.Perm(len(runs))
			for _, c := range verdicts(pick(runs, order[:of.runs]), slowed(pick(runs, order[of.runs:2*of.runs]), of.slower)) {
				if counts[c.Figure()] == nil {
					counts[c.Figure()] = make([]int, len(experiments))
					figures = append(figures, c.Figure())
				}
				if c.Verdict == compare.Slower || of.slower == 0 && c.Verdict == compare.Faster {
					counts[c.Figure()][e]++
				}
			}
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%-45s", "")
	for _, e := range experiments {
		fmt.Fprintf(&text, " %d×%d +%.0f %%", e.runs, e.runs, 100*e.slower)
	}
	for _, figure := range figures {
		fmt.Fprintf(&text, "\n%-45s", figure)
		for _, n := range counts[figure] {
			fmt.Fprintf(&text, " %5.1f %%", 100*float64(n)/pairs)
		}
	}
	return text.String()
}

// machines is the number of machines in a group of a fleet, and odd the share by which one of them is made slower.
const machines, odd = 10, 0.5

// fleetTable has for each clock the share of the groups in which the cost of an unchanged machine is odd, and the share
// in which the slower machine is.
func fleetTable(runs []*result.Document) string {
	type share struct{ unchanged, slower int }
	counts := map[string]*share{}
	var clocks []string
	chance := rand.New(rand.NewPCG(2, 2))
	for range pairs {
		group := pick(runs, chance.Perm(len(runs))[:machines])
		group[0] = slowed(group[:1], odd)[0]
		var all []fleet.Machine
		for i, d := range group {
			all = append(all, fleet.MachineOf(strconv.Itoa(i), d, nil))
		}
		wrong := map[string]bool{}
		for _, m := range fleet.Of(all, nil, time.Time{}).Groups[0].Machines {
			for _, c := range m.Clocks {
				if counts[c.Clock] == nil {
					counts[c.Clock] = new(share)
					clocks = append(clocks, c.Clock)
				}
				switch {
				case c.Odd && m.Name == "0":
					counts[c.Clock].slower++
				case c.Odd && !wrong[c.Clock]:
					counts[c.Clock].unchanged++
					wrong[c.Clock] = true
				}
			}
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%-45s unchanged +%.0f %%", "", 100*odd)
	for _, c := range clocks {
		fmt.Fprintf(&text, "\n%-45s %7.1f %% %5.1f %%", c, 100*float64(counts[c].unchanged)/pairs,
			100*float64(counts[c].slower)/pairs)
	}
	return text.String()
}

func pick(runs []*result.Document, which []int) []*result.Document {
	some := make([]*result.Document, len(which))
	for i, at := range which {
		some[i] = runs[at]
	}
	return some
}

func verdicts(old, new []*result.Document) []compare.Change {
	compared := diff.Compare(diff.Read("old", sections.Join(old)), diff.Read("new", sections.Join(new)),
		section.Settings{MinChange: 0.02})
	return compared.Costs().Changes
}

// slowed returns the runs with all samples made slower by a share.
func slowed(runs []*result.Document, share float64) []*result.Document {
	slow := make([]*result.Document, len(runs))
	for i, run := range runs {
		d, costs := *run, *compare.Of(run)
		costs.Clocks = slices.Clone(costs.Clocks)
		for k := range costs.Clocks {
			slower(&costs.Clocks[k].Latency, &costs.Clocks[k].Throughput, 1+share)
		}
		d.Put(&costs)
		if of := runtimes.Of(run); of != nil {
			measured := *of
			measured.Runtimes = slices.Clone(of.Runtimes)
			for k := range measured.Runtimes {
				calls := slices.Clone(of.Runtimes[k].Calls)
				for j := range calls {
					slower(&calls[j].Latency, &calls[j].Throughput, 1+share)
				}
				measured.Runtimes[k].Calls = calls
			}
			d.Put(&measured)
		}
		slow[i] = &d
	}
	return slow
}

// slower replaces the samples of a cost by slower ones.
func slower(latency **compare.Latency, throughput *[]compare.Throughput, factor float64) {
	times := func(samples []float64, factor float64) []float64 {
		scaled := slices.Clone(samples)
		for i := range scaled {
			scaled[i] *= factor
		}
		return scaled
	}
	if l := *latency; l != nil {
		*latency = compare.LatencyOf(times(l.SamplesNS, factor), times(l.QuietSamplesNS, factor))
	}
	*throughput = slices.Clone(*throughput)
	for i := range *throughput {
		(*throughput)[i].SamplesReadsPerSecond = times((*throughput)[i].SamplesReadsPerSecond, 1/factor)
	}
}
