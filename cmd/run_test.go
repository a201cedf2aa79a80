package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/report/files"
	"github.com/timebench/timebench/internal/report/render"
	"github.com/timebench/timebench/internal/system/signals"
	"github.com/timebench/timebench/test/need"
)

// reportInto returns a report that prints the version of the tool, and writes it into a file.
func reportInto(stdout io.Writer, folder string) report[*result.Document] {
	write := func(w io.Writer, d *result.Document) error {
		_, err := io.WriteString(w, d.Tool.Version)
		return err
	}
	written := func(d *result.Document) []files.File {
		return []files.File{{Name: "version.txt", Write: func(w io.Writer) error { return write(w, d) }}}
	}
	return report[*result.Document]{stdout: stdout, format: render.Format[*result.Document]{Name: "version", Write: write}, files: written, target: files.NewTarget(folder, files.Results("compare"))}
}

func requireStatus(t *testing.T, want int, err error) {
	t.Helper()
	var f *failure
	require.ErrorAs(t, err, &f)
	require.Equal(t, want, f.status)
}

func TestRunReportsWhatIsMeasured(t *testing.T) {
	var out strings.Builder
	folder := filepath.Join(need.Folder(t), "report")
	document, err := run(reportInto(&out, folder), func(context.Context) (*result.Document, error) {
		require.DirExists(t, folder, "the folder is made before the measurement")
		return &result.Document{Tool: result.Tool{Version: "1"}}, nil
	})
	require.NoError(t, err)
	require.Equal(t, "1", document.Tool.Version)
	require.Equal(t, "1", out.String())
	require.Equal(t, map[string]string{"version.txt": "1"}, need.FilesIn(t, folder))
}

func TestRunWithoutAResult(t *testing.T) {
	var out strings.Builder
	above := need.Folder(t)
	_, err := run(reportInto(&out, filepath.Join(above, "report")), func(context.Context) (*result.Document, error) {
		return nil, errors.New("no thread can be started")
	})
	require.EqualError(t, err, "no thread can be started")
	requireStatus(t, 1, err)
	require.Empty(t, out.String())
	left, err := os.ReadDir(above)
	require.NoError(t, err)
	require.Empty(t, left)
}

// The complete part is reported, with the reason why the rest is missing.
func TestRunThatFailsInPart(t *testing.T) {
	var out strings.Builder
	folder := filepath.Join(need.Folder(t), "report")
	_, err := run(reportInto(&out, folder), func(context.Context) (*result.Document, error) {
		return &result.Document{Tool: result.Tool{Version: "1"}}, errors.New("a worker ended")
	})
	require.EqualError(t, err, "a worker ended")
	requireStatus(t, 1, err)
	require.Equal(t, "1", out.String())
	require.Equal(t, map[string]string{"version.txt": "1"}, need.FilesIn(t, folder))
}

func TestRunThatCannotWriteItsFiles(t *testing.T) {
	var out strings.Builder
	folder := filepath.Join(need.Folder(t), "report")
	to := reportInto(&out, folder)
	to.files = func(*result.Document) []files.File {
		return []files.File{{Name: "version.txt", Write: func(io.Writer) error { return errors.New("no memory for the picture") }}}
	}
	_, err := run(to, func(context.Context) (*result.Document, error) {
		return &result.Document{Tool: result.Tool{Version: "1"}}, nil
	})
	require.EqualError(t, err, "--out: version.txt: no memory for the picture")
	requireStatus(t, 1, err)
	require.Equal(t, "1", out.String())
	require.NoDirExists(t, folder)
}

func TestRunMeasuresNothingWhereItCannotReport(t *testing.T) {
	taken := filepath.Join(need.Folder(t), "taken")
	require.NoError(t, os.WriteFile(taken, nil, 0o600))
	_, err := run(reportInto(io.Discard, taken), func(context.Context) (*result.Document, error) {
		t.Error("it measured")
		return nil, nil
	})
	require.EqualError(t, err, "--out: "+taken+" is a file; name a folder")
}

// The first signal ends the context. The exit status is that of the signal only if the document is
// interrupted.
func TestRunThatASignalEnds(t *testing.T) {
	for _, interrupted := range []bool{true, false} {
		var out strings.Builder
		_, err := run(reportInto(&out, ""), func(ctx context.Context) (*result.Document, error) {
			signals.Handle(syscall.SIGTERM)
			require.Error(t, ctx.Err())
			return &result.Document{Tool: result.Tool{Version: "1"}, Interrupted: interrupted}, nil
		})
		require.Equal(t, "1", out.String())
		if !interrupted {
			require.NoError(t, err, "it came after measuring")
			continue
		}
		requireStatus(t, 143, err)
		require.NoError(t, printed(err), "it is silent")
	}
}

func TestSomeAvailable(t *testing.T) {
	none := &result.Document{Sections: []result.Section{&compare.Costs{Clocks: []compare.Clock{{ID: "hpet@mmio"}}}}}
	requireStatus(t, 1, someAvailable(none))
	compare.Into(none).Clocks = append(compare.Into(none).Clocks, compare.Clock{ID: "time.Now@go", Available: true})
	require.NoError(t, someAvailable(none))
}
