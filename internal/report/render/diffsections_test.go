package render

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/show/table"
)

func held(old, new *result.Document) *diff.Diff {
	return diff.Compare(diff.Read("before.json", old), diff.Read("after.json", new), section.Settings{MinChange: 0.02})
}

// worsened is a machine of which all was well, and now is not.
func worsened() *diff.Diff {
	new := trusted()
	two, three := 2, 3
	clock := &verify.Of(new).Clocks[3]
	clock.Verdict, clock.Faults = verify.OneCPU, []verify.ClockFault{{Kind: verify.FaultWarp, Count: 17, WorstNS: 243, CPU: &two, EarlierCPU: &three}}
	verify.Of(new).Clocks[0].ID = "CLOCK_TAI@vdso"
	verify.Of(new).Relations[0].Held = false
	skew.Of(new).Clocks[0].Pairs[5].OffsetNS = -1250
	drift.Of(new).Clocks[0].NominalHz++
	*drift.Of(new).Clocks[0].Loaded.PPM += 3
	drift.Of(new).Clocks[1].Asleep.PPM = nil
	return held(trusted(), new)
}

func TestDiffOfPartsGolden(t *testing.T) {
	for name, d := range map[string]*diff.Diff{
		"worsened": worsened(), "both-parts": held(both(), sampled()),
	} {
		goldens(t, "diff-"+name, without("bench", DiffFormats), d)
	}
}

// Add a pair of documents of which one has what the other lacks.
func TestDiffOfPartsOnly(t *testing.T) {
	require.ErrorIs(t, DiffBench(io.Discard, worsened()), errNoSamples)
	require.NoError(t, DiffBench(io.Discard, held(trusted(), sampled())), "the one has samples")
	var got bytes.Buffer
	require.NoError(t, OfDiff(held(trusted(), sampled())).Text(&got))
	require.Contains(t, got.String(), "no figure in common")
	require.Contains(t, got.String(), "Verification\n\nOnly the old document has this.\n")
}

func TestDiffOfOddParts(t *testing.T) {
	all := odd()
	all["trusted"], all["mistrusted"] = trusted(), mistrusted()
	for oldName, old := range all {
		for newName, new := range all {
			d := held(old, new)
			require.ErrorIs(t, DiffBench(io.Discard, d), errNoSamples)
			for _, format := range without("bench", DiffFormats) {
				got := requireSound(t, format, d, oldName+" against "+newName)
				if format.Name == "table" && !strings.Contains(oldName+newName, "size") {
					requireFits(t, got, table.Width)
				}
			}
		}
	}
}
