package programs

import (
	"bufio"
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

// sleeps are the ways to sleep.
var sleeps = map[string]func(span time.Duration){
	"time.Sleep": time.Sleep,
	"time.Ticker": func(span time.Duration) {
		ticker := time.NewTicker(span)
		<-ticker.C
		ticker.Stop()
	},
}

// one is not inlined, as time.Now is not.
//
//go:noinline
func one() int64 { return 1 }

// sink takes the sums of the values, so that the compiler removes no call.
var sink int64

// GoMain is the benchmark of Go's calls. timebench runs it alone in its own process: it turns off the garbage collector
// and keeps its OS thread. It ends with the commands, or returns an error of the input or output.
func GoMain(in io.Reader, out io.Writer) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	commands := bufio.NewScanner(in)
	for commands.Scan() {
		if _, err := fmt.Fprintln(out, obey(strings.Split(commands.Text(), "\t"))); err != nil {
			return err
		}
	}
	runtime.KeepAlive(sink)
	return commands.Err()
}

// verbs are the functions of the commands; their arguments are the call and three numbers.
var verbs = map[string]func(c goCall, a, b, d int64) string{
	"run": run, "steps": steps, "mark": mark, "threads": threads,
}

// obey returns the answer to a command.
func obey(fields []string) string {
	fields = append(fields, "", "")
	var numbers [3]int64
	for k, text := range fields[2:min(len(fields), 5)] {
		numbers[k], _ = strconv.ParseInt(text, 10, 64)
	}
	if once, known := sleeps[fields[1]]; known && fields[0] == "sleep" {
		return sleep(once, numbers[0], time.Duration(numbers[1]))
	}
	i := slices.IndexFunc(goCalls, func(c goCall) bool { return c.name == fields[1] })
	verb, known := verbs[fields[0]]
	if i < 0 || !known {
		return "missing no such call"
	}
	return verb(goCalls[i], numbers[0], numbers[1], numbers[2])
}

func joined(numbers []int64) string { return strings.Trim(fmt.Sprint(numbers), "[]") }

func run(c goCall, n, slices, _ int64) string {
	var elapsed []int64
	for range slices {
		begin := observe.Now() // on Windows, time.Now has steps of milliseconds
		sink += c.run(n)
		elapsed = append(elapsed, observe.Now()-begin)
	}
	return joined(elapsed)
}

func steps(c goCall, blocks, most, _ int64) string {
	if c.read == nil {
		return "missing its value is not a time"
	}
	var found []int64
	repeats := int64(0)
	for range blocks {
		values := c.read()
		for i := 1; i < block; i++ {
			step := values[i] - values[i-1]
			if step == 0 {
				repeats++
			} else if int64(len(found)) < most {
				found = append(found, step)
			}
		}
	}
	return joined(append(found, repeats))
}

// mark makes single calls after system calls with a number, all on this thread.
func mark(c goCall, times, number, _ int64) string {
	before, end := marker(strconv.FormatInt(number, 10)), marker("end")
	for range times {
		before()
		sink += c.run(1)
	}
	end()
	return ""
}

// sleep sleeps on another goroutine: this one has an OS thread of its own, as few programs do.
func sleep(once func(span time.Duration), count int64, span time.Duration) string {
	answer := make(chan []int64)
	go func() {
		var late []int64
		for range count {
			begin := observe.Now()
			once(span)
			late = append(late, observe.Now()-begin-int64(span))
		}
		answer <- late
	}()
	return joined(<-answer)
}

// A counted is the result of a thread, alone on its cache lines.
type counted struct {
	calls, ended, sum int64
	_                 [104]byte
}

func threads(c goCall, chunk, count, span int64) string {
	// Otherwise only as many threads run as there are CPUs, and the others wait for their end.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), int(count)+1)))
	results := make([]counted, count)
	// The barrier: the number of waiting threads, and the common deadline, which is 0 until the release. Each thread
	// polls the deadline: threads that sleep wake one after the other, and the last ones late.
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
	var answer []int64
	for _, r := range results {
		answer = append(answer, r.calls)
		sink += r.sum
		last = max(last, r.ended)
	}
	return joined(append(answer, last-release))
}
