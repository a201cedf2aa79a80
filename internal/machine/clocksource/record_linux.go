package clocksource

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

// A Record is the record of a switched clock source. The guardian writes it to /run before the first switch, and
// removes it when it has restored the original. So it stays if the measuring process and the guardian are killed
// together.
type Record struct {
	Original string    `json:"original"`
	Since    time.Time `json:"since"`
	PID      int       `json:"pid"`     // of the measuring process
	BootID   string    `json:"boot_id"` // the /run of a container may outlive the boot
}

// recordFile is the path of a Record, below the root of the machine.
const recordFile = "run/timebench/clocksource.json"

// below returns a path in the machine's file system. [Sysfs] shows where its root is.
func (f Folder) below(path string) string {
	return filepath.Join("/", strings.TrimSuffix(string(f), string(Sysfs)), path)
}

func (f Folder) record() string { return f.below(recordFile) }

// bootID returns the id of this boot of the machine, "" if it is unknown; random(4).
func (f Folder) bootID() string {
	text, _ := procfile.Read(f.below("proc/sys/kernel/random/boot_id"))
	return strings.TrimSpace(string(text))
}

// remember writes the record. Without one, for example because there is no /run, the experiment goes on.
func (f Folder) remember(original string) {
	text, err := json.Marshal(Record{original, time.Now().UTC().Truncate(time.Second), os.Getppid(), f.bootID()})
	// Without a temporary file, which would stay after a kill.
	_ = os.Mkdir(filepath.Dir(f.record()), 0o755)
	if err = errors.Join(err, os.WriteFile(f.record(), append(text, '\n'), 0o644)); err != nil {
		debuglog.Printf("guardian", "no record of the experiment: %v", err)
	}
}

func (f Folder) forget() {
	_ = os.Remove(f.record())
	_ = os.Remove(filepath.Dir(f.record())) // unless it has another file
}

// Abandoned returns the record of an experiment that ended without restoring the original. It returns nil without a
// record, and if the original is in use, a process of the experiment still has the folder locked, or the record is of
// another boot or cannot be read.
func (f Folder) Abandoned() *Record {
	record, err := readRecord(f.record())
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			debuglog.Printf("clocksource", "record of an experiment: %s: %v", f.record(), err)
		}
		return nil
	}
	if now, err := f.Current(); err != nil || now == record.Original || record.BootID != f.bootID() {
		return nil
	}
	lock, err := f.lock(unix.LOCK_SH)
	if err != nil {
		return nil
	}
	_ = lock.Close()
	return &record
}

func readRecord(path string) (record Record, err error) {
	text, err := procfile.Read(path)
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
