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
	"strconv"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/instrument/preload"
	"github.com/timebench/timebench/internal/instrument/program"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// Settings are the settings of a run.
type Settings struct {
	// Runtimes are what to measure.
	Runtimes []Selected
	// Starts is how often each runtime is started to measure the cost.
	Starts int
	// Time is how long the samples of one call take, over all starts together.
	Time time.Duration
	// Threads are the numbers of threads to measure throughput with; none for not at all.
	Threads []int
	// CPUs is the number of CPUs that the process may use.
	CPUs int
}

// A Selected is a runtime to measure, and its program. Path is empty for the one in PATH.
type Selected struct {
	Runtime
	Path string
}

const (
	// DefaultStarts is the usual number of Starts: some calls settle at another speed in each
	// start of a JVM, and diff needs so many independent samples.
	DefaultStarts = 10
	// rounds is the number of samples of a call in each start.
	rounds = 3
	// shortestSpan is the shortest span of a sample, long enough that reading the stopwatch of the
	// language does not count.
	shortestSpan = 500 * time.Microsecond
	// ShortestTime is the shortest Time with DefaultStarts.
	ShortestTime = DefaultStarts * rounds * shortestSpan
	// startTime is the estimated time to start a runtime, and warmUp that to warm up a call: up to 150 ms where the
	// runtime compiles.
	startTime = 150 * time.Millisecond
	warmUp    = 50 * time.Millisecond
	// traceTime is the estimated time of a traced run.
	traceTime = time.Second
	// tracedCalls is the number of traced calls that show which clocks are read, and enteringCalls of
	// those that show whether the kernel is entered. A traced call takes 0.1 ms.
	tracedCalls   = 1000
	enteringCalls = 200
	// mostSteps and stepsTime bound how long the values of a call are watched.
	mostSteps = 200
	stepsTime = 50 * time.Millisecond
	// secondTime is how long values are watched that did not step in stepsTime.
	secondTime = 2100 * time.Millisecond
)

// The names of the empty loop turn and of the empty call in the output of a benchmark.
const (
	emptyLoop = "loop"
	emptyCall = "call"
)

// mostOutput is how many bytes a benchmark may print at most.
const mostOutput = 4 << 20

// limits returns the limits of a program that should take this long. A JVM on an emulated machine takes 15 s.
func limits(expected time.Duration) program.Limits {
	return program.Limits{Time: 30*time.Second + 5*expected, OutputBytes: mostOutput}
}

// A subject is a runtime that is measured.
type subject struct {
	Runtime
	entry MeasuredRuntime
	// command is the command line of its benchmark; nil if it is not available.
	command []string
	// medians and minima are those of the samples of each start, in ns a call.
	medians, minima map[string][]float64
	warmNS          map[string][]float64
	// hidden are the samples without the vDSO.
	hidden map[string][]float64
	// complete is whether all of it was measured, as far as it can be.
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
	subjects []*subject
	folder   string
	// environment is that of all programs.
	environment []string
	progress    func(done, total time.Duration)
	// done is how much of the estimate is done.
	done, estimate time.Duration
}

// Run measures the runtimes and reports its progress to the function progress. It ends early,
// with the results so far, when ctx ends. A runtime that is not found or fails is an entry with a reason.
// The error is what prevents any measurement.
func Run(ctx context.Context, s Settings, progress func(done, total time.Duration)) (Runtimes, error) {
	folder, err := temporaryFolder()
	if err != nil {
		return Runtimes{}, err
	}
	defer func() {
		if err := os.RemoveAll(folder); err != nil {
			debuglog.Printf("runtimes", "left: %v", err)
		}
	}()
	started := time.Now()
	r := &runner{ctx: ctx, settings: s, folder: folder, progress: progress, estimate: s.Estimate()}
	var cleared []string
	r.environment, cleared = program.Environment(os.Environ())
	// What a program leaves that is killed goes with the folder: a socket of .NET, gcc's temporary files, the caches
	// of Deno and PowerShell.
	for _, name := range []string{"TMPDIR", "TMP", "TEMP", "DENO_DIR", "XDG_CACHE_HOME"} {
		r.environment = slices.DeleteFunc(r.environment, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
		r.environment = append(r.environment, name+"="+folder)
	}
	r.environment = append(r.environment, "POWERSHELL_TELEMETRY_OPTOUT=1") // a measurement reports to nobody
	r.prepare()
	for range s.Starts {
		for _, s := range r.available() {
			r.cost(s)
		}
	}
	for _, s := range r.available() {
		r.steps(s)
		r.throughput(s)
		r.trace(s)
		r.withoutVDSO(s)
		s.complete = ctx.Err() == nil
	}
	progress(r.estimate, r.estimate)
	measured := Runtimes{
		DurationNS: int64(time.Since(started)), Rounds: rounds, Clocks: []SystemClock{},
		Environment: selecting(r.environment), ClearedEnvironment: cleared, Preloaded: preloaded(os.Environ()),
	}
	for _, s := range r.subjects {
		if ctx.Err() != nil && !s.complete && s.entry.Reason == "" {
			s.entry.Reason = "interrupted"
		}
		measured.Runtimes = append(measured.Runtimes, s.result())
	}
	return measured, nil
}

// preloaded returns the libraries that stand in for the clock in the programs here, and in those that the user starts.
func preloaded(environment []string) []string {
	var all []string
	for _, library := range preload.InFile() {
		all = append(all, library+" ("+preload.File+")")
	}
	for _, library := range preload.InEnvironment(environment) {
		all = append(all, library+" ("+preload.Variable+")")
	}
	return all
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

// selecting returns the entries of the environment that select what is measured, or change what a call
// does, such as the time zone.
func selecting(environment []string) []string {
	var some []string
	for _, entry := range environment {
		name, _, _ := strings.Cut(entry, "=")
		if slices.Contains([]string{"TZ", "TZDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "JAVA_HOME"}, name) || strings.HasSuffix(name, "_VERSION") || name == "RUSTUP_TOOLCHAIN" {
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

// rootFolder returns the folder that the programs run in: the root of the file system. What starts a runtime may
// look for its settings in the working folder and in all above it (rust-toolchain.toml, .python-version), and
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

// run runs the benchmark of a runtime in a mode, with these arguments, for calls with these names.
func (r *runner) run(s *subject, expected time.Duration, mode []string, names []string) (output, error) {
	began := time.Now()
	cmd := r.start(s.command, append(mode, names...)...)
	text, err := program.Run(r.ctx, cmd, limits(expected))
	host.CountChild(cmd.ProcessState)
	if err != nil {
		return output{}, r.refused(s, err)
	}
	return parsed(text, names, time.Since(began))
}

// refused returns the error with what would help, if a benchmark that was compiled may not be executed.
func (r *runner) refused(s *subject, err error) error {
	if errors.Is(err, fs.ErrPermission) && strings.HasPrefix(s.command[0], r.folder+string(filepath.Separator)) {
		return fmt.Errorf("its benchmark may not be executed: %w; if the temporary folder is mounted noexec, set TMPDIR to another one", err)
	}
	return err
}

// parsed returns what a benchmark printed that ran so long. An error says that its stopwatch is wrong.
func parsed(text []byte, names []string, took time.Duration) (output, error) {
	out, err := parse(text, names)
	if err == nil && out.elapsedNS > float64(took) {
		err = fmt.Errorf("its stopwatch counted %v while %v passed", time.Duration(out.elapsedNS), took)
	}
	return out, err
}

// costMode are the arguments of a benchmark that measures costs.
func (s Settings) costMode() []string {
	return []string{"cost", strconv.Itoa(rounds), nanoseconds(s.spanTime())}
}

func nanoseconds(d time.Duration) string { return strconv.FormatInt(int64(d), 10) }

// spanTime returns the span of one sample.
func (s Settings) spanTime() time.Duration {
	return max(shortestSpan, s.Time/time.Duration(s.Starts*rounds))
}

// costTime returns the estimated time of one start of a runtime for its costs.
func (s Settings) costTime(of Runtime) time.Duration {
	each := s.spanTime()*(rounds+2) + max(s.spanTime(), warmUp)
	return startTime + time.Duration(len(of.Calls)+2)*each
}

// passTime returns the estimated time of one pass with so many threads.
func (s Settings) passTime(of Runtime, threads int) time.Duration {
	return startTime + time.Duration(len(of.Calls))*(s.threadSpan(threads)+warmUp)
}

// threadSpan returns how long so many threads call in each pass. Where they share CPUs, the scheduler gives
// each of them several turns, of a few milliseconds.
func (s Settings) threadSpan(threads int) time.Duration {
	const turns = 20 * time.Millisecond
	const shortest = 5 * time.Millisecond // beside other programs a thread waits that long for a CPU
	span := max(shortest, s.Time/passes)
	if s.CPUs > 0 && threads > s.CPUs {
		span = max(span, turns*time.Duration((threads+s.CPUs-1)/s.CPUs))
	}
	return span
}

// Estimate returns how long a run takes, without the runtimes that are not there.
func (s Settings) Estimate() time.Duration {
	total := time.Duration(0)
	for _, selected := range s.Runtimes {
		total += s.estimateOf(selected)
	}
	return total
}

// estimateOf returns how long one runtime takes; 0 if it is not there.
func (s Settings) estimateOf(selected Selected) time.Duration {
	of := selected.Runtime
	if _, err := of.find(selected.Path); err != nil {
		return 0
	}
	total := time.Duration(s.Starts+1)*s.costTime(of) + 2*traceTime + startTime + time.Duration(len(of.Calls))*stepsTime
	if of.Threads {
		for _, threads := range s.Threads {
			total += passes * s.passTime(of, threads)
		}
	}
	return total
}

// cost measures the cost of all calls of a runtime in one start. A runtime that fails in a start is
// not started again.
func (r *runner) cost(s *subject) {
	expected := r.settings.costTime(s.Runtime)
	names := s.callNames(emptyLoop, emptyCall)
	out, err := r.run(s, expected, r.settings.costMode(), names)
	if err == nil {
		err = out.measured(names, rounds)
	}
	r.advance(expected)
	if err != nil {
		if r.ctx.Err() == nil {
			if s.entry.Forks > 0 {
				err = fmt.Errorf("start %d of %d: %w", s.entry.Forks+1, r.settings.Starts, err)
			}
			s.entry.Reason, s.command = err.Error(), nil
		}
		return
	}
	s.entry.Forks++
	for name, samples := range out.costs {
		s.medians[name] = append(s.medians[name], stats.Median(samples))
		s.minima[name] = append(s.minima[name], slices.Min(samples))
	}
	for name, ns := range out.warmNS {
		s.warmNS[name] = append(s.warmNS[name], ns)
	}
	s.lack(out.missing)
}

// lack keeps why the runtime does not have calls.
func (s *subject) lack(missing map[string]string) {
	for i := range s.entry.Calls {
		if reason, ok := missing[s.Calls[i].Name]; ok {
			s.entry.Calls[i].Reason = reason
		}
	}
}

// steps watches the values of all calls, and once more those that did not step: a second passes
// before time() does.
func (r *runner) steps(s *subject) {
	defer r.advance(startTime + time.Duration(len(s.Calls))*stepsTime)
	r.watch(s, s.callNames(), mostSteps, stepsTime)
	var still []string
	for _, m := range s.entry.Calls {
		if m.Resolution != nil && m.Resolution.Ticks == 0 {
			still = append(still, m.Call)
		}
	}
	if len(still) > 0 {
		r.watch(s, still, 1, secondTime)
	}
}

// watch watches values for so many steps, at most so long for each call.
func (r *runner) watch(s *subject, names []string, most int, longest time.Duration) {
	expected := startTime + time.Duration(len(names))*longest
	out, err := r.run(s, expected, []string{"steps", strconv.Itoa(most), nanoseconds(longest)}, names)
	if err != nil {
		s.note(r.ctx, "its values could not be watched", err)
		return
	}
	for i := range s.entry.Calls {
		m := &s.entry.Calls[i]
		if seen, ok := out.seen[m.Call]; ok {
			m.Resolution = resolution(seen, out.steps[m.Call], longest, most)
		}
	}
}

// note keeps what failed beside what was measured.
func (s *subject) note(ctx context.Context, what string, err error) {
	if ctx.Err() != nil {
		return
	}
	if s.entry.Reason != "" {
		s.entry.Reason += "; "
	}
	s.entry.Reason += fmt.Sprintf("%s: %v", what, err)
}

// result returns the entry of a runtime. The samples of a call are the medians of its starts: those of
// one start are not independent of each other.
func (s *subject) result() MeasuredRuntime {
	r := s.entry
	r.LoopNS, r.CallNS = median(s.medians[emptyLoop]), median(s.medians[emptyCall])
	for i := range r.Calls {
		m := &r.Calls[i]
		if samples := s.medians[m.Call]; len(samples) > 0 {
			m.Latency = compare.LatencyOf(samples, s.minima[m.Call])
			m.Latency.MinNS = slices.Min(s.minima[m.Call])
			m.WarmUpNS = median(s.warmNS[m.Call])
			m.Resolution = proven(m.Resolution, m.Latency.MedianNS)
			r.Available = true
		}
		if m.fromVDSO() {
			m.WithoutVDSONS = median(s.hidden[m.Call])
		}
	}
	return r
}

// median returns the median of samples; 0 if there are none.
func median(samples []float64) float64 {
	if len(samples) == 0 {
		return 0
	}
	return stats.Median(samples)
}

// advance reports progress after a step that was expected to take this long.
func (r *runner) advance(expected time.Duration) {
	r.done += expected
	r.progress(min(r.done, r.estimate), r.estimate)
}
