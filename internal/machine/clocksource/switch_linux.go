package clocksource

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/program"
	"golang.org/x/sys/unix"
)

// A Switch is the right to switch the clock source, and the obligation to restore it. It is for one goroutine.
type Switch struct {
	folder   Folder
	original string
	timeouts timeouts
	lock     *os.File // of the folder; the guardian has it too
	guardian *program.Child
	answers  *bufio.Reader
	switched bool // a clock source may have been written
	ended    bool
	left     error // why the original is not restored
}

// Hold starts the guardian and returns when it is ready. It switches nothing. Hold returns an error if this process may
// not switch, if another timebench is switching, and if the guardian is not ready within 10 s.
//
// Hold marks all open files of this process except the standard ones close-on-exec.
func Hold(folder Folder) (*Switch, error) {
	if err := folder.Writable(); err != nil {
		return nil, err
	}
	original, err := folder.Current()
	if err != nil {
		return nil, err
	}
	if err := folder.offers(original); err != nil {
		return nil, fmt.Errorf("the clock source in use could not be restored, so nothing was switched: %w", err)
	}
	return hold(&Switch{folder: folder, original: original, timeouts: usualTimeouts})
}

// Recover has a guardian restore the clock source of a record, and remove the record.
func (f Folder) Recover(left *Record) error {
	s, err := hold(&Switch{folder: f, original: left.Original, timeouts: usualTimeouts, switched: true})
	if err != nil {
		return err
	}
	return s.Restore()
}

func hold(s *Switch) (_ *Switch, err error) {
	if s.lock, err = s.folder.lock(unix.LOCK_EX); err != nil {
		return nil, err
	}
	if err = s.start(); err != nil {
		_ = s.lock.Close()
		undone := "switched"
		if s.switched { // by an experiment that was killed
			undone = "restored"
		}
		return nil, fmt.Errorf("guardian process of the clock source: %w; the clock source was not %s", err, undone)
	}
	return s, nil
}

// newGuardian returns the command of a guardian. Tests replace it.
var newGuardian = func(args ...string) *exec.Cmd { return program.Role(GuardianRole, args...) }

// start starts a guardian, and waits until it is ready.
func (s *Switch) start() error {
	command := newGuardian(string(s.folder), s.original, strconv.FormatBool(s.switched))
	command.Args[0] = GuardianName
	command.Stderr = os.Stderr
	command.ExtraFiles = []*os.File{s.lock} // keeps the lock while open
	command.Dir = "/"                       // so that it keeps no file system busy
	// Files inherited from the parent process are not marked close-on-exec. Before Linux 5.11 this fails, and the
	// guardian keeps those files open.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		debuglog.Printf("clocksource", "close_range(2): %v", err)
	}
	guardian, err := program.StartSurvivor(command)
	if err != nil {
		return err
	}
	s.guardian, s.answers = guardian, bufio.NewReader(guardian.Out)
	if _, err := s.answer(s.timeouts.ready); err != nil {
		guardian.Kill()
		guardian.Close()
		return err
	}
	return nil
}

// answer returns the guardian's answer: nil, or why it failed. lost is why there is no answer.
func (s *Switch) answer(within time.Duration) (refusal, lost error) {
	if err := s.guardian.Out.SetReadDeadline(time.Now().Add(within)); err != nil {
		return nil, err
	}
	switch line, err := s.answers.ReadString('\n'); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, fmt.Errorf("did not answer within %v", within)
	case err != nil:
		return nil, fmt.Errorf("ended (%s)", s.guardian.Fate())
	case line != "\n":
		return errors.New(strings.TrimSpace(line)), nil
	default:
		return nil, nil
	}
}

// settleTime is the pause after a switch. The kernel's timekeeping changes to the new clock source within a tick, and a
// time service may then correct the time.
const settleTime = 200 * time.Millisecond

// Each switches to each of the clock sources and calls run, until ctx ends or run fails. Then it restores the original
// one, also after a panic. It reports whether it was interrupted.
func (s *Switch) Each(
	ctx context.Context, names []string, run func(context.Context, string) error,
) (interrupted bool, err error) {
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

// To has the guardian switch to a clock source, and returns when the kernel has switched. It returns an error, and the
// clock source does not change, if the kernel does not offer it or does not switch within 2 s. If the guardian has
// ended, another restores the original, and To returns an error.
func (s *Switch) To(name string) error {
	if s.ended {
		return fmt.Errorf("clock source %s has already been restored, so nothing more is switched", s.original)
	}
	s.switched = true
	_, _ = s.guardian.In.WriteString(name + "\n") // if it fails, there is no answer either
	refusal, lost := s.answer(s.timeouts.ready + s.timeouts.settle)
	if lost != nil {
		err := fmt.Errorf("the guardian process of the clock source %w, so nothing more is switched", lost)
		_ = s.Restore() // the caller may end this process; Restore returns its error again
		return err
	}
	return refusal
}

// Restore has the guardian restore the original, and waits until the kernel has switched. If the guardian has ended, or
// does not answer, another restores. An error includes the clock source in use. Without a switch it writes nothing.
// Restore may be called more than once. Afterwards To returns an error.
func (s *Switch) Restore() error {
	if s.ended {
		return s.left
	}
	s.ended = true
	defer func() { _ = s.lock.Close() }()
	left, lost := s.end()
	if lost != nil && s.switched {
		debuglog.Printf("clocksource", "the guardian %v; starting another one", lost)
		if lost = s.start(); lost == nil {
			left, lost = s.end()
		}
	}
	if s.left = left; lost != nil && s.switched {
		s.left = s.folder.stranded(s.original, fmt.Errorf("the guardian %w", lost))
	}
	return s.left
}

// end makes the guardian restore and end, and returns its answer.
func (s *Switch) end() (left, lost error) {
	_ = s.guardian.In.Close()
	left, lost = s.answer(s.timeouts.ready + s.timeouts.restore + s.timeouts.settle)
	s.guardian.Kill() // a guardian that answered has nothing left to do
	s.guardian.Close()
	return left, lost
}
