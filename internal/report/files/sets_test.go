package files

import (
	"archive/zip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/test/need"
)

func TestMeasuredBy(t *testing.T) {
	rounds := result.Settings{Rounds: 77, TimeNS: 1e8}
	doctor, comparison := result.Tool{Command: "doctor"}, result.Tool{Command: "compare"}
	clocks := []compare.Clock{{ID: "time.Now@go"}}
	measured := []compare.Clock{{ID: "time.Now@go", Available: true, Latency: &compare.Latency{MedianNS: 50}}}
	verified, skewed := &verify.Verification{}, &skew.Skew{}
	for _, test := range []struct {
		document result.Document
		want     []string
	}{
		{result.Document{Settings: rounds, Sections: []result.Section{&compare.Costs{Clocks: clocks}}},
			[]string{"compare"}},
		{result.Document{Tool: comparison, Settings: rounds,
			Sections: []result.Section{&compare.Costs{Clocks: clocks}}}, []string{"compare"}},
		{result.Document{Tool: doctor, Settings: rounds, Sections: []result.Section{&compare.Costs{Clocks: clocks}},
			Interrupted: true}, []string{"doctor"}},
		{result.Document{Tool: doctor, Settings: rounds, Sections: []result.Section{&compare.Costs{Clocks: measured},
			skewed, &drift.Drift{}}}, []string{"doctor", "drift"}},
		{result.Document{Sections: []result.Section{verified}}, []string{"verify"}},
		{result.Document{Sections: []result.Section{verified, skewed}}, []string{"verify", "skew"}},
		{result.Document{Settings: rounds, Sections: []result.Section{&compare.Costs{Clocks: measured}, skewed}},
			[]string{"compare", "skew"}},
		{result.Document{Tool: doctor, Settings: rounds, Sections: []result.Section{verified, skewed}},
			[]string{"doctor"}},
	} {
		require.Equal(t, test.want, MeasuredBy(&test.document))
	}
}

// A zip with a huge directory, which would fill the memory, is not replaced. Neither is a huge zip.
func TestHugeZipIsNotReplaced(t *testing.T) {
	out := filepath.Join(need.Folder(t), "diff.zip")
	zipped := func(others int) {
		file, err := os.Create(out)
		require.NoError(t, err)
		archive := zip.NewWriter(file)
		entry, err := archive.Create("diff/diff.json")
		require.NoError(t, err)
		_, err = entry.Write([]byte(`{"schema": "timebench-diff/1"}`))
		require.NoError(t, err)
		for range others {
			_, err := archive.Create("x")
			require.NoError(t, err)
		}
		require.NoError(t, archive.Close())
		require.NoError(t, file.Close())
	}
	refused := out + " is not a diff of timebench and would be overwritten; name another one"
	zipped(10)
	require.NoError(t, NewTarget(out, Diffs).Check())
	zipped(30_000)
	require.ErrorContains(t, NewTarget(out, Diffs).Check(), refused)
	zipped(10)
	archive, err := os.ReadFile(out)
	require.NoError(t, err)
	const size = result.MaxSize + 1
	require.NoError(t, os.Truncate(out, size))
	file, err := os.OpenFile(out, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteAt(archive, size-int64(len(archive)))
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.ErrorContains(t, NewTarget(out, Diffs).Check(), refused)
}
