package drift

import (
	"errors"
	"strings"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
)

// The phases of a run.
const (
	idle = iota
	loaded
	numberOfPhases
)

var (
	errCPUTime = errors.New("CPU time passes only while a thread runs")
	errNoHz    = errors.New("how many ticks it makes in a second is not known; take a clock that states it")
)

// A subject is a clock and its readings so far.
type subject struct {
	clock  clock.Clock
	hz     float64 // nominal; 0 if it is not known
	reader clock.Reader
	err    error   // why it could not be opened, or failed
	tick   float64 // the step of its values
	buffer [1]int64
	phases [numberOfPhases]series
}

// open opens the clock, unless it counts CPU time.
func (s *subject) open(kernelTSCHz float64) {
	if s.clock.Kind.CountsCPU() {
		s.err = errCPUTime
		return
	}
	if s.hz = observe.StatedHz(s.clock); s.hz == 0 && s.clock.Path == clock.CPU && strings.Contains(s.clock.ID, "RDTSC") {
		s.hz = kernelTSCHz
	}
	s.reader, s.err = s.clock.Open()
}

func (s *subject) read() int64 {
	s.reader.Read(s.buffer[:])
	return s.buffer[0]
}

// failed returns whether the subject has failed. It records an error of its reader's last read.
func (s *subject) failed() bool {
	if s.err == nil {
		s.err = clock.Failure(s.reader)
	}
	return s.err != nil
}
