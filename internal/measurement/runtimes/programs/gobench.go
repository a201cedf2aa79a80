package programs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/instrument/observe"
)

// ErrUsage is the error of GoMain for wrong arguments. The exit status is 2 then, as that of the
// other programs.
var ErrUsage = errors.New("usage: (cost ROUNDS SPAN_NS | steps MOST MOST_NS | mark TIMES | threads COUNT SPAN_NS) NAME [NAME...]")

// block is the number of reads of a block of steps.
const block = 1000

// A goCall is a call of Go. Its loop has the call written out, because a call through a function
// value costs more.
type goCall struct {
	name string
	run  func(n int64) int64 // makes n calls and returns a sum of the values
	// read reads a block of values and returns them in nanoseconds; nil if the value is not a time. It
	// keeps the values as they are, so that the reads follow each other as fast as the call allows.
	read func() [block]int64
}

// started is the argument of time.Since.
var started = time.Now()

var goCalls = []goCall{
	{"loop", func(n int64) (sum int64) {
		for i := range n {
			sum += i // the compiler removes no loop
		}
		return sum
	}, nil},
	{"call", func(n int64) (sum int64) {
		for range n {
			sum += one()
		}
		return sum
	}, nil},
	{"time.Now", func(n int64) (sum int64) {
		for range n {
			sum += int64(time.Now().Nanosecond())
		}
		return sum
	}, func() (values [block]int64) {
		var raw [block]time.Time
		for i := range raw {
			raw[i] = time.Now()
		}
		for i := range raw {
			values[i] = raw[i].UnixNano()
		}
		return values
	}},
	{"time.Since", func(n int64) (sum int64) {
		for range n {
			sum += int64(time.Since(started))
		}
		return sum
	}, func() (values [block]int64) {
		for i := range values {
			values[i] = int64(time.Since(started))
		}
		return values
	}},
}

// one is not inlined, as time.Now is not.
//
//go:noinline
func one() int64 { return 1 }

// GoMain is the benchmark of Go's calls, as a program with these arguments. timebench calls it in a
// process of its own, in which nothing else runs: it turns off the garbage collector and keeps its
// OS thread.
func GoMain(args []string, out io.Writer) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	numbers, names, err := parse(args)
	if err != nil {
		return err
	}
	b := &goBench{out: bufio.NewWriter(out)}
	var calls []goCall
	for _, name := range names {
		i := slices.IndexFunc(goCalls, func(c goCall) bool { return c.name == name })
		if i < 0 {
			b.print("missing", name, "no such call")
			continue
		}
		calls = append(calls, goCalls[i])
	}
	switch {
	case len(calls) == 0:
	case args[0] == "cost":
		b.cost(calls, numbers[0], numbers[1])
	case args[0] == "steps":
		b.steps(calls, numbers[0], numbers[1])
	case args[0] == "mark":
		err = b.mark(calls, numbers[0])
	default:
		b.threads(calls, numbers[0], numbers[1])
	}
	if err != nil {
		return err
	}
	b.print("done")
	return b.out.Flush()
}

// parse returns the numbers and the names of the arguments.
func parse(args []string) (numbers []int64, names []string, err error) {
	if len(args) == 0 {
		return nil, nil, ErrUsage
	}
	many, ok := map[string]int{"cost": 2, "steps": 2, "mark": 1, "threads": 2}[args[0]]
	rest := args[1:]
	if !ok || len(rest) <= many {
		return nil, nil, ErrUsage
	}
	for _, text := range rest[:many] {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return nil, nil, ErrUsage
		}
		numbers = append(numbers, n)
	}
	return numbers, rest[many:], nil
}

type goBench struct {
	out  *bufio.Writer
	sink int64
}

func (b *goBench) print(fields ...any) {
	for i, field := range fields {
		if i > 0 {
			_ = b.out.WriteByte('\t')
		}
		_, _ = fmt.Fprint(b.out, field)
	}
	_ = b.out.WriteByte('\n') // Flush returns an error of the output
}

func (b *goBench) timed(c goCall, n int64) int64 {
	begin := observe.Now() // on Windows, time.Now has steps of milliseconds
	b.sink += c.run(n)
	return observe.Now() - begin
}

// first returns the ns/call of the first 100 calls. If the stopwatch has not moved, more follow.
func (b *goBench) first(c goCall) float64 {
	begin := observe.Now()
	for n := 100; ; n += 100 {
		b.sink += c.run(100)
		if elapsed := observe.Now() - begin; elapsed > 0 {
			return float64(elapsed) / float64(n)
		}
	}
}

// calibrated returns the calls that take a span.
func (b *goBench) calibrated(c goCall, span int64) int64 {
	for n := int64(1); ; n *= 2 {
		elapsed := b.timed(c, n)
		if elapsed >= span/2 { // twice again: another program may have had the CPU
			elapsed = min(elapsed, b.timed(c, n), b.timed(c, n))
		}
		if elapsed >= span/2 {
			return max(1, int64(float64(n)*float64(span)/float64(max(1, elapsed))))
		}
	}
}

func (b *goBench) cost(calls []goCall, rounds, span int64) {
	for _, c := range calls {
		b.print("warm", c.name, strconv.FormatFloat(b.first(c), 'f', 9, 64))
	}
	counts := make([]int64, len(calls))
	for k, c := range calls {
		counts[k] = b.calibrated(c, span)
		b.sink += c.run(counts[k]) // the warm-up
	}
	for r := range rounds {
		for i := range calls {
			k := (int(r) + i) % len(calls)
			b.print("cost", calls[k].name, counts[k], b.timed(calls[k], counts[k]))
		}
	}
	b.print("sink", b.sink)
}

func (b *goBench) steps(calls []goCall, most, mostNS int64) {
	for _, c := range calls {
		if c.read == nil {
			continue
		}
		c.read() // the warm-up
		var found []int64
		var reads, repeats int64
		for begin := observe.Now(); int64(len(found)) < most && observe.Now()-begin < mostNS; {
			values := c.read()
			for i := 1; i < block; i++ {
				step := values[i] - values[i-1]
				reads++
				if step == 0 {
					repeats++
				} else if int64(len(found)) < most {
					found = append(found, step)
				}
			}
		}
		for _, step := range found {
			b.print("step", c.name, step)
		}
		b.print("seen", c.name, reads, repeats)
	}
}

// mark makes single calls after system calls with a name, all on this thread.
func (b *goBench) mark(calls []goCall, times int64) error {
	marks := make([]func(), len(calls))
	for k, c := range calls {
		var err error
		if marks[k], err = marker(c.name); err != nil {
			return err
		}
	}
	start, err := marker("start")
	if err != nil {
		return err
	}
	end, err := marker("end")
	if err != nil {
		return err
	}
	start()
	for _, c := range calls {
		b.sink += c.run(1)
	}
	for k, c := range calls {
		for range times {
			marks[k]()
			b.sink += c.run(1)
		}
	}
	end()
	return nil
}

// Mark returns the name of a call as it is in the path of a mark.
func Mark(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', strings.ContainsRune("._-", r):
			return r
		default:
			return '_'
		}
	}, name)
}

// counted is what one thread counted, on cache lines of its own.
type counted struct {
	calls, ended, sum int64
	_                 [104]byte
}

func (b *goBench) threads(calls []goCall, count, span int64) {
	// Otherwise only as many threads run as there are CPUs, and the others wait for their end.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), int(count)+1)))
	for _, c := range calls {
		chunk := b.calibrated(c, int64(50*time.Microsecond)) // how often the stopwatch is read
		results := make([]counted, count)
		// The barrier: how many threads wait, and the common deadline, which is 0 until the release. Each
		// thread polls it: threads that sleep wake one after the other, and the last ones late.
		var waiting, deadline atomic.Int64
		var done sync.WaitGroup
		for i := range results {
			done.Go(func() {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				waiting.Add(1)
				for deadline.Load() == 0 {
					runtime.Gosched()
				}
				r := counted{ended: observe.Now()}
				for end := deadline.Load(); r.ended < end; r.ended = observe.Now() {
					r.sum += c.run(chunk)
					r.calls += chunk
				}
				results[i] = r
			})
		}
		for waiting.Load() < count {
			runtime.Gosched()
		}
		release := observe.Now()
		deadline.Store(release + span)
		done.Wait()
		last := release
		for i, r := range results {
			b.print("thread", c.name, i, r.calls)
			b.sink += r.sum
			last = max(last, r.ended)
		}
		b.print("passed", c.name, last-release)
	}
}
