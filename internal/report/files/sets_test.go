package files

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/test/need"
)

func TestMeasuredBy(t *testing.T) {
	doctor, unmeasured := result.Tool{Command: "doctor"}, &compare.Costs{Clocks: []compare.Clock{{ID: "time.Now@go"}}}
	measured := &compare.Costs{Clocks: []compare.Clock{{ID: "time.Now@go", Available: true, Latency: &compare.Latency{MedianNS: 50}}}}
	for want, d := range map[string]result.Document{
		"compare":       {Settings: result.Settings{Rounds: 77}, Sections: []result.Section{unmeasured}},
		"compare, skew": {Settings: result.Settings{Rounds: 77}, Sections: []result.Section{measured, &skew.Skew{}}},
		"verify, skew":  {Sections: []result.Section{&verify.Verification{}, &skew.Skew{}}},
		"doctor": {Tool: doctor, Settings: result.Settings{Rounds: 77}, Sections: []result.Section{measured,
			&verify.Verification{}, &skew.Skew{}, &wake.Wake{}}},
	} {
		require.Equal(t, want, strings.Join(MeasuredBy(&d), ", "))
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

// A set replaces the previous set, and removes the pictures that the new set lacks.
func TestSetReplacesTheOneBeforeIt(t *testing.T) {
	write := func(w io.Writer) error { _, err := io.WriteString(w, `{"schema": "timebench-diff/1"}`); return err }
	files := []File{{"charts/change.png", write}, {"diff.md", write}, {"diff.json", write}}
	for name, left := range map[string]int{"report": 2, "report.zip": 1} {
		folder := filepath.Join(need.Folder(t), "above")
		for _, set := range [][]File{files, files[1:]} {
			target := NewTarget(filepath.Join(folder, name), Diffs)
			require.NoError(t, target.Check())
			require.NoError(t, target.Write(set))
		}
		require.Len(t, need.FilesIn(t, folder), left)
	}
}
