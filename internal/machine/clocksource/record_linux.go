package clocksource

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/procfs"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

// A Record is the record of a switched clock source. It is in /run from the first switch until
// the original is restored, for the case that the measuring process and the guardian are killed
// at the same time.
type Record struct {
	Original string     `json:"original"`
	Since    time.Time  `json:"since"`
	Process  process.ID `json:"process"`  // the measuring process
	Guardian process.ID `json:"guardian"` // the guardian
	// The process ids are valid in this boot and this PID namespace only.
	BootID       string `json:"boot_id"`
	PIDNamespace string `json:"pid_namespace,omitempty"`
}

// recordFile is the path of a Record, below the root of the machine.
const recordFile = "run/timebench/clocksource.json"

// root returns the root of the machine that the folder belongs to; false if the folder is not at
// the path of [Sysfs].
func (f Folder) root() (string, bool) {
	root, ok := strings.CutSuffix(string(f), string(Sysfs))
	return root + "/", ok
}

// remember writes the record. Without one, for example because there is no /run, the experiment
// goes on; the error is why.
func (f Folder) remember(original string, guardian int) error {
	root, ok := f.root()
	if !ok {
		return fmt.Errorf("%s is not the folder of a kernel", f)
	}
	own, err := statOf(root, os.Getpid())
	if err != nil {
		return err
	}
	other, err := statOf(root, guardian)
	if err != nil {
		return err
	}
	text, err := json.Marshal(Record{
		Original: original, Since: time.Now().UTC().Truncate(time.Second),
		Process: process.Of(own), Guardian: process.Of(other), BootID: bootID(root), PIDNamespace: pidNamespace(root),
	})
	if err != nil {
		return err
	}
	// Without a temporary file, which would stay after a kill. Everybody may read it, because doctor needs no root.
	path := filepath.Join(root, recordFile)
	if os.Mkdir(filepath.Dir(path), 0o755) == nil {
		_ = os.Chmod(filepath.Dir(path), 0o755)
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Chmod(path, 0o644)
}

func (f Folder) forget() {
	if root, ok := f.root(); ok {
		path := filepath.Join(root, recordFile)
		_ = os.Remove(path)
		_ = os.Remove(filepath.Dir(path)) // unless it has another file
	}
}

// Abandoned returns the record of an experiment that ended without restoring the original. It
// returns nil if there is none, the original is in use, one of the two processes is alive, the
// record is from another boot, or it cannot be read.
func (f Folder) Abandoned() *Record {
	record, alive := f.left()
	if record == nil || alive {
		return nil
	}
	if now, err := f.Current(); err != nil || now == record.Original {
		return nil
	}
	return record
}

// left returns the record if it is from this boot and this PID namespace, and whether one of its processes is alive.
func (f Folder) left() (record *Record, alive bool) {
	root, ok := f.root()
	if !ok {
		return nil, false
	}
	found, err := readRecord(root)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			debuglog.Printf("clocksource", "record of an experiment: %s: %v", recordFile, err)
		}
		return nil, false
	}
	boot, namespace := bootID(root), pidNamespace(root)
	// A recorded machine has no namespace of its own.
	if boot == "" || boot != found.BootID || namespace != "" && namespace != found.PIDNamespace {
		return nil, false
	}
	return &found, lives(root, found.Process) || lives(root, found.Guardian)
}

// tidy removes an obsolete record: the original is in use, it is from another boot, or it is
// invalid. The caller holds the lock of the folder.
func (f Folder) tidy() {
	if _, alive := f.left(); !alive && f.Abandoned() == nil {
		f.forget()
	}
}

func readRecord(root string) (Record, error) {
	var record Record
	text, err := procfile.Read(filepath.Join(root, recordFile))
	if err != nil {
		return record, err
	}
	if err := json.Unmarshal(text, &record); err != nil {
		return record, err
	}
	names, err := parse([]byte(record.Original))
	if err == nil && (len(names) > 1 || record.Process.PID <= 0) {
		err = os.ErrInvalid
	}
	return record, err
}

// Recover restores the clock source of a record, and removes the record. An error has the clock
// source in use now.
func (f Folder) Recover(left *Record) error {
	lock, err := f.lock()
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	return f.restore(left.Original, usualTimeouts)
}

func statOf(root string, pid int) (process.ProcStat, error) {
	processes, err := procfs.NewFS(filepath.Join(root, procfs.DefaultMountPoint))
	if err != nil {
		return process.ProcStat{}, err
	}
	found, err := processes.Proc(pid)
	if err != nil {
		return process.ProcStat{}, err
	}
	return found.Stat()
}

// lives reports whether the process runs, or may run.
func lives(root string, p process.ID) bool {
	stat, err := statOf(root, p.PID)
	if err != nil {
		// If /proc hides the processes of others (hidepid), it may still be there.
		return root == "/" && p.PID > 0 && errors.Is(unix.Kill(p.PID, 0), unix.EPERM)
	}
	return process.Of(stat) == p && !process.FirstEnded(stat)
}

func bootID(root string) string {
	text, err := procfile.Read(filepath.Join(root, "proc/sys/kernel/random/boot_id"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func pidNamespace(root string) string {
	name, err := os.Readlink(filepath.Join(root, "proc/self/ns/pid"))
	if err != nil {
		return ""
	}
	return name
}
