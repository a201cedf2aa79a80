package clocksource

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

// A Switch is the right to switch the clock source, and the obligation to restore it.
type Switch struct {
	folder   Folder
	original string
	timeouts timeouts
	guardian *exec.Cmd
	pipe     *os.File      // the guardian reads from it
	lock     *os.File      // of the folder; the guardian has it too
	gone     chan struct{} // closed when the guardian has ended
	done     chan struct{} // closed when the Switch has ended

	mutex    sync.Mutex // held while switching
	switched bool       // a clock source was written
	ended    bool
	broken   error // why it ended, if not by Restore
	left     error // why the original is not restored
}

// Hold starts the guardian and returns when it is ready. It switches nothing. guardian is a
// command, not yet started, that calls [Guard] with its standard input and output and the same
// folder; its path must be absolute. Hold returns an error if this process may not switch, if
// another timebench is switching, and if the guardian is not ready within 5 s.
//
// Hold marks all open files of this process except the standard ones close-on-exec.
func Hold(folder Folder, guardian *exec.Cmd) (*Switch, error) {
	return hold(folder, guardian, usualTimeouts)
}

func hold(folder Folder, guardian *exec.Cmd, p timeouts) (*Switch, error) {
	if err := folder.Writable(); err != nil {
		return nil, err
	}
	lock, err := folder.lock()
	if err != nil {
		return nil, err
	}
	s := &Switch{
		folder: folder, timeouts: p, guardian: guardian, lock: lock,
		gone: make(chan struct{}), done: make(chan struct{}),
	}
	folder.tidy()
	if err := s.begin(); err != nil {
		_ = lock.Close()
		return nil, err
	}
	go s.watch()
	return s, nil
}

// begin reads the original and starts the guardian, which must read the same.
func (s *Switch) begin() error {
	var err error
	if s.original, err = s.folder.Current(); err != nil {
		return err
	}
	if err := s.folder.offers(s.original); err != nil {
		return fmt.Errorf("the clock source in use could not be restored, so nothing was switched: %w", err)
	}
	answer, err := s.start()
	if err != nil {
		return fmt.Errorf("guardian process of the clock source: %w", err)
	}
	if answer.Error == "" && answer.Original != s.original {
		answer.Error = fmt.Sprintf("the clock source changed from %s to %s just now: end the other program that switches it", s.original, answer.Original)
	}
	if answer.Error != "" {
		_ = s.pipe.Close()
		s.end()
		return errors.New(answer.Error)
	}
	return nil
}

const maxAnswer = 4096

func (s *Switch) start() (ready, error) {
	in, pipe, err := os.Pipe()
	if err != nil {
		return ready{}, err
	}
	// Only the guardian reads, so that a write fails when it has ended.
	defer func() { _ = in.Close() }()
	answer, out, err := os.Pipe()
	if err != nil {
		_ = pipe.Close()
		return ready{}, err
	}
	defer func() { _ = answer.Close() }()
	defer func() { _ = out.Close() }()
	s.pipe = pipe
	s.guardian.Args[0] = GuardianName
	s.guardian.Stdin, s.guardian.Stdout = in, out
	if s.guardian.Stderr == nil {
		s.guardian.Stderr = os.Stderr
	}
	s.guardian.ExtraFiles = []*os.File{s.lock} // keeps the lock while open
	s.guardian.Dir = "/"                       // so that it keeps no file system busy
	s.guardian.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	// Files inherited from the parent process are not marked close-on-exec. Before Linux 5.11 this
	// fails, and the guardian keeps those files open.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		debuglog.Printf("clocksource", "close_range(2): %v", err)
	}
	if err := s.guardian.Start(); err != nil {
		_ = pipe.Close()
		return ready{}, err
	}
	debuglog.Printf("clocksource", "guardian started as process %d", s.guardian.Process.Pid)
	_ = out.Close() // only the guardian writes, so that a read ends with it
	var reply ready
	err = answer.SetReadDeadline(time.Now().Add(s.timeouts.ready))
	if err == nil {
		err = json.NewDecoder(io.LimitReader(answer, maxAnswer)).Decode(&reply)
	}
	if err == nil {
		return reply, nil
	}
	_ = pipe.Close()
	s.end()
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = fmt.Errorf("not ready within %v", s.timeouts.ready)
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("ended before it was ready (%v)", s.guardian.ProcessState)
	default:
		err = fmt.Errorf("invalid answer: %w", err)
	}
	return ready{}, fmt.Errorf("%w; nothing was switched", err)
}

// end ends a guardian that has nothing to restore.
func (s *Switch) end() {
	_ = s.guardian.Process.Kill()
	_ = s.guardian.Wait()
}

func (s *Switch) watch() {
	_ = s.guardian.Wait()
	close(s.gone)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.ended {
		s.lose()
	}
}

// lose restores at once, because the guardian has ended. The mutex is held.
func (s *Switch) lose() {
	if s.switched {
		s.left = s.folder.restore(s.original, s.timeouts)
	}
	s.wait(s.timeouts.ready)
	s.broken = fmt.Errorf("the guardian process of the clock source ended (%s), so nothing more is switched", s.how())
	_ = s.pipe.Close()
	s.finish()
}

func (s *Switch) how() string {
	select {
	case <-s.gone:
		return s.guardian.ProcessState.String()
	default:
		return "it does not respond"
	}
}

// finish unlocks the folder. The mutex is held.
func (s *Switch) finish() {
	s.ended = true
	_ = s.lock.Close()
	close(s.done)
}

// To switches to a clock source and returns when the kernel has switched. It returns an error,
// and the clock source does not change, if the kernel does not offer it or does not switch
// within 2 s. If the guardian has ended, it restores the original and returns an error.
func (s *Switch) To(name string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case s.broken != nil:
		return s.broken
	case s.ended:
		return fmt.Errorf("clock source %s has already been restored, so nothing more is switched", s.original)
	}
	if err := s.folder.offers(name); err != nil {
		return err
	}
	if now, err := s.folder.Current(); err == nil && now == name && !s.switched {
		return nil
	}
	if s.send(switching) != nil {
		// The caller may end this process before watch restores.
		s.lose()
		return s.broken
	}
	if !s.switched {
		if err := s.folder.remember(s.original, s.guardian.Process.Pid); err != nil {
			// Not with the mutex held, which Restore needs: the reader of standard error may be slow.
			go debuglog.Printf("clocksource", "no record of the experiment: %v", err)
		}
	}
	// From here on the original is always written at the end, even if it is still in use: a name
	// that the kernel did not switch to stays its override, which it may use later.
	s.switched = true
	return s.folder.put(name, s.timeouts.settle)
}

// send sends a message to the guardian. It returns an error if the guardian has ended, because
// nobody else reads the pipe.
func (s *Switch) send(message byte) error {
	if err := s.pipe.SetWriteDeadline(time.Now().Add(s.timeouts.ready)); err != nil {
		return err
	}
	_, err := s.pipe.Write([]byte{message})
	return err
}

// Restore restores the original, and waits until the kernel has switched and the guardian has
// ended. An error has the clock source in use now. If nothing was switched, Restore writes
// nothing. Any goroutine may call it, also more than once. Afterwards To returns an error.
func (s *Switch) Restore() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.ended {
		s.left = s.restore()
		s.finish()
	}
	return s.left
}

func (s *Switch) restore() error {
	var err error
	if s.switched {
		err = s.folder.putBack(s.original, s.timeouts.settle)
	}
	withdrawn := errors.Is(err, errUnavailable)
	if withdrawn {
		err = s.folder.withdrawn(err, s.timeouts.settle)
	}
	if err == nil || withdrawn {
		_ = s.send(settled)
	}
	_ = s.pipe.Close()
	s.wait(s.timeouts.restore + 2*s.timeouts.settle)
	if withdrawn {
		return err
	}
	if err != nil {
		// The guardian has restored the original, or could not, or was killed.
		if now, readable := s.folder.Current(); readable == nil && now == s.original {
			s.folder.forget()
			return nil
		}
		return s.folder.restore(s.original, timeouts{settle: s.timeouts.settle})
	}
	now, err := s.folder.Current()
	if err == nil && now != s.original {
		err = fmt.Errorf("the clock source was %s and is now %s: another program or the kernel has changed it", s.original, now)
	}
	return err
}

// wait waits until the guardian has ended. After that time it kills the guardian, which must have
// been stopped.
func (s *Switch) wait(within time.Duration) {
	select {
	case <-s.gone:
		return
	case <-time.After(within):
	}
	_ = s.guardian.Process.Kill()
	select {
	case <-s.gone:
	case <-time.After(s.timeouts.ready):
	}
}

// Done returns a channel that is closed when nothing can be switched any more: after Restore, or
// when the guardian ended and the original has been restored. Then the caller must stop
// measuring, because the clock source has changed.
func (s *Switch) Done() <-chan struct{} { return s.done }

// Err returns how the guardian ended, if it ended before Restore; otherwise nil.
func (s *Switch) Err() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.broken
}
