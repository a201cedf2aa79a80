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
	"github.com/timebench/timebench/internal/trace"
	"golang.org/x/sys/unix"
)

// A Record tells that a clock source was switched, and what restores it. It stands in
// /run from the first switch until the original is back, so that something is left to
// tell of it where the measuring process and the guardian were killed in one stroke.
type Record struct {
	Original string    `json:"original"`
	Since    time.Time `json:"since"`
	Process  identity  `json:"process"`  // which measures
	Guardian identity  `json:"guardian"` // which would restore
	// BootID and PIDNamespace say where the processes' ids mean something.
	BootID       string `json:"boot_id"`
	PIDNamespace string `json:"pid_namespace,omitempty"`
}

// An identity is a process by its id and its start, in the kernel's ticks since the boot:
// ids are used again.
type identity struct {
	PID     int    `json:"pid"`
	Started uint64 `json:"started"`
}

// recordFile is where a Record stands, below the root of the machine.
const recordFile = "run/timebench/clocksource.json"

// root returns the root of the machine that the folder belongs to, and false for a folder
// that is not where a kernel has it.
func (f Folder) root() (string, bool) {
	root, ok := strings.CutSuffix(string(f), string(Sysfs))
	return root + "/", ok
}

// remember writes the record. Where that cannot be done, as without /run, there is none:
// the experiment is as safe as it is without. The error says why.
func (f Folder) remember(original string, guardian int) error {
	root, ok := f.root()
	if !ok {
		return fmt.Errorf("%s is no kernel's", f)
	}
	processes, err := procfs.NewFS(filepath.Join(root, procfs.DefaultMountPoint))
	if err != nil {
		return err
	}
	text, err := json.Marshal(Record{
		Original: original, Since: time.Now().UTC().Truncate(time.Second),
		Process: identify(processes, os.Getpid()), Guardian: identify(processes, guardian),
		BootID: bootID(root), PIDNamespace: pidNamespace(root),
	})
	if err != nil {
		return err
	}
	// In one write, and without a second file, which would stay where a kill comes between.
	// Everyone may read it, whatever the umask: doctor needs no root.
	path := filepath.Join(root, recordFile)
	if os.Mkdir(filepath.Dir(path), 0o755) == nil {
		_ = os.Chmod(filepath.Dir(path), 0o755)
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Chmod(path, 0o644)
}

// forget takes the record away.
func (f Folder) forget() {
	if root, ok := f.root(); ok {
		path := filepath.Join(root, recordFile)
		_ = os.Remove(path)
		_ = os.Remove(filepath.Dir(path)) // unless something else is in it
	}
}

// Abandoned returns the record of an experiment that ended without restoring; nil where
// there is none: where the original is in use, one of the two processes lives, the record
// is of another boot, or it cannot be read.
func (f Folder) Abandoned() *Record {
	root, ok := f.root()
	if !ok {
		return nil
	}
	record, err := readRecord(root)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			trace.Printf("clocksource", "the record of an experiment: %s: %v", recordFile, err)
		}
		return nil
	}
	now, err := f.Current()
	if err != nil || now == record.Original || !record.isOf(root) || record.lives(root) {
		return nil
	}
	return &record
}

// isOf reports whether the record is of this boot, and of processes that can be seen.
func (r Record) isOf(root string) bool {
	if id := bootID(root); id == "" || id != r.BootID {
		return false
	}
	// A recorded machine has no namespace of its own.
	here := pidNamespace(root)
	return here == "" || here == r.PIDNamespace
}

func (r Record) lives(root string) bool { return r.Process.lives(root) || r.Guardian.lives(root) }

// tidy takes away a record that tells nothing any more: of an original that is in use, of
// another boot, or broken. The folder is locked.
func (f Folder) tidy() {
	root, ok := f.root()
	if !ok || f.Abandoned() != nil {
		return
	}
	if record, err := readRecord(root); err == nil && record.isOf(root) && record.lives(root) {
		return
	}
	f.forget()
}

func readRecord(root string) (Record, error) {
	var record Record
	path := filepath.Join(root, recordFile)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > page {
		return record, errors.Join(err, os.ErrInvalid)
	}
	text, err := os.ReadFile(path)
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

// Recover restores the clock source of a record, and takes the record away. An error says
// which clock source the machine is left with.
func (f Folder) Recover(left *Record) error {
	lock, err := f.lock()
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	return f.restore(left.Original, usual)
}

func identify(processes procfs.FS, pid int) identity {
	found := identity{PID: pid}
	if p, err := processes.Proc(pid); err == nil {
		if stat, err := p.Stat(); err == nil {
			found.Started = stat.Starttime
		}
	}
	return found
}

// lives reports whether the process runs, or may run.
func (p identity) lives(root string) bool {
	processes, err := procfs.NewFS(filepath.Join(root, procfs.DefaultMountPoint))
	if err != nil {
		return false
	}
	if seen, err := processes.Proc(p.PID); err == nil {
		stat, err := seen.Stat()
		const dead = "ZXx" // and not yet reaped: proc_pid_stat(5)
		return err == nil && stat.Starttime == p.Started && !strings.Contains(dead, stat.State)
	}
	// Where /proc hides the processes of others (hidepid) it may still be there.
	return root == "/" && p.PID > 0 && errors.Is(unix.Kill(p.PID, 0), unix.EPERM)
}

func bootID(root string) string {
	text, err := os.ReadFile(filepath.Join(root, "proc/sys/kernel/random/boot_id"))
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
