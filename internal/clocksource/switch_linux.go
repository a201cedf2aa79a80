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

	"github.com/timebench/timebench/internal/trace"
	"golang.org/x/sys/unix"
)

// A Switch is the right to switch the clock source, and the duty to restore it.
type Switch struct {
	folder   Folder
	original string
	patience patience
	guardian *exec.Cmd
	pipe     *os.File      // what the guardian listens to
	lock     *os.File      // the folder; the guardian has it too
	gone     chan struct{} // closed when the guardian has ended
	done     chan struct{} // closed when this has

	mutex    sync.Mutex // held by whoever switches
	switched bool       // something has been written
	ended    bool
	broken   error // why it ended, if not by Restore
	left     error // why the original is not back
}

// Hold starts the guardian and returns when that is ready. Nothing is switched yet.
// The guardian is the command, not yet started, of a process that calls [Guard] with
// its standard input and output and the same folder; its path must be absolute. It is an
// error where this process may not switch, where another timebench does, and where the
// guardian does not say within 5 s that it is ready.
//
// Every file that this process has open beyond the three standard ones is closed from
// now on in processes that it starts, unless it is handed to them.
func Hold(folder Folder, guardian *exec.Cmd) (*Switch, error) {
	return hold(folder, guardian, usual)
}

func hold(folder Folder, guardian *exec.Cmd, p patience) (*Switch, error) {
	if err := folder.Writable(); err != nil {
		return nil, err
	}
	lock, err := folder.lock()
	if err != nil {
		return nil, err
	}
	s := &Switch{
		folder: folder, patience: p, guardian: guardian, lock: lock,
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

// begin finds out what the original is, and has a guardian that found the same.
func (s *Switch) begin() error {
	var err error
	if s.original, err = s.folder.Current(); err != nil {
		return err
	}
	if err := s.folder.offers(s.original); err != nil {
		return fmt.Errorf("the clock source in use could not be restored, so nothing is switched: %w", err)
	}
	said, err := s.start()
	if err != nil {
		return fmt.Errorf("the guardian process of the clock source: %w", err)
	}
	if said.Error == "" && said.Original != s.original {
		said.Error = fmt.Sprintf("the clock source changed from %s to %s just now: end the other program that switches it", s.original, said.Original)
	}
	if said.Error != "" {
		_ = s.pipe.Close()
		s.end()
		return errors.New(said.Error)
	}
	return nil
}

// start starts the guardian and returns its answer.
func (s *Switch) start() (ready, error) {
	in, pipe, err := os.Pipe()
	if err != nil {
		return ready{}, err
	}
	// The guardian alone reads, so that writing fails when it has ended.
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
	s.guardian.ExtraFiles = []*os.File{s.lock} // held by being open
	s.guardian.Dir = "/"                       // no file system stays busy by it
	s.guardian.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	// What this process was given by the one that started it is not marked
	// close-on-exec. A kernel older than 5.11 cannot do this: then the guardian has
	// those files as long as it lives.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		trace.Printf("clocksource", "close_range(2): %v", err)
	}
	if err := s.guardian.Start(); err != nil {
		_ = pipe.Close()
		return ready{}, err
	}
	trace.Printf("clocksource", "guardian started as process %d", s.guardian.Process.Pid)
	_ = out.Close() // it alone writes, so that reading ends with it
	var said ready
	err = answer.SetReadDeadline(time.Now().Add(s.patience.ready))
	if err == nil {
		err = json.NewDecoder(io.LimitReader(answer, page)).Decode(&said)
	}
	if err == nil {
		return said, nil
	}
	_ = pipe.Close()
	s.end()
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = fmt.Errorf("did not say within %v that it is ready", s.patience.ready)
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("ended before it was ready (%v)", s.guardian.ProcessState)
	default:
		err = fmt.Errorf("does not speak as one: %w", err)
	}
	return ready{}, fmt.Errorf("%w; nothing is switched", err)
}

// end ends a guardian that has nothing to restore.
func (s *Switch) end() {
	_ = s.guardian.Process.Kill()
	_ = s.guardian.Wait()
}

// watch sees the guardian end.
func (s *Switch) watch() {
	_ = s.guardian.Wait()
	close(s.gone)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.ended {
		s.lose()
	}
}

// lose restores at once, for the guardian has ended by itself. The mutex is held.
func (s *Switch) lose() {
	if s.switched {
		s.left = s.folder.restore(s.original, s.patience)
	}
	s.wait(s.patience.ready)
	s.broken = fmt.Errorf("the guardian process of the clock source ended (%s): without it nothing is switched any more", s.how())
	_ = s.pipe.Close()
	s.finish()
}

// how says how the guardian ended.
func (s *Switch) how() string {
	select {
	case <-s.gone:
		return s.guardian.ProcessState.String()
	default:
		return "it does not answer"
	}
}

// finish lets go of the folder. The mutex is held.
func (s *Switch) finish() {
	s.ended = true
	_ = s.lock.Close()
	close(s.done)
}

// Original returns the name of the clock source that Restore puts back.
func (s *Switch) Original() string { return s.original }

// To switches to a clock source and returns when the kernel has switched. It is an
// error, and the clock source in use stays, where the kernel does not offer that
// one or does not take it within 2 s. Where the guardian is gone it is an error, and the
// original is back.
func (s *Switch) To(name string) error {
	unrecorded, err := s.to(name)
	// Not with the mutex held, which Restore wants: whoever reads standard error may be slow.
	if unrecorded != nil {
		trace.Printf("clocksource", "no record of the experiment: %v", unrecorded)
	}
	if err == nil {
		trace.Printf("clocksource", "switched to %s", name)
	}
	return err
}

// to is To; unrecorded is why there is no record of the first switch.
func (s *Switch) to(name string) (unrecorded, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ended {
		if s.broken != nil {
			return nil, s.broken
		}
		return nil, fmt.Errorf("clock source %s has been restored, and is not switched any more", s.original)
	}
	if err := s.folder.offers(name); err != nil {
		return nil, err
	}
	if now, err := s.folder.Current(); err == nil && now == name && !s.switched {
		return nil, nil
	}
	if s.tell(switching) != nil {
		// Whoever gets this error may end this process before watch comes to it.
		s.lose()
		return nil, s.broken
	}
	if !s.switched {
		unrecorded = s.folder.remember(s.original, s.guardian.Process.Pid)
	}
	// From here on the original is written at the end even where it is still in use:
	// a name that the kernel did not take stays its override, which it may take later.
	s.switched = true
	return unrecorded, s.folder.put(name, s.patience.settle)
}

// tell says something to the guardian. It is an error when that is gone: no one
// else has the pipe's other end.
func (s *Switch) tell(what byte) error {
	if err := s.pipe.SetWriteDeadline(time.Now().Add(s.patience.ready)); err != nil {
		return err
	}
	_, err := s.pipe.Write([]byte{what})
	return err
}

// Restore puts the original back, waits until the kernel has switched and the
// guardian has ended, and says where that failed with which clock source the machine
// is left. Where nothing was switched it writes nothing. It may be called more than
// once and by any goroutine; To refuses from then on.
func (s *Switch) Restore() error {
	first, err := s.restoreOnce()
	if first && err == nil {
		trace.Printf("clocksource", "the experiment has ended, and %s is in use", s.original)
	}
	return err
}

// restoreOnce is Restore; first is whether it was not called before.
func (s *Switch) restoreOnce() (first bool, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ended {
		return false, s.left
	}
	s.left = s.restore()
	s.finish()
	return true, s.left
}

func (s *Switch) restore() error {
	var err error
	if s.switched {
		err = s.folder.putBack(s.original, s.patience.settle)
	}
	withdrawn := errors.Is(err, errUnavailable)
	if withdrawn {
		err = s.folder.withdrawn(err, s.patience.settle)
	}
	if err == nil || withdrawn {
		_ = s.tell(settled)
	}
	_ = s.pipe.Close()
	s.wait(s.patience.restore + 2*s.patience.settle)
	if withdrawn {
		return err
	}
	if err != nil {
		// The guardian has restored, or could not, or was killed.
		if now, readable := s.folder.Current(); readable == nil && now == s.original {
			s.folder.forget()
			return nil
		}
		err = s.folder.putBack(s.original, s.patience.settle)
		switch {
		case errors.Is(err, errUnavailable):
			return s.folder.withdrawn(err, s.patience.settle)
		case err != nil:
			return s.folder.stranded(s.original, err)
		}
		return nil
	}
	now, err := s.folder.Current()
	if err == nil && now != s.original {
		err = fmt.Errorf("the clock source was %s and is %s: another program, or the kernel, has changed it", s.original, now)
	}
	return err
}

// wait waits until the guardian has ended. One that takes longer has been stopped,
// and is killed.
func (s *Switch) wait(within time.Duration) {
	select {
	case <-s.gone:
		return
	case <-time.After(within):
	}
	_ = s.guardian.Process.Kill()
	select {
	case <-s.gone:
	case <-time.After(s.patience.ready):
	}
}

// Done returns a channel that is closed when nothing can be switched any more: after
// Restore, or when the guardian ended by itself and the original has been put back.
// Whoever measures must then stop: the clock source is no longer the one it switched to.
func (s *Switch) Done() <-chan struct{} { return s.done }

// Err is nil until Done is closed, and after a Restore in time; otherwise it says how
// the guardian ended.
func (s *Switch) Err() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.broken
}
