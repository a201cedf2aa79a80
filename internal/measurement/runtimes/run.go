package runtimes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/preload"
	"github.com/timebench/timebench/internal/instrument/ptrace"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/program"
)

// Settings are the settings of a run.
type Settings struct {
	// Runtimes are the runtimes to measure.
	Runtimes []Selected
	// Clocks are the system's clocks, which are measured beside them.
	Clocks []clock.Clock
	// Starts is how often each runtime is started to measure the cost.
	Starts int
	// Time is the total time of the samples of a call, over all starts.
	Time time.Duration
	// Spans are the spans of the sleeps to measure; empty to measure the calls that return the time.
	Spans []time.Duration
	// Sleeps is the number of sleeps of each span in each start.
	Sleeps int
	// Threads are the numbers of threads to measure throughput with; empty to skip it.
	Threads []int
	// CPUs is the number of CPUs that the process may use.
	CPUs int
}

// A Selected is a runtime to measure, and its program. An empty Path means the program in PATH.
type Selected struct {
	Runtime
	Path string
}

const (
	// DefaultStarts is the usual number of Starts: some calls settle at another speed in each
	// start of a JVM, and diff needs this number of independent samples.
	DefaultStarts = 10
	// ShortestTime is the shortest Time with DefaultStarts.
	ShortestTime = DefaultStarts * minSlices * usualSlice
	// tracedCalls is the number of traced calls that show which clocks are read. Half of it shows whether the kernel is
	// entered.
	tracedCalls = 400
)

// maxOutput is the maximum number of bytes that a benchmark may print to standard error, and in a line of answers.
const maxOutput = 1 << 20

// limits returns the limits of a program that takes this time on an idle machine. A JVM on an emulated machine takes
// 15 s, and beside 40 busy programs on two CPUs everything takes 20 times as long.
func limits(idle time.Duration) program.Limits {
	return program.Limits{Time: time.Minute + 20*idle, OutputBytes: maxOutput}
}

// A subject is a runtime that is measured.
type subject struct {
	Runtime
	entry MeasuredRuntime
	// command is the command line of its benchmark; nil if it is not available.
	command []string
	// levels and minima have the lowest level and the fastest slice of each start, in ns/call.
	levels, minima map[string][]float64
	// hidden are the slices without the vDSO.
	hidden map[string][]float64
	// lateNS are the sleeps of each start, and missing the ways to sleep that the runtime lacks.
	lateNS  map[way][][]float64
	missing map[string]string
	// waits are the traced system calls, and untraced is why they are unknown.
	waits    map[way][]ptrace.Wait
	untraced string
	// complete is whether everything was measured, as far as possible.
	complete bool
}

// callNames returns the names of its calls in a benchmark, after others.
func (s *subject) callNames(others ...string) []string {
	for _, c := range s.Calls {
		others = append(others, c.Name)
	}
	return others
}

// A runner measures runtimes.
type runner struct {
	ctx      context.Context
	settings Settings
	clocks   []*systemClock
	subjects []*subject
	folder   string
	// environment is the environment of all programs, and cleared are the names of variables that they do not get.
	environment, cleared []string
	progress             func(done, total time.Duration)
	// done and whole are the times on an idle machine of what was done, and of all there is to do.
	done, whole time.Duration
}

// Run measures the runtimes, and reports its progress from the beginning. It ends early, with the results so far, when
// ctx ends. A runtime that is not found or fails is an entry with a reason. The error is what prevents any measurement.
func Run(ctx context.Context, s Settings, progress func(done, total time.Duration)) (Runtimes, error) {
	r, err := newRunner(ctx, s, progress)
	if err != nil {
		return Runtimes{}, err
	}
	defer r.close()
	began := time.Now()
	progress(0, r.whole)
	r.prepare()
	if err := r.open(); err != nil {
		return Runtimes{}, err
	}
	for range s.Starts {
		if len(r.available()) == 0 {
			break // the system's clocks are measured beside the runtimes
		}
		if err := r.read(); err != nil {
			return Runtimes{}, err
		}
		for _, of := range r.available() {
			if len(s.Spans) > 0 {
				r.sleep(of)
			} else {
				r.cost(of)
			}
		}
	}
	for _, of := range r.available() {
		if len(s.Spans) > 0 {
			r.traceSleeps(of)
		} else {
			r.steps(of)
			r.throughput(of)
			r.trace(of)
			r.withoutVDSO(of)
		}
		of.complete = ctx.Err() == nil
	}
	measured := Runtimes{
		DurationNS: int64(time.Since(began)), Clocks: r.systemClocks(),
		Environment: selecting(r.environment), ClearedEnvironment: r.cleared, Preloaded: preload.Here(os.Environ()),
	}
	for _, of := range r.subjects {
		if ctx.Err() != nil && !of.complete && of.entry.Reason == "" {
			of.entry.Reason = "interrupted"
		}
		if len(s.Spans) > 0 {
			of.addSleeps(s.Spans)
		}
		measured.Runtimes = append(measured.Runtimes, of.result())
	}
	return measured, nil
}

// newRunner returns a runner with a folder, which close removes.
func newRunner(ctx context.Context, s Settings, progress func(done, total time.Duration)) (*runner, error) {
	folder, err := temporaryFolder()
	if err != nil {
		return nil, err
	}
	r := &runner{ctx: ctx, settings: s, folder: folder, progress: progress, whole: s.estimate()}
	r.environment, r.cleared = program.Environment(os.Environ())
	// The files that a killed program leaves are removed with the folder: a socket of .NET, gcc's temporary files, the
	// caches of Deno and PowerShell.
	for _, name := range []string{"TMPDIR", "TMP", "TEMP", "DENO_DIR", "XDG_CACHE_HOME"} {
		isSet := func(entry string) bool { return strings.HasPrefix(entry, name+"=") }
		r.environment = slices.DeleteFunc(r.environment, isSet)
		r.environment = append(r.environment, name+"="+folder)
	}
	r.environment = append(r.environment, "POWERSHELL_TELEMETRY_OPTOUT=1") // a measurement sends no telemetry
	return r, nil
}

func (r *runner) close() {
	if err := os.RemoveAll(r.folder); err != nil {
		debuglog.Printf("runtimes", "left: %v", err)
	}
}

// temporaryFolder returns a new folder for the benchmarks. Its path is absolute, since they run in another one.
func temporaryFolder() (string, error) {
	folder, err := os.MkdirTemp("", "timebench-")
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err != nil {
		return "", fmt.Errorf("no folder for the benchmarks (TMPDIR names where): %w", err)
	}
	return folder, nil
}

// selectors are the variables that select the programs to measure, or change what a call does, beside those whose name
// ends in _VERSION.
var selectors = []string{"TZ", "TZDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "JAVA_HOME", "RUSTUP_TOOLCHAIN"}

// selecting returns the entries of the environment that select the programs to measure, or change what a call does,
// such as the time zone.
func selecting(environment []string) []string {
	var some []string
	for _, entry := range environment {
		name, _, _ := strings.Cut(entry, "=")
		if slices.Contains(selectors, name) || strings.HasSuffix(name, "_VERSION") {
			some = append(some, entry)
		}
	}
	slices.Sort(some)
	return some
}

// available returns the runtimes that can be measured; none when ctx has ended.
func (r *runner) available() []*subject {
	if r.ctx.Err() != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.subjects), func(s *subject) bool { return s.command == nil })
}

// rootFolder returns the folder that the programs run in: the root of the file system. The launcher of a runtime may
// look for its settings in the working folder and in all folders above it (rust-toolchain.toml, .python-version), and
// anybody may write to the folder of temporary files.
func rootFolder(folder string) string {
	return filepath.VolumeName(folder) + string(filepath.Separator)
}

// start returns a command with the environment of all programs.
func (r *runner) start(command []string, arguments ...string) *exec.Cmd {
	all := append(slices.Clone(command), arguments...)
	cmd := exec.Command(all[0], all[1:]...)
	cmd.Env, cmd.Dir = r.environment, rootFolder(r.folder)
	return cmd
}

// refused returns the error with a remedy, if a compiled benchmark may not be executed.
func (r *runner) refused(s *subject, err error) error {
	if errors.Is(err, fs.ErrPermission) && strings.HasPrefix(s.command[0], r.folder+string(filepath.Separator)) {
		return fmt.Errorf("its benchmark may not be executed: %w; "+
			"if the temporary folder is mounted noexec, set TMPDIR to another one", err)
	}
	return err
}

// note keeps a failure beside the results.
func (s *subject) note(ctx context.Context, what string, err error) {
	if ctx.Err() != nil {
		return
	}
	if s.entry.Reason != "" {
		s.entry.Reason += "; "
	}
	s.entry.Reason += fmt.Sprintf("%s: %v", what, err)
}

// result returns the entry of a runtime. The samples of a call are the levels of its starts, because the slices of a
// single start depend on each other.
func (s *subject) result() MeasuredRuntime {
	r := s.entry
	r.LoopNS, r.CallNS = median(s.levels[emptyLoop]), median(s.levels[emptyCall])
	for i := range r.Calls {
		m := &r.Calls[i]
		if samples := s.levels[m.Call]; len(samples) > 0 {
			m.Latency = compare.LatencyOf(samples, s.minima[m.Call])
			m.Latency.MinNS = slices.Min(s.minima[m.Call])
			m.Resolution = proven(m.Resolution, m.Latency.MedianNS)
			r.Available = true
		}
		if hidden := s.hidden[m.Call]; m.fromVDSO() && hidden != nil {
			m.WithoutVDSONS = level(hidden, s.slice())
		}
	}
	return r
}

// median returns the median of samples; 0 without samples.
func median(samples []float64) float64 {
	if len(samples) == 0 {
		return 0
	}
	return stats.Median(samples)
}
