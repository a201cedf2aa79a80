package clocksource

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Without a place for the record, everything else works.
func TestNoPlaceForTheRecord(t *testing.T) {
	for name, damage := range map[string]func(root string) error{
		"no /run":              func(root string) error { return os.Remove(filepath.Join(root, "run")) },
		"a file in its place":  func(root string) error { return os.WriteFile(filepath.Join(root, "run/timebench"), nil, 0o600) },
		"a folder of its name": func(root string) error { return os.MkdirAll(filepath.Join(root, recordFile, "x"), 0o755) },
	} {
		folder := machine(t)
		require.NoError(t, damage(strings.TrimSuffix(string(folder), string(Sysfs))), name)
		s := holding(t, folder)
		require.NoError(t, s.To("hpet"), name)
		require.Nil(t, folder.Abandoned(), name)
		require.NoError(t, s.Restore(), name)
		require.Equal(t, "tsc", content(t, folder), name)
	}
}

// leave leaves a record beside the clock source hpet.
func leave(t *testing.T, text string) Folder {
	t.Helper()
	folder := machine(t)
	set(t, folder, current, "hpet\n")
	require.NoError(t, os.MkdirAll(filepath.Dir(folder.record()), 0o755))
	require.NoError(t, os.WriteFile(folder.record(), []byte(text), 0o600))
	return folder
}

func TestAbandoned(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Record)
		found  bool
	}{
		"killed both":          {func(*Record) {}, true},
		"the original is back": {func(r *Record) { r.Original = "hpet" }, false},
		"no name":              {func(r *Record) { r.Original = "" }, false},
		"two names":            {func(r *Record) { r.Original = "tsc; reboot" }, false},
		"a name that steers":   {func(r *Record) { r.Original = "\x1b[2J" }, false},
		"no process":           {func(r *Record) { r.PID = 0 }, false},
		"another boot":         {func(r *Record) { r.BootID = "3f2e" }, false},
	} {
		record := Record{Original: "tsc", PID: 412}
		test.change(&record)
		text, err := json.Marshal(record)
		require.NoError(t, err)
		require.Equal(t, test.found, leave(t, string(text)).Abandoned() != nil, name)
	}
	for _, text := range []string{"", "null", "[]", "{", `{"original":"tsc"}`, strings.Repeat(" ", 1<<20) + "{}"} {
		require.Nil(t, leave(t, text).Abandoned(), "%.20q", text)
	}
}
