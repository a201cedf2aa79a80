//go:build linux || windows

package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"
	"unsafe"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/show/words"
	"github.com/timebench/timebench/internal/system/program"
)

// WorkerRole is the role of a process that calls [Worker].
const WorkerRole = "worker"

// An order is an assignment of a worker process, sent as a line of JSON.
type order struct {
	Clock string   `json:"clock"`
	Pace  pace     `json:"pace"`
	At    affinity `json:"at"`
	Slot  int      `json:"slot"`
}

// A report is the answer of a worker process; Error is empty if it succeeded. LostCPU is the
// CPU that went away, if that is the error; FailedRead is whether the clock could not be read.
type report struct {
	Error      string `json:"error"`
	LostCPU    *int   `json:"lost_cpu,omitempty"`
	FailedRead bool   `json:"failed_read,omitempty"`
}

func reported(err error) report {
	if err == nil {
		return report{}
	}
	if lost, ok := errors.AsType[*lostCPU](err); ok {
		return report{Error: lost.Error(), LostCPU: &lost.cpu}
	}
	_, failed := errors.AsType[*failedRead](err)
	return report{Error: first(err).Error(), FailedRead: failed}
}

func (r report) err() error {
	switch {
	case r.Error == "":
		return nil
	case r.LostCPU != nil:
		return &lostCPU{*r.LostCPU, errors.New(r.Error)}
	case r.FailedRead:
		return &failedRead{errors.New(r.Error)}
	default:
		return errors.New(r.Error)
	}
}

// processes is a team of processes of timebench. They run for all measurements of a run and read orders from their
// standard input. They end when the input ends, so also when this process ends. Their gate is in shared memory.
type processes struct {
	meeting *gate
	workers []*worker
	started int
	// answers are the reports of the workers, and then their ends.
	answers chan answer
	// patience returns how long wait waits for the answers of n workers.
	patience func(n int) time.Duration
	// ended is why no more workers can be started: one has ended or does not answer, so the others are out of step.
	ended error
}

type worker struct {
	*program.Child
	reports *json.Decoder
}

func (w *worker) listen(i int, to chan<- answer) {
	for {
		var r report
		if err := w.reports.Decode(&r); err != nil {
			to <- answer{i, &endedProcess{i, w.Fate()}}
			return
		}
		to <- answer{i, r.err()}
	}
}

// An endedProcess is the error of a worker process that has ended.
type endedProcess struct {
	worker int
	how    string
}

func (e *endedProcess) Error() string {
	return fmt.Sprintf("worker process %d ended: %s", e.worker, e.how)
}

func newProcesses(most int) (team, error) {
	if err := observe.CommonStopwatch(); err != nil {
		return nil, fmt.Errorf("worker processes have no stopwatch in common: %w", err)
	}
	shared, err := newShared(unsafe.Sizeof(gate{}))
	if err != nil {
		return nil, fmt.Errorf("shared memory for worker processes: %w", err)
	}
	defer shared.close()
	memory, err := shared.mapped()
	if err != nil {
		return nil, fmt.Errorf("map the shared memory of worker processes: %w", err)
	}
	// The workers may use up the limits of the system, so this process starts its threads first.
	const ours = 4
	thread.Reserve(ours)
	// A worker has at most its last report and its end in the channel.
	p := &processes{meeting: (*gate)(memory), answers: make(chan answer, 2*most), patience: patience}
	for range most {
		w, err := startWorker(shared)
		if err != nil {
			p.close()
			return nil, fmt.Errorf("worker process %d of %d: %w; take fewer (--threads), or raise the limit of %s",
				len(p.workers)+1, most, err, limitBehind(err))
		}
		p.workers = append(p.workers, w)
	}
	for i, w := range p.workers {
		var ready report
		if w.reports.Decode(&ready) != nil {
			how := w.Fate()
			p.close()
			return nil, fmt.Errorf("worker process %d of %d ended before it was ready: %s; if it lacks threads, "+
				"take fewer (--threads), or raise the limit of %s", i+1, most, how, limitBehind(nil))
		}
	}
	for i, w := range p.workers {
		go w.listen(i, p.answers)
	}
	return p, nil
}

// limitBehind returns the limit that keeps a process from starting.
func limitBehind(err error) string {
	switch {
	case errors.Is(err, syscall.EMFILE): // each worker has three pipes
		return "open files (ulimit -n)"
	case errors.Is(err, syscall.ENFILE):
		return "open files of the whole system (sysctl fs.file-max)"
	default:
		return "processes (ulimit -u, pids.max of the control group)"
	}
}

func startWorker(gate *shared) (*worker, error) {
	command := program.Role(WorkerRole)
	gate.inherit(command)
	child, err := program.Start(context.Background(), command)
	if err != nil {
		return nil, err
	}
	return &worker{child, json.NewDecoder(child.Out)}, nil
}

func (p *processes) gate() *gate { return p.meeting }

func (p *processes) start(c clock.Clock, pace pace, n int, affinities func(i int) affinity) error {
	p.started = 0
	for i, w := range p.workers[:n] {
		if p.ended != nil {
			break
		}
		if json.NewEncoder(w.In).Encode(order{c.ID, pace, affinities(i), i}) != nil {
			p.ended = &endedProcess{i, w.Fate()}
		}
		p.started = i + 1
	}
	return p.ended
}

func (p *processes) wait() error {
	late := p.patience(p.started)
	err := collect(p.answers, p.started, late, func(i int) error {
		p.ended = fmt.Errorf("worker process %d got no time for %s", i, words.Duration(float64(late)))
		p.workers[i].Kill() // close waits for its end
		return p.ended
	})
	if ended, ok := errors.AsType[*endedProcess](err); ok {
		p.ended = ended
	}
	return err
}

func (p *processes) rest() {}

func (p *processes) broken() error { return p.ended }

func (p *processes) close() {
	for _, w := range p.workers {
		_ = w.In.Close()
	}
	for _, w := range p.workers {
		host.CountChild(w.Close())
	}
	unmap(unsafe.Pointer(p.meeting), unsafe.Sizeof(gate{}))
}

// Worker makes this process a worker: it writes to standard output that it is ready, executes the orders that it reads
// from standard input, and answers each one, until the input ends. An order may name any clock of the catalogue.
func Worker([]string) error {
	// A signal from the terminal reaches every process of the group, but only the parent ends a run. Signals are
	// received and dropped: on Windows, an ignored signal ends the process.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	debug.SetGCPercent(-1)
	memory, err := inherited(unsafe.Sizeof(gate{}))
	if err != nil {
		return fmt.Errorf("map the shared memory of worker processes: %w", err)
	}
	meeting, clocks := (*gate)(memory), clock.Catalog()
	// Start the thread that orders need now, while no result can be lost.
	if err := thread.Run(thread.Any, func() {}); err != nil {
		return err
	}
	answers := json.NewEncoder(os.Stdout)
	if err := answers.Encode(report{}); err != nil {
		return err
	}
	// The next order is awaited while this process works: when the parent ends, so does the process.
	for decoder := json.NewDecoder(os.Stdin); ; {
		var o order
		if err := decoder.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("orders of a worker process: %w", err)
		}
		meeting.obey(o, clocks, answers)
	}
}

// obey executes an order on a thread of its own, which sends the report.
func (g *gate) obey(o order, clocks []clock.Clock, answers *json.Encoder) {
	known := slices.IndexFunc(clocks, func(c clock.Clock) bool { return c.ID == o.Clock })
	if known < 0 || o.Slot < 0 || o.Slot >= len(g.slots) || !o.Pace.possible() {
		g.absent()
		_ = answers.Encode(report{Error: fmt.Sprintf("a worker process cannot obey %+v", o)})
		return
	}
	var crew observe.Crew
	// If the answer cannot be sent, the parent has ended.
	crew.Start(0, o.At.Pin, func(unpinned error) {
		_ = answers.Encode(reported(g.serve(unpinned, o.At, o.Slot, clocks[known], o.Pace)))
	})
	crew.Dismiss(0)
}

func (p pace) possible() bool { return p.Chunk >= 1 && p.Slice >= 1 && p.Check >= 1 }
