package runtimes

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/instrument/ptrace"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/system/program"
)

// The limits of a benchmark's answers: no call is as fast or as slow, and no slice takes as long.
const (
	minCallNS  = 0.01
	maxCallNS  = 10e9
	maxSliceNS = 3600e9
	// A step may be a year, if the wall clock is set.
	minStepNS = 1e-3
	maxStepNS = 3.2e16
	// No benchmark makes as many calls.
	maxCount = 1e15
)

// A dialogue sends commands to a running benchmark and reads its answers (doc comment of package programs). Not for
// concurrent use.
type dialogue struct {
	commands io.Writer
	answers  *bufio.Reader
	// elapsedNS is the time that has passed by the benchmark's stopwatch.
	elapsedNS float64
	// missing are the calls that the runtime lacks, with the reason.
	missing map[string]string
}

// newDialogue returns a dialogue. A line of answers that is longer than maxOutput is an error.
func newDialogue(commands io.Writer, answers io.Reader) *dialogue {
	return &dialogue{commands: commands, answers: bufio.NewReaderSize(answers, maxOutput), missing: map[string]string{}}
}

// errEnded is the error of a benchmark that ended before it answered. The way it ended says more.
var errEnded = errors.New("the benchmark ended before it answered")

var errMissing = errors.New("the runtime lacks the call")

// ask returns the numbers that a benchmark answers to a command. An error quotes an answer that is impossible.
func (d *dialogue) ask(verb, name string, numbers ...int) (answer []float64, err error) {
	fields := []string{verb, name}
	for _, n := range numbers {
		fields = append(fields, strconv.Itoa(n))
	}
	if _, err := io.WriteString(d.commands, strings.Join(fields, "\t")+"\n"); err != nil {
		return nil, errEnded
	}
	line, err := d.answers.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, fmt.Errorf("the benchmark printed more than %d bytes", maxOutput)
	}
	if err != nil {
		return nil, errEnded
	}
	if reason, missing := bytes.CutPrefix(line, []byte("missing ")); missing && program.Line(string(reason)) != "" {
		d.missing[name] = program.Line(string(reason))
		return nil, errMissing
	}
	for field := range bytes.FieldsSeq(line) {
		value, err := strconv.ParseFloat(string(field), 64)
		if err != nil {
			return nil, unexpected(verb, string(line))
		}
		answer = append(answer, value)
	}
	return answer, nil
}

// unexpected returns the error of an answer that is impossible.
func unexpected(verb, answer string) error {
	return fmt.Errorf("the benchmark answered %.80q to the command %s", strings.TrimSpace(answer), verb)
}

// within reports whether all numbers are in a range; NaN is in none.
func within(numbers []float64, low, high float64) bool {
	return !slices.ContainsFunc(numbers, func(n float64) bool { return !(n >= low && n <= high) })
}

// run returns the time in ns that each of some slices of n calls took.
func (d *dialogue) run(name string, n, slices int) ([]float64, error) {
	elapsedNS, err := d.ask("run", name, n, slices)
	if err != nil {
		return nil, err
	}
	if len(elapsedNS) != slices || !within(elapsedNS, 0, maxSliceNS) {
		return nil, unexpected("run", fmt.Sprint(elapsedNS))
	}
	for _, ns := range elapsedNS {
		d.elapsedNS += ns
	}
	return elapsedNS, nil
}

// steps returns the steps in ns, at most limit, of the values in some blocks, and the number of values that equal the
// value before.
func (d *dialogue) steps(name string, blocks, limit int) (stepsNS []float64, repeats float64, err error) {
	answer, err := d.ask("steps", name, blocks, limit)
	if err != nil {
		return nil, 0, err
	}
	last := len(answer) - 1
	possible := last >= 0 && last <= limit && answer[last] >= 0 && answer[last] <= maxCount
	for _, step := range answer[:max(0, last)] {
		size := max(step, -step)
		possible = possible && size >= minStepNS && size <= maxStepNS
	}
	if !possible {
		return nil, 0, unexpected("steps", fmt.Sprint(answer))
	}
	return answer[:last], answer[last], nil
}

// mark makes single calls, each after a mark with this number.
func (d *dialogue) mark(name string, times, number int) error {
	_, err := d.ask("mark", name, times, number)
	return err
}

// threads returns a pass of a number of threads, which read the stopwatch after every n calls.
func (d *dialogue) threads(name string, n, count int, span time.Duration) (pass, error) {
	answer, err := d.ask("threads", name, n, count, int(span))
	if err != nil {
		return pass{}, err
	}
	if len(answer) != count+1 || !within(answer[:count], 0, maxCount) || !within(answer[count:], 1, maxSliceNS) {
		return pass{}, unexpected("threads", fmt.Sprint(answer))
	}
	p, sum := pass{passedNS: answer[count]}, 0.0
	for _, calls := range answer[:count] {
		p.calls = append(p.calls, int64(calls))
		sum += calls
	}
	if p.passedNS*float64(count) < minCallNS*sum {
		return pass{}, unexpected("threads", fmt.Sprint(answer))
	}
	d.elapsedNS += p.passedNS
	return p, nil
}

const untraced ptrace.Task = ""

// converse is traced for a benchmark that is not traced.
func (r *runner) converse(s *subject, limits program.Limits, talk func(d *dialogue) error) error {
	_, err := r.traced(s, untraced, limits, talk)
	return err
}

// traced runs the benchmark of a runtime for a task while talk sends it commands, and ends it when talk returns. It
// returns what was traced, and the error of talk, or how the benchmark ended.
func (r *runner) traced(s *subject, task ptrace.Task, limits program.Limits,
	talk func(d *dialogue) error) (spans []ptrace.Span, err error) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	in, commands, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	answers, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close(), commands.Close())
	}
	defer func() { _ = answers.Close() }()
	cmd := r.start(s.command)
	cmd.Stdin, cmd.Stdout = in, out
	talked := make(chan error, 1)
	began := time.Now()
	go func() {
		d := newDialogue(commands, answers)
		err := talk(d)
		if passed := time.Since(began); err == nil && d.elapsedNS > float64(passed) {
			err = fmt.Errorf("its stopwatch counted %v while %v passed", time.Duration(d.elapsedNS), passed)
		}
		_ = commands.Close() // the benchmark ends
		if err != nil && !errors.Is(err, errEnded) {
			cancel(err)
		}
		talked <- err
	}()
	if task == untraced {
		_, err = program.Run(ctx, cmd, limits)
	} else {
		spans, err = ptrace.Trace(ctx, task, cmd, limits)
	}
	host.CountChild(cmd.ProcessState)
	// There are no answers from here on. A process that was not ended may hold the output open.
	_, _, _ = in.Close(), out.Close(), answers.SetReadDeadline(time.Now().Add(holding))
	if said := <-talked; said != nil && (err == nil || !errors.Is(said, errEnded)) {
		return spans, said
	}
	return spans, err
}

// holding is how long the output of a program is read after the program ended.
const holding = 5 * time.Second
