package clocksource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"time"

	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

// A Switch is the right to switch the clock source, and the obligation to restore it. It is for one goroutine.
type Switch struct {
	folder   Folder
	original string
	timeouts timeouts
	guardian *exec.Cmd
	pipe     io.WriteCloser // the guardian reads from it
	lock     *os.File       // of the folder; the guardian has it too
	switched bool           // a clock source was written
	ended    bool
	left     error // why the original is not restored
}

// Hold starts the guardian and returns when it is ready. It switches nothing. guardian is a command, not yet started, that
// calls [Guard] with its standard input and output, the same folder, and the argument that Hold adds; its path must be
// absolute. Hold returns an error if this process may not switch, if another timebench is switching, and if the guardian is
// not ready within 5 s.
//
// Hold marks all open files of this process except the standard ones close-on-exec.
func Hold(folder Folder, guardian *exec.Cmd) (*Switch, error) {
	return hold(folder, guardian, usualTimeouts)
}

func hold(folder Folder, guardian *exec.Cmd, t timeouts) (*Switch, error) {
	if err := folder.Writable(); err != nil {
		return nil, err
	}
	lock, err := folder.lock(unix.LOCK_EX)
	if err != nil {
		return nil, err
	}
	s := &Switch{folder: folder, timeouts: t, guardian: guardian, lock: lock}
	if err := s.begin(); err != nil {
		_ = lock.Close()
		return nil, err
	}
	return s, nil
}

func (s *Switch) begin() (err error) {
	if s.original, err = s.folder.Current(); err != nil {
		return err
	}
	if err := s.folder.offers(s.original); err != nil {
		return fmt.Errorf("the clock source in use could not be restored, so nothing was switched: %w", err)
	}
	if err := s.start(); err != nil {
		return fmt.Errorf("guardian process of the clock source: %w", err)
	}
	return nil
}

// start starts the guardian, and waits until it has written a byte.
func (s *Switch) start() error {
	s.guardian.Args = append(s.guardian.Args, s.original)
	s.guardian.Args[0] = GuardianName
	if s.guardian.Stderr == nil {
		s.guardian.Stderr = os.Stderr
	}
	s.guardian.ExtraFiles = []*os.File{s.lock} // keeps the lock while open
	s.guardian.Dir = "/"                       // so that it keeps no file system busy
	s.guardian.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	// Files inherited from the parent process are not marked close-on-exec. Before Linux 5.11 this fails, and the guardian keeps
	// those files open.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		debuglog.Printf("clocksource", "close_range(2): %v", err)
	}
	answer, err := s.guardian.StdoutPipe()
	if err != nil {
		return err
	}
	// Only the guardian reads, so that a write fails when it has ended.
	if s.pipe, err = s.guardian.StdinPipe(); err != nil {
		return err
	}
	if err := s.guardian.Start(); err != nil {
		return err
	}
	debuglog.Printf("clocksource", "guardian started as process %d", s.guardian.Process.Pid)
	late := time.AfterFunc(s.timeouts.ready, func() { _ = s.guardian.Process.Kill() })
	_, err = answer.Read(make([]byte, 1))
	inTime := late.Stop()
	switch {
	case err == nil && inTime:
		return nil
	case inTime:
		s.end()
		return fmt.Errorf("ended before it was ready (%v); nothing was switched", s.guardian.ProcessState)
	default:
		s.end()
		return fmt.Errorf("not ready within %v; nothing was switched", s.timeouts.ready)
	}
}

// end ends the guardian, before the pipe closes.
func (s *Switch) end() {
	_ = s.guardian.Process.Kill()
	_ = s.guardian.Wait()
}

// settleTime is the pause after a switch. The kernel's timekeeping changes to the new clock source
// within a tick, and a time service may then correct the time.
const settleTime = 200 * time.Millisecond

// Each switches to each of the clock sources and calls run, until ctx ends or run fails. Then it restores the original one,
// also after a panic. It reports whether it was interrupted.
func (s *Switch) Each(ctx context.Context, names []string, run func(context.Context, string) error) (interrupted bool, err error) {
	defer func() { err = errors.Join(err, s.Restore()) }()
	for _, name := range names {
		if ctx.Err() != nil {
			break
		}
		if err := s.To(name); err != nil {
			return false, err
		}
		select {
		case <-time.After(settleTime):
		case <-ctx.Done():
		}
		if err := run(ctx, name); err != nil {
			return false, err
		}
	}
	return ctx.Err() != nil, nil
}

// To switches to a clock source and returns when the kernel has switched. It returns an error, and the clock source does not
// change, if the kernel does not offer it or does not switch within 2 s. If the guardian has ended, To restores the original
// and returns an error.
func (s *Switch) To(name string) error {
	if s.ended {
		return fmt.Errorf("clock source %s has already been restored, so nothing more is switched", s.original)
	}
	if err := s.folder.offers(name); err != nil {
		return err
	}
	if now, err := s.folder.Current(); err == nil && now == name && !s.switched {
		return nil
	}
	// From now on the guardian restores the original if this process ends.
	if _, err := s.pipe.Write([]byte{switching}); err != nil {
		_ = s.Restore() // the caller may end this process
		return fmt.Errorf("the guardian process of the clock source ended (%v), so nothing more is switched", s.guardian.ProcessState)
	}
	if !s.switched {
		if err := s.folder.remember(s.original); err != nil {
			// Nobody waits for it: the reader of standard error may be slow.
			go debuglog.Printf("clocksource", "no record of the experiment: %v", err)
		}
	}
	// From here on the original is always written at the end, even if it is still in use: a name
	// that the kernel did not switch to stays its override, which it may use later.
	s.switched = true
	return s.folder.put(name, s.timeouts.settle)
}

// Restore restores the original, and waits until the kernel has switched. An error has the clock source in use now. If
// nothing was switched, Restore writes nothing. It may be called more than once. Afterwards To returns an error.
func (s *Switch) Restore() error {
	if s.ended {
		return s.left
	}
	if s.switched {
		s.left = s.folder.restore(s.original, s.timeouts)
	} else if now, err := s.folder.Current(); err == nil && now != s.original {
		s.left = fmt.Errorf("the clock source was %s and is now %s: another program or the kernel has changed it", s.original, now)
	}
	s.end()
	s.ended = true
	_ = s.lock.Close()
	return s.left
}
