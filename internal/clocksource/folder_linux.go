package clocksource

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	available = "available_clocksource"
	current   = "current_clocksource"
)

// page is the most that a file in sysfs can hold, in bytes
// (Documentation/filesystems/sysfs.rst).
const page = 4096

// pause is how long to wait before looking again at what does not change at once.
const pause = 5 * time.Millisecond

// errUnavailable is for a clock source that the kernel does not offer.
var errUnavailable = errors.New("is not available")

// Available returns the names of the clock sources that the kernel offers, in its
// order, the best first. It is an error where they cannot be read.
func (f Folder) Available() ([]string, error) { return f.read(available) }

// Current returns the name of the clock source in use. It is an error where it cannot
// be read.
func (f Folder) Current() (string, error) {
	names, err := f.read(current)
	if err != nil {
		return "", err
	}
	if len(names) > 1 {
		return "", fmt.Errorf("%s: names %d clock sources, and one can be in use", f.path(current), len(names))
	}
	return names[0], nil
}

// Writable is nil where this process may switch the clock source, and otherwise says
// why not and who may. It opens the file and writes nothing.
func (f Folder) Writable() error {
	// Opening asks all that a write would be asked, security modules among them;
	// access(2) does not.
	file, err := os.OpenFile(f.path(current), os.O_WRONLY, 0)
	if err == nil {
		return file.Close()
	}
	for _, known := range remedies {
		if errors.Is(err, known.of) {
			return fmt.Errorf("%w; %s", err, known.remedy)
		}
	}
	return err
}

var remedies = []struct {
	of     error
	remedy string
}{
	{fs.ErrPermission, "only root may switch the clock source: run timebench with sudo"},
	{unix.EROFS, "containers may not switch the clock source: run timebench on the host, or in a privileged container"},
	{fs.ErrNotExist, "this kernel lets no one choose the clock source"},
}

func (f Folder) path(file string) string { return filepath.Join(string(f), file) }

func (f Folder) read(file string) ([]string, error) {
	open, err := os.Open(f.path(file))
	if err != nil {
		return nil, err
	}
	defer func() { _ = open.Close() }()
	text, err := io.ReadAll(io.LimitReader(open, page))
	if err != nil {
		return nil, err
	}
	names, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path(file), err)
	}
	return names, nil
}

// offers says why the kernel cannot be asked for a clock source.
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
// The kernel takes any name, keeps it as the override, and switches before write(2)
// returns where it can: to a clock source that it has and, once it is in high
// resolution mode, that is good enough for that. Where it cannot the write is no error,
// and the one in use stays (__clocksource_select in kernel/time/clocksource.c).
func (f Folder) put(name string, within time.Duration) error {
	if err := f.offers(name); err != nil {
		return err
	}
	if err := f.write(name); err != nil {
		return err
	}
	for deadline := time.Now().Add(within); ; time.Sleep(pause) {
		now, err := f.Current()
		if err == nil && now == name {
			return nil
		}
		if time.Now().After(deadline) {
			if err != nil {
				return err
			}
			return fmt.Errorf("the kernel does not take clock source %s and stays with %s; its log (dmesg) may say why", name, now)
		}
	}
}

// putBack puts the original back and takes away the record of that it was switched.
func (f Folder) putBack(original string, within time.Duration) error {
	err := f.put(original, within)
	if err == nil {
		f.forget()
	}
	return err
}

// write writes a name with one write(2), and no newline behind it: the kernel counts it
// in the length (sysfs_get_uname in kernel/time/clocksource.c).
func (f Folder) write(name string) error {
	file, err := os.OpenFile(f.path(current), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(name)
	return errors.Join(err, file.Close())
}

// restore puts the original back, and tries again for as long as it may. An original
// that the kernel no longer offers does not come back by waiting.
func (f Folder) restore(original string, p patience) error {
	for deadline := time.Now().Add(p.restore); ; time.Sleep(pause) {
		err := f.putBack(original, p.settle)
		if err == nil {
			return nil
		}
		if errors.Is(err, errUnavailable) {
			return f.withdrawn(err, p.settle)
		}
		if time.Now().After(deadline) {
			return f.stranded(original, err)
		}
	}
}

// withdrawn has the kernel choose, where it no longer offers the original: the last
// clock source of the experiment may be a worse one than it would take. It says so.
func (f Folder) withdrawn(why error, within time.Duration) error {
	const unstable = "the kernel withdraws one that it finds unstable (dmesg tells)"
	chosen, err := f.choose(within)
	if err != nil {
		return fmt.Errorf("the original %w: %s; it could not be told to choose: %w; to do so: echo | sudo tee %s", why, unstable, err, f.path(current))
	}
	f.forget()
	return fmt.Errorf("the original %w: %s; it was told to choose, and the clock source is now %s", why, unstable, chosen)
}

// choose ends the override and returns what the kernel takes then, which is the best that
// it has. An empty line does that: sysfs_get_uname cuts the newline off, and with an
// empty name __clocksource_select goes by the rating alone (kernel/time/clocksource.c).
// Without a newline it would be a write of nothing, which is an error.
func (f Folder) choose(within time.Duration) (string, error) {
	if err := f.write("\n"); err != nil {
		return "", err
	}
	for deadline := time.Now().Add(within); ; time.Sleep(pause) {
		now, err := f.Current()
		if err == nil || time.Now().After(deadline) {
			return now, err
		}
	}
}

// stranded says with which clock source the machine is left, why, and what to type.
func (f Folder) stranded(original string, why error) error {
	left, err := f.Current()
	if err != nil {
		left = "one that cannot be read"
	}
	return fmt.Errorf("clock source %s could not be restored: %w; the machine is left with %s; to restore it: echo %s | sudo tee %s",
		original, why, left, original, f.path(current))
}

// lock takes the folder for one timebench, until the file and every copy of it that a
// process inherited are closed; flock(2). It is the folder that is locked, for what is in it
// need not be opened.
func (f Folder) lock() (*os.File, error) {
	folder, err := os.Open(string(f))
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return folder, nil
	}
	_ = folder.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, errors.New("another timebench switches the clock source at this moment; wait until it has ended")
	}
	return nil, fmt.Errorf("lock %s: %w", f, err)
}

// longest is how many bytes the name of a clock source can have: CS_NAME_LEN less
// the zero at its end (kernel/time/tick-internal.h).
const longest = 31

// parse returns the names of clock sources in a file of the folder: words with
// blanks between them. What is read is written back, so it must be what a name can be.
func parse(text []byte) ([]string, error) {
	words := bytes.Fields(text)
	if len(words) == 0 {
		return nil, errors.New("names no clock source")
	}
	names := make([]string, len(words))
	for i, word := range words {
		if len(word) > longest || bytes.ContainsFunc(word, unprintable) {
			return nil, fmt.Errorf("%.64q is no name of a clock source: it must be at most %d printable ASCII characters", word, longest)
		}
		names[i] = string(word)
	}
	return names, nil
}

func unprintable(r rune) bool { return r <= ' ' || r > '~' }
