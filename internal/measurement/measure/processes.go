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
	"sync"
	"syscall"
	"unsafe"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/system/program"
)

// An order is an assignment of a worker process, sent as a line of JSON. It answers with a [failure], or null.
type order struct {
	Clock string   `json:"clock"`
	Pace  pace     `json:"pace"`
	At    affinity `json:"at"`
	Slot  int      `json:"slot"`
}

// processes is a team of processes of timebench. They run for all measurements of a run and read orders from their
// standard input. They end when the input ends, so also when this process ends. Their gate is in shared memory.
type processes struct {
	meeting *gate
	workers []*worker
	awaited sync.WaitGroup // answers
}

type worker struct {
	*program.Child
	orders  *json.Encoder
	answers *json.Decoder
}

func (w *worker) obey(o order) (f *failure) {
	if w.orders.Encode(o) != nil || w.answers.Decode(&f) != nil {
		return &failure{fmt.Sprintf("worker process %d ended: %s", o.Slot, w.Fate()), theRun}
	}
	return f
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
	// The workers may use up the limits of the system, so this process starts its threads first.
	const ours = 4
	thread.Reserve(ours)
	p := &processes{meeting: (*gate)(shared.memory)}
	for range most {
		w, err := startWorker(shared)
		if err != nil {
			p.close()
			return nil, fmt.Errorf("worker process %d of %d: %w%s", len(p.workers)+1, most, err, adviceOn(err))
		}
		p.workers = append(p.workers, w)
	}
	for i, w := range p.workers {
		var ready *failure
		if w.answers.Decode(&ready) != nil {
			how := w.Fate()
			p.close()
			return nil, fmt.Errorf("worker process %d of %d ended before it was ready: %s; if it lacks threads, "+
				"take fewer (--threads), or raise the limit of %s", i+1, most, how, processLimit)
		}
	}
	return p, nil
}

// processLimit is the limit of threads too.
const processLimit = "processes (ulimit -u, pids.max of the control group)"

// adviceOn returns what to do if a limit keeps a process from starting; "" after another error.
func adviceOn(err error) string {
	const advice = "; take fewer (--threads), or raise the limit of "
	switch {
	case errors.Is(err, syscall.EMFILE): // each worker has three pipes
		return advice + "open files (ulimit -n)"
	case errors.Is(err, syscall.ENFILE):
		return advice + "open files of the whole system (sysctl fs.file-max)"
	case errors.Is(err, syscall.EAGAIN):
		return advice + processLimit
	}
	return ""
}

func startWorker(gate *shared) (*worker, error) {
	command := program.Role(WorkerRole)
	gate.inherit(command)
	child, err := program.Start(context.Background(), command)
	if err != nil {
		return nil, err
	}
	return &worker{child, json.NewEncoder(child.In), json.NewDecoder(child.Out)}, nil
}

func (p *processes) gate() *gate { return p.meeting }

func (p *processes) start(i int, c clock.Clock, pace pace, at affinity, done func(*failure)) {
	p.awaited.Go(func() {
		f := p.workers[i].obey(order{c.ID, pace, at, i})
		if f != nil && f.Cost == theRun { // it may have ended before it arrived at the gate
			p.meeting.absent()
		}
		done(f)
	})
}

// late ends the run: the other workers are out of step.
func (p *processes) late(i int, _ affinity, waited string) *failure {
	p.workers[i].Kill() // close waits for its end
	return &failure{fmt.Sprintf("worker process %d got no time for %s", i, waited), theRun}
}

func (p *processes) keep(int) {}

func (p *processes) close() {
	for _, w := range p.workers {
		_ = w.In.Close()
	}
	for _, w := range p.workers {
		host.CountChild(w.Close())
	}
	p.awaited.Wait() // for the answer of a late worker, which is its end
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
	if err := answers.Encode(nil); err != nil {
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

// obey executes an order on a thread of its own, which sends the answer.
func (g *gate) obey(o order, clocks []clock.Clock, answers *json.Encoder) {
	known := slices.IndexFunc(clocks, func(c clock.Clock) bool { return c.ID == o.Clock })
	if known < 0 || o.Slot < 0 || o.Slot >= len(g.slots) || !o.Pace.possible() {
		g.absent()
		_ = answers.Encode(failure{fmt.Sprintf("a worker process cannot obey %+v", o), aFigure})
		return
	}
	var crew observe.Crew
	// If the answer cannot be sent, the parent has ended.
	crew.Start(0, o.At.Pin, func(unpinned error) {
		_ = answers.Encode(g.serve(unpinned, o.At, o.Slot, clocks[known], o.Pace))
	})
	crew.Dismiss(0)
}

func (p pace) possible() bool { return p.Chunk >= 1 && p.Slice >= 1 }
