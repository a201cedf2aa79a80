package clocksource

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

const (
	available = "available_clocksource"
	current   = "current_clocksource"
)

const pause = 5 * time.Millisecond

// errUnavailable marks a clock source that the kernel does not offer.
var errUnavailable = errors.New("is not available")

// Available returns the names of the clock sources that the kernel offers, the best first. It
// returns an error if they cannot be read.
func (f Folder) Available() ([]string, error) { return f.read(available) }

// Current returns the name of the clock source in use. It returns an error if it cannot be
// read.
func (f Folder) Current() (string, error) {
	names, err := f.read(current)
	if err != nil {
		return "", err
	}
	if len(names) > 1 {
		return "", fmt.Errorf("%s: has %d names of clock sources instead of one", f.path(current), len(names))
	}
	return names[0], nil
}

// Writable returns nil if this process may switch the clock source, and otherwise the reason and
// who may. It opens the file and writes nothing.
func (f Folder) Writable() error {
	// Opening the file passes the same checks as a write, including security modules. access(2)
	// does not.
	file, err := os.OpenFile(f.path(current), os.O_WRONLY, 0)
	if err == nil {
		return file.Close()
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; only root may switch the clock source: run timebench with sudo", err)
	case errors.Is(err, unix.EROFS):
		return fmt.Errorf("%w; containers may not switch the clock source: "+
			"run timebench on the host, or in a privileged container", err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; this kernel has no selectable clock source", err)
	default:
		return err
	}
}

func (f Folder) path(file string) string { return filepath.Join(string(f), file) }

func (f Folder) read(file string) ([]string, error) {
	text, err := procfile.Read(f.path(file))
	if err != nil {
		return nil, err
	}
	names, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path(file), err)
	}
	return names, nil
}

func (f Folder) offers(name string) error {
	offered, err := f.Available()
	if err != nil {
		return err
	}
	if !slices.Contains(offered, name) {
		return fmt.Errorf("clock source %.64q %w (available: %s)", name, errUnavailable, strings.Join(offered, ", "))
	}
	return nil
}

// put switches to a clock source and waits until the kernel shows it.
//
// The kernel accepts any name and keeps it as the override. It switches before write(2) returns
// if it has a clock source of that name that is good enough for its timer mode. Otherwise the
// write succeeds too, but the clock source does not change (__clocksource_select in
// kernel/time/clocksource.c).
func (f Folder) put(name string, within time.Duration) error {
	if err := f.offers(name); err != nil {
		return err
	}
	if err := f.write(name); err != nil {
		return err
	}
	now, err := f.await(within, func(now string) bool { return now == name })
	if err == nil && now != name {
		err = fmt.Errorf("the kernel did not switch to clock source %s and still uses %s; its log (dmesg) may show why",
			name, now)
	}
	return err
}

// await waits until the kernel shows a wanted clock source, and returns the last clock source shown.
func (f Folder) await(within time.Duration, wanted func(string) bool) (now string, err error) {
	for deadline := time.Now().Add(within); ; time.Sleep(pause) {
		now, err = f.Current()
		if err == nil && wanted(now) || time.Now().After(deadline) {
			return now, err
		}
	}
}

// write writes a name in one write(2), without a newline, which would count in the length
// (sysfs_get_uname in kernel/time/clocksource.c).
func (f Folder) write(name string) error {
	file, err := os.OpenFile(f.path(current), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(name)
	return errors.Join(err, file.Close())
}

// restore restores the original and removes the record. It retries until its time is over.
//
// The kernel no longer offers a clock source that it found unstable. Then it selects another: the last clock source of
// the experiment may be worse. An empty line ends the override: sysfs_get_uname removes the newline, and for an empty
// name __clocksource_select uses the rating only (kernel/time/clocksource.c). A write of 0 bytes would be an error.
func (f Folder) restore(original string, t timeouts) error {
	for deadline := time.Now().Add(t.restore); ; time.Sleep(pause) {
		err := f.put(original, t.settle)
		if err == nil {
			f.forget()
			return nil
		}
		if errors.Is(err, errUnavailable) && f.write("\n") == nil {
			if chosen, unread := f.await(t.settle, func(string) bool { return true }); unread == nil {
				f.forget()
				return fmt.Errorf("the original %w: the kernel withdraws a clock source that it finds unstable (see dmesg); "+
					"the kernel selected %s instead", err, chosen)
			}
		}
		if time.Now().After(deadline) {
			return f.stranded(original, err)
		}
	}
}

// stranded returns the error for a clock source that could not be restored: which one is in use
// now, why, and the command that restores the original.
func (f Folder) stranded(original string, why error) error {
	left, err := f.Current()
	if err != nil {
		left = "unknown (it cannot be read)"
	}
	return fmt.Errorf("clock source %s could not be restored: %w; the clock source is now %s; "+
		"to restore it: echo %s | sudo tee %s",
		original, why, left, original, f.path(current))
}

// lock locks the folder with flock(2), until the file and every inherited copy of it are closed: for one timebench
// (LOCK_EX), or as long as none switches (LOCK_SH). It needs no access to the files in the folder.
func (f Folder) lock(how int) (*os.File, error) {
	folder, err := os.Open(string(f))
	if err != nil {
		return nil, err
	}
	if err = unix.Flock(int(folder.Fd()), how|unix.LOCK_NB); err == nil {
		return folder, nil
	}
	_ = folder.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, errors.New("another timebench is switching the clock source; wait until it has ended")
	}
	return nil, fmt.Errorf("lock %s: %w", f, err)
}

// parse returns the names of clock sources in a file of the folder, which are separated by
// blanks. It checks them, because a name is later written back.
func parse(text []byte) ([]string, error) {
	names := strings.Fields(string(text))
	if len(names) == 0 {
		return nil, errors.New("has no name of a clock source")
	}
	for _, name := range names {
		if Name(name) == "" {
			return nil, fmt.Errorf("%.64q cannot be the name of a clock source: "+
				"a name has at most %d printable ASCII characters", name, maxName)
		}
	}
	return names, nil
}
