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

	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

// A Record is the record of a switched clock source. It is in /run from the first switch until
// the original is restored, for the case that the measuring process and the guardian are killed
// at the same time.
type Record struct {
	Original string    `json:"original"`
	Since    time.Time `json:"since"`
	PID      int       `json:"pid"`     // of the measuring process
	BootID   string    `json:"boot_id"` // the /run of a container may outlive the boot
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
func (f Folder) remember(original string) error {
	root, ok := f.root()
	if !ok {
		return fmt.Errorf("%s is not the folder of a kernel", f)
	}
	text, err := json.Marshal(Record{original, time.Now().UTC().Truncate(time.Second), os.Getpid(), bootID(root)})
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
// returns nil if there is none, the original is in use, one of the two processes still has the folder locked, the
// record is from another boot, or it cannot be read.
func (f Folder) Abandoned() *Record {
	root, ok := f.root()
	if !ok {
		return nil
	}
	record, err := readRecord(root)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			debuglog.Printf("clocksource", "record of an experiment: %s: %v", recordFile, err)
		}
		return nil
	}
	if now, err := f.Current(); err != nil || now == record.Original || record.BootID == "" || record.BootID != bootID(root) {
		return nil
	}
	lock, err := f.lock(unix.LOCK_SH)
	if err != nil {
		return nil
	}
	_ = lock.Close()
	return &record
}

func readRecord(root string) (record Record, err error) {
	text, err := procfile.Read(filepath.Join(root, recordFile))
	if err != nil {
		return record, err
	}
	if err := json.Unmarshal(text, &record); err != nil {
		return record, err
	}
	names, err := parse([]byte(record.Original))
	if err == nil && (len(names) > 1 || record.PID <= 0) {
		err = os.ErrInvalid
	}
	return record, err
}

// Recover restores the clock source of a record, and removes the record. An error has the clock
// source in use now.
func (f Folder) Recover(left *Record) error {
	lock, err := f.lock(unix.LOCK_EX)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	return f.restore(left.Original, usualTimeouts)
}

func bootID(root string) string {
	text, _ := procfile.Read(filepath.Join(root, "proc/sys/kernel/random/boot_id"))
	return strings.TrimSpace(string(text))
}
