package cmd

import (
	"cmp"
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

// A run prints and writes its complete results, also if a part failed, and prints them if they cannot be written. No
// control character of a document reaches a format, or a file of --out.
func TestRun(t *testing.T) {
	failed := errors.New("a worker ended")
	const clean = " [2Ja  b\ufffd"
	for name, test := range map[string]struct {
		part, unwritten error
		want            string
		written         map[string]string
	}{
		"whole":  {written: map[string]string{"report/model.txt": clean}},
		"a part": {part: failed, want: "a worker ended", written: map[string]string{"report/model.txt": clean}},
		"files that are not written": {unwritten: failed, want: "--out: model.txt: a worker ended",
			written: map[string]string{}},
	} {
		var out strings.Builder
		above := need.Folder(t)
		write := func(w io.Writer, d *result.Document) error {
			_, err := io.WriteString(w, d.Host.CPU.Model)
			return err
		}
		to := report[*result.Document]{stdout: &out, stderr: io.Discard,
			format: render.Format[*result.Document]{Write: write},
			files: func(d *result.Document) []files.File {
				model := func(w io.Writer) error { return cmp.Or(test.unwritten, write(w, d)) }
				return []files.File{{Name: "model.txt", Write: model}}
			},
			target: files.NewTarget(filepath.Join(above, "report"), files.Results("compare"))}
		_, err := run(to, func(context.Context) (*result.Document, error) {
			return &result.Document{Host: result.Host{CPU: result.CPU{Model: "\x1b[2Ja\r\nb\u202e"}}}, test.part
		})
		if test.want != "" {
			require.EqualError(t, err, test.want, name)
			require.Equal(t, 1, statusOfError(err), name)
		} else {
			require.NoError(t, err, name)
		}
		require.Equal(t, clean, out.String(), name)
		require.Equal(t, test.written, need.FilesIn(t, above), name)
	}
}
