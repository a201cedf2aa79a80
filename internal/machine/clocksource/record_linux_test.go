package clocksource

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestRecordStandsWhileItIsSwitched(t *testing.T) {
	defer unix.Umask(unix.Umask(0o077))
	folder := machine(t)
	s := holding(t, folder)
	requireNoRecord(t, folder)
	require.NoError(t, s.To("hpet"))
	root, _ := folder.root()
	record, err := readRecord(root)
	require.NoError(t, err)
	require.Equal(t, "tsc", record.Original)
	require.Equal(t, os.Getpid(), record.PID)
	for path, mode := range map[string]os.FileMode{recordOf(t, folder): 0o644, filepath.Dir(recordOf(t, folder)): 0o755} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm(), "doctor needs no root")
	}
	require.Nil(t, folder.Abandoned(), "it runs")

	require.NoError(t, s.To("acpi_pm"))
	again, err := readRecord(root)
	require.NoError(t, err)
	require.Equal(t, record, again, "since the first switch")
	require.NoError(t, s.Restore())
	requireNoRecord(t, folder)
}

// Without a place for the record, everything else works.
func TestNoPlaceForTheRecord(t *testing.T) {
	for name, damage := range map[string]func(root string) error{
		"no /run":              func(root string) error { return os.Remove(filepath.Join(root, "run")) },
		"a file in its place":  func(root string) error { return os.WriteFile(filepath.Join(root, "run/timebench"), nil, 0o600) },
		"no /proc":             func(root string) error { return os.Remove(filepath.Join(root, "proc")) },
		"a folder of its name": func(root string) error { return os.MkdirAll(filepath.Join(root, recordFile, "x"), 0o755) },
	} {
		folder := machine(t)
		root, _ := folder.root()
		require.NoError(t, damage(root), name)
		s := holding(t, folder)
		require.NoError(t, s.To("hpet"), name)
		require.Nil(t, folder.Abandoned(), name)
		require.NoError(t, s.Restore(), name)
		require.Equal(t, "tsc", content(t, folder), name)
	}
	elsewhere := Folder(t.TempDir())
	require.ErrorContains(t, elsewhere.remember("tsc"), "is not the folder of a kernel")
	elsewhere.forget()
	require.Nil(t, elsewhere.Abandoned())
}

// leave leaves a record beside the clock source hpet.
func leave(t *testing.T, text string) Folder {
	t.Helper()
	folder := machine(t)
	set(t, folder, current, "hpet\n")
	require.NoError(t, os.MkdirAll(filepath.Dir(recordOf(t, folder)), 0o755))
	require.NoError(t, os.WriteFile(recordOf(t, folder), []byte(text), 0o600))
	return folder
}

func TestAbandoned(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Record)
		found  bool
	}{
		"killed both":          {func(*Record) {}, true},
		"another boot":         {func(r *Record) { r.BootID = "6b1e2f0c-58a8-4b43-9a0c-0d9e8f5a1c22" }, false},
		"no boot":              {func(r *Record) { r.BootID = "" }, false},
		"the original is back": {func(r *Record) { r.Original = "hpet" }, false},
		"no name":              {func(r *Record) { r.Original = "" }, false},
		"two names":            {func(r *Record) { r.Original = "tsc; reboot" }, false},
		"a name that steers":   {func(r *Record) { r.Original = "\x1b[2J" }, false},
		"no process":           {func(r *Record) { r.PID = 0 }, false},
	} {
		record := Record{Original: "tsc", PID: 412, BootID: bootID("/")}
		test.change(&record)
		text, err := json.Marshal(record)
		require.NoError(t, err)
		require.Equal(t, test.found, leave(t, string(text)).Abandoned() != nil, name)
	}
	for _, text := range []string{"", "null", "[]", "{", `{"original":"tsc"}`, strings.Repeat(" ", 1<<20) + "{}"} {
		require.Nil(t, leave(t, text).Abandoned(), "%.20q", text)
	}
}

func TestRecover(t *testing.T) {
	record := &Record{Original: "tsc"}
	folder := leave(t, "")
	require.NoError(t, folder.Recover(record))
	require.Equal(t, "tsc", content(t, folder))
	requireNoRecord(t, folder)
	released(t, folder)

	s := holding(t, folder)
	require.NoError(t, s.To("hpet"))
	require.ErrorContains(t, folder.Recover(record), "another timebench is switching")
	require.Equal(t, "hpet", content(t, folder))
}
