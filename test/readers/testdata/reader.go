//go:build linux

// Reader is a program that reads a clock at a known, counted rate between arithmetic. It has the same arguments and
// output as reader.c.
//
// The read is time.Since, which reads CLOCK_MONOTONIC once, or the system call by RawSyscall: the work of the scheduler
// around a call varies. Without -read-ns the cost of a read is the cost of the whole call.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	none = iota
	vdso
	syscall
)

const seed = 88172645463325252

var (
	base   = time.Now()
	chosen = none
	sink   atomic.Uint64
	stop   atomic.Bool
)

//go:noinline
func readTheClock(n uint64) (x time.Duration) {
	if chosen == syscall {
		var ts unix.Timespec
		for ; n > 0; n-- {
			_, _, _ = unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&ts)), 0)
		}
		return time.Duration(ts.Nsec)
	}
	for ; n > 0; n-- {
		x ^= time.Since(base)
	}
	return x
}

//go:noinline
func arithmetic(x, n uint64) uint64 {
	for ; n > 0; n-- {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// A mix is the number of iterations for each read, in 1/65536, and the mean reads of a block.
type mix struct{ ratio, reads uint64 }

type work struct {
	x, owed, reads, iterations uint64
	read                       time.Duration
}

// block varies in length, so that it is never in step with a timer.
func (w *work) block(m mix) {
	w.x = arithmetic(w.x, 1)
	n := m.reads/2 + 1 + w.x>>32%m.reads
	iterations := n * 100
	if chosen != none {
		w.read ^= readTheClock(n)
		w.reads += n
		w.owed += n * m.ratio
		iterations = w.owed >> 16
		w.owed &= 0xffff
	}
	w.x = arithmetic(w.x, iterations)
	w.iterations += iterations
}

func now(id int32) float64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(id, &ts)
	return float64(ts.Nano())
}

// perRead reads the CPU time, which takes as long as many reads, only around all blocks of a turn.
func perRead(m mix) float64 {
	var w work
	spent := 0.0
	for blocks := 8; spent < 2.5e5; blocks *= 2 {
		w = work{x: seed}
		start := now(unix.CLOCK_THREAD_CPUTIME_ID)
		for range blocks {
			w.block(m)
		}
		spent = now(unix.CLOCK_THREAD_CPUTIME_ID) - start
	}
	sink.Add(w.x + uint64(w.read))
	return spent / float64(w.reads)
}

func perIteration() float64 {
	start := now(unix.CLOCK_THREAD_CPUTIME_ID)
	sink.Add(arithmetic(seed, 100_000))
	return (now(unix.CLOCK_THREAD_CPUTIME_ID) - start) / 100_000
}

type costs struct{ read, call, iteration float64 }

// quiet returns the cost of a turn with little disturbance.
func quiet(figures []float64) float64 {
	slices.Sort(figures)
	return figures[len(figures)/10]
}

func calibrate(m mix, given float64, turns int) costs {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var iterations, wholes []float64
	for range turns {
		iterations = append(iterations, perIteration())
		if chosen != none {
			wholes = append(wholes, perRead(m))
		}
	}
	c := costs{iteration: quiet(iterations)}
	if chosen != none {
		whole := quiet(wholes) - float64(m.ratio)/65536*c.iteration
		c.read = whole
		if given > 0 {
			c.read = given
		}
		c.call = whole - c.read
	}
	return c
}

// choose returns the mix with that share; a block takes 2 ms at most.
func choose(c costs, share float64) mix {
	ratio := (c.read/share - c.read - c.call) / c.iteration
	return mix{uint64(max(ratio, 0) * 65536), uint64(min(max(2e6*share/c.read, 1), 50))}
}

func number(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	args := os.Args[1:]
	if len(args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: reader vdso|syscall|none PERCENT THREADS SECONDS [-read-ns NS] [-wait]")
		os.Exit(2)
	}
	what := slices.Index([]string{"none", "vdso", "syscall"}, args[0])
	percent, threads, seconds := number(args[1]), number(args[2]), number(args[3])
	given, wait := 0.0, slices.Contains(args, "-wait")
	if i := slices.Index(args, "-read-ns"); i >= 0 {
		given = number(args[i+1])
	}
	if percent > 0 {
		chosen = what
	}
	runtime.GOMAXPROCS(int(threads) + 1)

	m := mix{0, 50}
	c, mixed := calibrate(m, given, 30), m
	if chosen != none {
		share := percent / 100
		mixed = choose(c, max(share, 0.25)) // where arithmetic takes most of the time, the difference is lost in noise
		c = calibrate(mixed, given, 80)
		if percent < 100 {
			m = choose(c, share)
		}
	}

	fmt.Println("ready")
	if wait {
		if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
			os.Exit(1)
		}
	}

	works := make([]work, int(threads))
	wall, cpu := now(unix.CLOCK_MONOTONIC), now(unix.CLOCK_PROCESS_CPUTIME_ID)
	if seconds > 0 {
		var running sync.WaitGroup
		for i := range works {
			running.Go(func() {
				runtime.LockOSThread()
				w := work{x: seed + uint64(i)}
				w.block(m)
				for !stop.Load() {
					w.block(m)
				}
				works[i] = w
			})
		}
		time.Sleep(time.Duration(seconds * 1e9))
		stop.Store(true)
		running.Wait()
	}
	cpu, wall = now(unix.CLOCK_PROCESS_CPUTIME_ID)-cpu, now(unix.CLOCK_MONOTONIC)-wall
	after := calibrate(mixed, given, 80)
	c = costs{(c.read + after.read) / 2, (c.call + after.call) / 2, (c.iteration + after.iteration) / 2}

	var reads, iterations uint64
	for _, w := range works {
		reads += w.reads
		iterations += w.iterations
	}
	report := map[string]any{
		"reads": reads, "iterations": iterations, "cpu_ns": cpu, "wall_ns": wall,
		"read_ns": c.read, "call_ns": c.call, "iteration_ns": c.iteration,
		"share": 0, "share_by_reads": 0,
	}
	if reads > 0 {
		in, rest := float64(reads)*c.read, float64(iterations)*c.iteration+float64(reads)*c.call
		report["share"], report["share_by_reads"] = in/(in+rest), in/cpu
	}
	_ = json.NewEncoder(os.Stdout).Encode(report)
}
