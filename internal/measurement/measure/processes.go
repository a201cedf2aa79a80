//go:build linux || windows

package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/show/words"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// WorkerCommand is the command of timebench that makes a process a worker: it calls [Worker].
const WorkerCommand = "worker"

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

// processes is a team of processes of this same program. They run for all measurements of a run and read orders from their
// standard input. They end when it is closed, however this process ends. Their gate is in shared memory.
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
	command *exec.Cmd
	orders  io.WriteCloser
	reports *json.Decoder
	said    *lastWords
	// wait waits until the process has ended; it may be called more than once.
	wait func() error
}

func (w *worker) listen(i int, to chan<- answer) {
	for {
		var r report
		if err := w.reports.Decode(&r); err != nil {
			to <- answer{i, &endedProcess{i, w.end()}}
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

// end returns how a worker that no longer answers ended: "signal: killed".
func (w *worker) end() string {
	_ = w.orders.Close()
	_ = w.wait()
	how := w.command.ProcessState.String()
	if text := w.said.firstLine(); text != "" {
		return how + ": " + text
	}
	return how
}

// lastWords keeps the beginning of a worker's standard error: a line of its own, or the first
// of the thousands of lines that a crash of Go's runtime prints.
type lastWords struct{ text []byte }

func (l *lastWords) Write(text []byte) (int, error) {
	const most = 512
	l.text = append(l.text, text[:min(len(text), most-len(l.text))]...)
	return len(text), nil
}

func (l *lastWords) firstLine() string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(l.text)), "\n")
	return line
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
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("worker processes: %w", err)
	}
	// The workers may use up what the system allows, so this process must not need more then.
	const ours = 4
	thread.Reserve(ours)
	// A worker has at most its last report and its end in the channel.
	p := &processes{meeting: (*gate)(memory), answers: make(chan answer, 2*most), patience: patience}
	for i := range most {
		w, err := startWorker(program, fmt.Sprintf("worker %d", i+1), shared)
		if err != nil {
			p.close()
			return nil, fmt.Errorf("worker process %d of %d: %w; take fewer (--threads), or raise the limit of %s", len(p.workers)+1, most, err, limitBehind(err))
		}
		p.workers = append(p.workers, w)
	}
	for i, w := range p.workers {
		var ready report
		if w.reports.Decode(&ready) != nil {
			how := w.end()
			p.close()
			return nil, fmt.Errorf("worker process %d of %d ended before it was ready: %s; where that is for lack of threads, take fewer (--threads), or raise the limit of %s", i+1, most, how, limitBehind(nil))
		}
	}
	for i, w := range p.workers {
		go w.listen(i, p.answers)
	}
	return p, nil
}

// limitBehind returns the limit because of which no process can be started.
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

func startWorker(program, name string, gate *shared) (*worker, error) {
	command := exec.Command(program)
	command.Args = []string{os.Args[0], WorkerCommand}
	gate.inherit(command)
	said := new(lastWords)
	command.Stderr = debuglog.Through(said, name)
	orders, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	reports, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	debuglog.Printf(name, "started as process %d", command.Process.Pid)
	return &worker{command, orders, json.NewDecoder(reports), said, sync.OnceValue(command.Wait)}, nil
}

func (p *processes) gate() *gate { return p.meeting }

func (p *processes) start(c clock.Clock, pace pace, n int, affinities func(i int) affinity) error {
	p.started = 0
	for i, w := range p.workers[:n] {
		if p.ended != nil {
			break
		}
		if json.NewEncoder(w.orders).Encode(order{c.ID, pace, affinities(i), i}) != nil {
			p.ended = &endedProcess{i, w.end()}
		}
		p.started = i + 1
	}
	return p.ended
}

func (p *processes) wait() error {
	late := p.patience(p.started)
	err := collect(p.answers, p.started, late, func(i int) error {
		p.ended = fmt.Errorf("worker process %d got no time for %s", i, words.Duration(float64(late)))
		_ = p.workers[i].command.Process.Kill() // close waits for its end
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
		_ = w.orders.Close()
	}
	for _, w := range p.workers {
		_ = w.wait()
		host.CountChild(w.command.ProcessState)
	}
	unmap(unsafe.Pointer(p.meeting), unsafe.Sizeof(gate{}))
}

// Worker makes this process a worker: it writes to reports that it is ready, executes the orders that it reads from
// orders and answers each on reports, until orders ends. An order may name one of the clocks.
func Worker(clocks []clock.Clock, orders io.Reader, reports io.Writer) error {
	// A signal from the terminal reaches every process of the group, but only the parent ends a run. When the parent
	// dies, its pipe closes. Signals are received and dropped: on Windows, an ignored signal ends the process.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	debug.SetGCPercent(-1)
	memory, err := inherited(unsafe.Sizeof(gate{}))
	if err != nil {
		return fmt.Errorf("map the shared memory of worker processes: %w; `timebench %s` is for timebench itself to run", err, WorkerCommand)
	}
	meeting := (*gate)(memory)
	// Start the thread that orders need now, while no result can be lost.
	if err := thread.Run(thread.Any, func() {}); err != nil {
		return err
	}
	answers := json.NewEncoder(reports)
	if err := answers.Encode(report{}); err != nil {
		return err
	}
	// The next order is awaited while this process works: when the parent ends, so does the process.
	for decoder := json.NewDecoder(orders); ; {
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
