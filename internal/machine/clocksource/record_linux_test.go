package clocksource

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

func TestRecordStandsWhileItIsSwitched(t *testing.T) {
	defer unix.Umask(unix.Umask(0o077))
	folder := machine(t)
	s := holding(t, folder, usualTimeouts)
	requireNoRecord(t, folder)
	require.NoError(t, s.To("hpet"))
	root, _ := folder.root()
	record, err := readRecord(root)
	require.NoError(t, err)
	require.Equal(t, "tsc", record.Original)
	require.Equal(t, os.Getpid(), record.Process.PID)
	require.Equal(t, s.guardian.Process.Pid, record.Guardian.PID)
	require.NotZero(t, record.Process.Started)
	require.NotZero(t, record.Guardian.Started)
	require.True(t, lives(root, record.Process))
	require.True(t, lives(root, record.Guardian))
	info, err := os.Stat(recordOf(t, folder))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o644), info.Mode(), "doctor needs no root")
	info, err = os.Stat(filepath.Dir(recordOf(t, folder)))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o755), info.Mode().Perm())
	require.Nil(t, folder.Abandoned(), "both processes live")

	require.NoError(t, s.To("acpi_pm"))
	again, err := readRecord(root)
	require.NoError(t, err)
	require.Equal(t, record, again, "since the first switch")
	require.NoError(t, s.Restore())
	requireNoRecord(t, folder)
}

func TestRecordGoesWithTheOriginal(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder, usualTimeouts)
	kernel(t, folder)
	require.NoError(t, s.To("acpi_pm"))
	set(t, folder, available, "hpet acpi_pm\n")
	require.ErrorContains(t, s.Restore(), "the kernel selected ")
	requireNoRecord(t, folder)

	folder = machine(t)
	s = holding(t, folder, usualTimeouts)
	require.NoError(t, s.To("hpet"))
	require.NoError(t, s.guardian.Process.Kill())
	<-s.Done()
	requireNoRecord(t, folder)
}

// A clock source that could not be restored keeps its record.
func TestRecordStaysWhereTheOriginalDoesNotComeBack(t *testing.T) {
	folder := machine(t)
	s := reported(t, "hasty", folder, filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, s.To("hpet"))
	require.NoError(t, os.Remove(folder.path(available)))
	require.Error(t, s.Restore())
	require.FileExists(t, recordOf(t, folder))
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
		s := holding(t, folder, usualTimeouts)
		require.NoError(t, s.To("hpet"), name)
		require.Nil(t, folder.Abandoned(), name)
		require.NoError(t, s.Restore(), name)
		require.Equal(t, "tsc", content(t, folder), name)
	}
	elsewhere := Folder(t.TempDir())
	_, ok := elsewhere.root()
	require.False(t, ok)
	require.ErrorContains(t, elsewhere.remember("tsc", 1), "is not the folder of a kernel")
	elsewhere.forget()
	elsewhere.tidy()
	require.Nil(t, elsewhere.Abandoned())
}

func ended(t *testing.T) int {
	t.Helper()
	need.Processes(t)
	command := exec.Command(again("", "").Path, "-test.run=^$")
	require.NoError(t, command.Run())
	return command.Process.Pid
}

// abandon leaves the record of an experiment that was killed with its guardian.
func abandon(t *testing.T, folder Folder, change func(*Record)) {
	t.Helper()
	root, _ := folder.root()
	record := Record{
		Original: "tsc", Process: process.ID{PID: ended(t), Started: 12}, Guardian: process.ID{PID: ended(t), Started: 13},
		BootID: bootID(root), PIDNamespace: pidNamespace(root),
	}
	if change != nil {
		change(&record)
	}
	text, err := json.Marshal(record)
	require.NoError(t, err)
	leave(t, folder, string(text))
}

func leave(t *testing.T, folder Folder, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(recordOf(t, folder)), 0o755))
	require.NoError(t, os.WriteFile(recordOf(t, folder), []byte(text), 0o600))
}

func TestAbandoned(t *testing.T) {
	root, _ := machine(t).root()
	here, err := readRecord(root)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Zero(t, here)
	for name, test := range map[string]struct {
		change func(*Record)
		found  bool
	}{
		"killed both":           {nil, true},
		"the id is used again":  {func(r *Record) { r.Process.PID = os.Getpid() }, true},
		"the process lives":     {func(r *Record) { r.Process = self(t) }, false},
		"the guardian restores": {func(r *Record) { r.Guardian = self(t) }, false},
		"another boot":          {func(r *Record) { r.BootID = "6b1e2f0c-58a8-4b43-9a0c-0d9e8f5a1c22" }, false},
		"no boot":               {func(r *Record) { r.BootID = "" }, false},
		"another namespace":     {func(r *Record) { r.PIDNamespace = "pid:[1]" }, false},
		"the original is back":  {func(r *Record) { r.Original = "hpet" }, false},
		"no name":               {func(r *Record) { r.Original = "" }, false},
		"two names":             {func(r *Record) { r.Original = "tsc; reboot" }, false},
		"a name that steers":    {func(r *Record) { r.Original = "\x1b[2J" }, false},
		"no process":            {func(r *Record) { r.Process.PID = 0 }, false},
	} {
		folder := machine(t)
		set(t, folder, current, "hpet\n")
		abandon(t, folder, test.change)
		left := folder.Abandoned()
		require.Equal(t, test.found, left != nil, name)
		if left != nil {
			require.Equal(t, "tsc", left.Original, name)
		}
	}
	for _, text := range []string{"", "null", "[]", "{", `{"original":"tsc"}`, strings.Repeat(" ", maxAnswer) + "{}"} {
		folder := machine(t)
		set(t, folder, current, "hpet\n")
		leave(t, folder, text)
		require.Nil(t, folder.Abandoned(), "%.20q", text)
	}
}

func self(t *testing.T) process.ID {
	t.Helper()
	folder := machine(t)
	require.NoError(t, folder.remember("tsc", os.Getpid()))
	root, _ := folder.root()
	record, err := readRecord(root)
	require.NoError(t, err)
	return record.Process
}

func TestRecover(t *testing.T) {
	folder := machine(t)
	set(t, folder, current, "hpet\n")
	abandon(t, folder, nil)
	require.NoError(t, folder.Recover(folder.Abandoned()))
	require.Equal(t, "tsc", content(t, folder))
	requireNoRecord(t, folder)
	released(t, folder)

	set(t, folder, current, "acpi_pm\n")
	set(t, folder, available, "hpet acpi_pm\n")
	abandon(t, folder, nil)
	kernel(t, folder)
	require.EqualError(t, folder.Recover(folder.Abandoned()), withdrawnTSC)
	requireNoRecord(t, folder)
}

func TestRecoverLeavesARunningExperimentAlone(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder, usualTimeouts)
	require.NoError(t, s.To("hpet"))
	require.ErrorContains(t, folder.Recover(&Record{Original: "tsc"}), "another timebench is switching")
	require.Equal(t, "hpet", content(t, folder))
}

// The next experiment removes obsolete records, and keeps a valid one until it switches itself.
func TestHoldTidies(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Record)
		kept   bool
	}{
		"abandoned":            {nil, true},
		"of another namespace": {func(r *Record) { r.PIDNamespace = "pid:[1]" }, false},
		"the original is back": {func(r *Record) { r.Original = "hpet" }, false},
		"another boot":         {func(r *Record) { r.BootID = "x" }, false},
		"of one that lives":    {func(r *Record) { r.Process = self(t) }, true},
	} {
		folder := machine(t)
		set(t, folder, current, "hpet\n")
		abandon(t, folder, test.change)
		s := holding(t, folder, usualTimeouts)
		_, err := os.Stat(recordOf(t, folder))
		require.Equal(t, test.kept, err == nil, name)
		require.NoError(t, s.To("acpi_pm"), name)
		require.NoError(t, s.Restore(), name)
		requireNoRecord(t, folder)
		require.Equal(t, "hpet", content(t, folder), name)
	}
	folder := machine(t)
	leave(t, folder, "garbage")
	_ = holding(t, folder, usualTimeouts)
	requireNoRecord(t, folder)
}
