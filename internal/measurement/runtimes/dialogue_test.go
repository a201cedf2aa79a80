package runtimes

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// answering returns a dialogue with a benchmark that answers with this text, and the commands that it gets.
func answering(text string) (*dialogue, *bytes.Buffer) {
	var commands bytes.Buffer
	return newDialogue(&commands, strings.NewReader(text)), &commands
}

// Each answer is refused, in one short line.
func TestImpossibleAnswers(t *testing.T) {
	for command, answers := range map[string][]string{
		"run": {
			"", "1", "1 2 3", "1 x", "1 -1", "1 NaN", "1 Inf", "1 1e300", "missing", "missing ", "missing \x1b\x00",
			"1\x00 2",
			strings.Repeat("\x1b[31m", 1000),
		},
		"steps": {"", "1 2 3 4", "x", "NaN", "1 NaN 2", "0 5", "1e-12 5", "1e300 5", "-1", "5 -1", "5 1e300"},
		"threads": {
			"", "1 2", "1 2 3 4", "x 1 1", "-1 1 1000", "1 1 0", "1 1 NaN", "1 NaN 1000", "1 1 1e300",
			"900000000000000 1 100",
			"1e300 1 1e6",
		},
		"sleep": {"", "1", "1 2 3", "1 x", "-1000001 1", "1 NaN", "1 1e300", "missing"},
	} {
		for _, text := range answers {
			d, _ := answering(text + "\n")
			var err error
			switch command {
			case "run":
				_, err = d.run("a", 1, 2)
			case "steps":
				_, _, err = d.steps("a", 1, 2)
			case "sleep":
				_, err = d.sleep(way{"a", time.Millisecond}, 2)
			default:
				_, err = d.threads("a", 1, 2, time.Second)
			}
			require.Error(t, err, "%s: %q", command, text)
			require.NotContains(t, err.Error(), "\n")
			require.NotContains(t, err.Error(), "\x1b")
			require.Less(t, len(err.Error()), 500)
		}
	}
	endless := strings.Repeat("1 ", maxOutput)
	for text, want := range map[string]string{"": "ended", "1 2": "ended", endless: "printed more than"} {
		d, _ := answering(text)
		_, err := d.run("a", 1, 2)
		require.ErrorContains(t, err, want)
	}
}

// Whatever a benchmark answers, the document can be written.
func FuzzDialogue(f *testing.F) {
	f.Add("100\n1000\n-3.5 7\n50 1e6\n")
	f.Add("missing b\n")
	f.Add("missing b\n1 -1\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, _ := answering(text)
		s := subject{levels: map[string][]float64{}, minima: map[string][]float64{}}
		s.Calls = []Call{{"a", wall}}
		s.entry = MeasuredRuntime{Name: "x", Calls: []MeasuredCall{{ID: "a@x", Call: "a", Kind: wall}}}
		all, err := s.costs(d, s.callNames(), minSlices)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
		}
		for name, of := range all {
			s.levels[name], s.minima[name] = of, of
		}
		s.lack(d.missing)
		if stepsNS, repeats, err := d.steps("a", 1, maxSteps); err == nil {
			s.entry.Calls[0].Resolution = resolution(repeats > 0, stepsNS, stepsTime)
		}
		if p, err := d.threads("a", 1, 1, time.Second); err == nil && slices.Max(p.calls) > 0 {
			s.entry.Calls[0].Throughput = []compare.Throughput{throughputOf(1, false, []pass{p})}
		}
		if lateNS, err := d.sleep(way{"a", time.Second}, 2); err == nil {
			s.Sleeps, s.lateNS = []string{"a"}, map[way][][]float64{{"a", time.Second}: {lateNS}}
			s.addSleeps([]time.Duration{time.Second})
		}
		document := &result.Document{Schema: result.Schema}
		document.Put(&Runtimes{Runtimes: []MeasuredRuntime{s.result()}})
		require.NoError(t, document.Write(io.Discard))
	})
}
