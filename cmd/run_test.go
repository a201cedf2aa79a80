package cmd

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/report/files"
	"github.com/timebench/timebench/internal/report/render"
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
	return report[*result.Document]{stdout: stdout, stderr: io.Discard,
		format: render.Format[*result.Document]{Name: "version", Write: write},
		files:  written, target: files.NewTarget(folder, files.Results("compare"))}
}

func requireStatus(t *testing.T, want int, err error) {
	t.Helper()
	var f *failure
	require.ErrorAs(t, err, &f)
	require.Equal(t, want, f.status)
}

// Each row is a measurement, and what run prints, writes and returns.
func TestRun(t *testing.T) {
	measured := &result.Document{Tool: result.Tool{Version: "1"}}
	failed := errors.New("a worker ended")
	for name, test := range map[string]struct {
		document *result.Document
		measure  error
		write    error
		want     error
		printed  string
		written  bool
	}{
		"whole":   {document: measured, printed: "1", written: true},
		"nothing": {measure: failed, want: failed},
		"a part":  {document: measured, measure: failed, want: failed, printed: "1", written: true},
		"files that are not written": {document: measured, write: failed,
			want: errors.New("--out: version.txt: a worker ended"), printed: "1"},
	} {
		var out strings.Builder
		above := need.Folder(t)
		folder := filepath.Join(above, "report")
		to := reportInto(&out, folder)
		if test.write != nil {
			to.files = func(*result.Document) []files.File {
				return []files.File{{Name: "version.txt", Write: func(io.Writer) error { return test.write }}}
			}
		}
		_, err := run(to, func(context.Context) (*result.Document, error) {
			require.NoDirExists(t, folder, "nothing is made before there is something to write")
			return test.document, test.measure
		})
		if test.want == nil {
			require.NoError(t, err, name)
		} else {
			require.EqualError(t, err, test.want.Error(), name)
			requireStatus(t, 1, err)
		}
		require.Equal(t, test.printed, out.String(), name)
		want := map[string]string{}
		if test.written {
			want["report/version.txt"] = "1"
		}
		require.Equal(t, want, need.FilesIn(t, above), name)
		if !test.written {
			require.NoDirExists(t, folder, name)
		}
	}
}
