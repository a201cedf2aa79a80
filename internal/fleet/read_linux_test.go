package fleet_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/test/made"
	"github.com/timebench/timebench/test/memory"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// A pipe without a writer is not read, also if a file becomes one after it was found, and a forbidden folder does not
// hide the other results. A link to a folder is that folder, and a link within it is not followed: it may be a loop.
func TestPipesLinksAndForbiddenFolders(t *testing.T) {
	documents, _ := made.Fleet(3, 0, 1)
	folder := written(t, documents[:2])
	pipe, forbidden, link := filepath.Join(folder, "a.json"), filepath.Join(folder, "forbidden"), filepath.Join(t.TempDir(), "link")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	for to, from := range map[string]string{link: folder, filepath.Join(folder, "loop"): folder,
		filepath.Join(folder, "nowhere.json"): filepath.Join(folder, "nowhere"),
		filepath.Join(folder, "again.json"):   filepath.Join(folder, "00000.json")} {
		require.NoError(t, os.Symlink(from, to))
	}
	r, w, err := os.Pipe() // of the shell's <(...), which is read
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	go func() { _ = documents[2].Write(w); _ = w.Close() }()
	need.Ends(t, "reading", func() {
		f := compared(t, link, pipe, fmt.Sprintf("/dev/fd/%d", r.Fd()))
		require.Equal(t, 3, f.Machines)
		require.Equal(t, []fleet.Unread{{File: pipe, Reason: "is not a regular file"}}, f.Unread)
	})
	require.NoError(t, os.Mkdir(forbidden, 0))
	if _, err := os.ReadDir(forbidden); err != nil { // root may read it
		require.Equal(t, []fleet.Unread{{File: forbidden, Reason: "permission denied"}}, compared(t, folder).Unread)
	}
	files, _, err := fleet.Find([]string{folder}, nil)
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.NoError(t, os.Remove(files[1]))
	require.NoError(t, unix.Mkfifo(files[1], 0o600))
	need.Ends(t, "reading", func() {
		machines, unread := fleet.Read(files, load)
		require.Len(t, machines, 1)
		require.Equal(t, []fleet.Unread{{File: files[1], Reason: "not a regular file"}}, unread)
	})
}

// Large documents are in memory one at a time.
func TestLargeDocumentsAreReadOneAtATime(t *testing.T) {
	need.Processes(t)
	timebench := need.Timebench(t)
	const size, files = 32 << 20, 3
	documents, _ := made.Fleet(files, 0, 1)
	folder := need.Folder(t)
	for i, d := range documents {
		var text bytes.Buffer
		require.NoError(t, d.Write(&text))
		padded := bytes.Replace(text.Bytes(), []byte("{"), []byte(`{"new": "`+strings.Repeat("x", size)+`",`), 1)
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.json", i)), padded, 0o600))
	}
	var out bytes.Buffer
	command := exec.Command(timebench, "fleet", folder)
	command.Stdout = &out
	require.NoError(t, command.Start())
	peak, err := memory.Wait(command)
	require.NoError(t, err)
	require.Equal(t, files, strings.Count(out.String(), "1 machine: "), out.String())
	require.Less(t, peak, int64(3*size))
}

// Documents that are too large for all CPUs at once are read later, and all stay in order.
func TestOrderOfLargeDocuments(t *testing.T) {
	var files []string
	for i := range 100 {
		files = append(files, strconv.Itoa(i))
	}
	var reading atomic.Int64
	machines, unread := fleet.Read(files, func(file string, most int64) (fleet.Machine, error) {
		large := strings.HasSuffix(file, "3")
		if large && most < result.MaxSize {
			return fleet.Machine{}, result.ErrTooLarge
		}
		if large {
			require.EqualValues(t, 1, reading.Add(1))
			defer reading.Add(-1)
		}
		if file == "93" {
			return fleet.Machine{}, fmt.Errorf("93: %w", result.ErrTooLarge)
		}
		return fleet.Machine{Name: file}, nil
	})
	require.Len(t, machines, 99)
	for i, m := range machines {
		require.Equal(t, strconv.Itoa(i+i/93), m.Name)
	}
	require.Equal(t, []fleet.Unread{{File: "93", Reason: result.ErrTooLarge.Error()}}, unread)
}

// BenchmarkFleet reports the time and the peak memory of timebench for the documents of n default runs.
func BenchmarkFleet(b *testing.B) {
	timebench := need.Timebench(b)
	for _, n := range []int{1000, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			documents, odd := made.Fleet(n, 7, 1)
			folder := written(b, documents)
			for b.Loop() {
				var out bytes.Buffer
				command := exec.Command(timebench, "fleet", folder, "--format", "json")
				command.Stdout = &out
				require.NoError(b, command.Start())
				peak, err := memory.Wait(command)
				require.NoError(b, err)
				b.ReportMetric(float64(peak)/1e6, "MB")
				var f fleet.Fleet
				require.NoError(b, json.Unmarshal(out.Bytes(), &f))
				require.ElementsMatch(b, odd, oddOf(&f))
			}
		})
	}
}
