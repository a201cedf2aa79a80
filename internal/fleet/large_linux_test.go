package fleet_test

import (
	"bytes"
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
)

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
