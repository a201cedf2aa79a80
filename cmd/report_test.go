package cmd

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/report/files"
	"github.com/timebench/timebench/internal/report/render"
)

// No text of a document reaches a format, or a file of --out, with what steers a terminal.
func TestReportCleansWhatItWrites(t *testing.T) {
	var seen []string
	see := func(d *result.Document) { seen = append(seen, d.Host.CPU.Model) }
	to := report[*result.Document]{
		stdout: io.Discard, stderr: io.Discard, quiet: true,
		format: render.Format[*result.Document]{Write: func(_ io.Writer, d *result.Document) error { see(d); return nil }},
		files:  func(d *result.Document) []files.File { see(d); return nil },
	}
	d := &result.Document{Host: result.Host{CPU: result.CPU{Model: "\x1b[2Ja\r\nb\u202e"}}}
	require.NoError(t, to.write(d))
	require.Equal(t, []string{" [2Ja  b\ufffd", " [2Ja  b\ufffd"}, seen)
}
