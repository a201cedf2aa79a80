package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
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
		"worsened": worsened(), "trusted": held(trusted(), trusted()), "both-parts": held(both(), sampled()),
	} {
		goldens(t, "diff-"+name, without("bench", DiffFormats), d)
	}
}

// Two documents without costs are not said to have nothing in common, nor to have been
// compared as costs are.
func TestDiffOfPartsOnly(t *testing.T) {
	for _, d := range []*diff.Diff{worsened(), held(trusted(), trusted())} {
		require.ErrorIs(t, DiffBench(io.Discard, d), errNoSamples)
		for _, format := range DiffFormats[:2] {
			var got bytes.Buffer
			require.NoError(t, format.Write(&got, d))
			require.NotContains(t, got.String(), "no figure")
			require.NotContains(t, got.String(), "Mann-Whitney")
			require.NotContains(t, got.String(), "costs")
		}
	}
	require.NoError(t, DiffBench(io.Discard, held(trusted(), sampled())), "the one has samples")
	var got bytes.Buffer
	require.NoError(t, OfDiff(held(trusted(), sampled())).Text(&got))
	require.Contains(t, got.String(), "no figure in common")
	require.Contains(t, got.String(), "Verification\n\nOnly the old document has this.\n")
}

func TestDiffOfPartsCanBeReadBack(t *testing.T) {
	d := worsened()
	var lines, object bytes.Buffer
	require.NoError(t, DiffCSV(&lines, d))
	tables := strings.Split(lines.String(), "\n\n")
	sections, all, changed := 0, 0, 0
	for _, of := range d.Sections {
		n, differ := of.Value.Count()
		all, changed = all+n, changed+differ
		if n > 0 {
			sections++
		}
	}
	require.Len(t, tables, sections, "one for each part with figures")
	rows, err := csv.NewReader(strings.NewReader(strings.ReplaceAll(lines.String(), "\n\n", "\n"))).ReadAll()
	require.NoError(t, err, "every line has all columns")
	require.Len(t, rows, sections+all)
	named := 0
	for _, row := range rows[1:] {
		require.NotEmpty(t, row[slices.Index(rows[0], "part")])
		if row[slices.Index(rows[0], "verdict")] == "changed" {
			named++
		}
	}
	require.Equal(t, changed, named)
	require.Equal(t, 4, changed, "a verdict, a distance, an offset and a rate")
	require.NoError(t, DiffJSON(&object, d))
	var back map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(object.Bytes(), &back))
	for _, section := range d.Sections {
		if section.Key == "" {
			continue
		}
		want, err := json.Marshal(section.Value)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(back[section.Key]))
	}

	lines.Reset()
	require.NoError(t, DiffCSV(&lines, held(both(), both())))
	require.True(t, strings.HasPrefix(lines.String(), "subject,threads,old_ns,"))
	require.Len(t, strings.Split(lines.String(), "\n\n"), sections+1, "and one of the costs")
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
