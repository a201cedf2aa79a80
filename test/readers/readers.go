// Package readers has programs in C, Go and Java that read a clock at a known, counted
// rate between arithmetic. A profile of clock reads is compared with their own counts:
//
//	go test ./test/readers -run '^$' -bench Shares -benchtime 10x
//
// runs every program ten times for each share of the time and each kind of read. -bench
// 'Shares/c/vdso' selects rows.
//
// The cost of a read is a property of the vDSO and of the kernel, and not of a language. Only C can
// call the vDSO without a runtime around it. The C program therefore measures the cost of a read
// for the others, before their run and after it: the cost in a loop that only reads, since the CPU runs the
// loop while it waits for the counter. The rest of their calls counts as other work.
package readers

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

//go:embed testdata
var sources embed.FS

// Languages are the languages of the programs.
var Languages = []string{"c", "go", "java"}

// A Program is a built program of a language.
type Program struct {
	Language string
	// Caller is the name of the function that reads the clock.
	Caller string
	// Reads are the kinds of reads that the program can do.
	Reads   []string
	command []string
	c       *Program // measures the cost of a read; nil for C itself
}

// Options are the arguments of a program.
type Options struct {
	// Read is one of Program.Reads, or none: vdso, syscall (clock_gettime), gettimeofday or time.
	Read string
	// Percent is the share of the CPU time that reads take, from 0 to 100. If the calls of a language cost more than
	// the rest of the time, the program only reads.
	Percent float64
	// Threads read at once; 0 is one thread.
	Threads int
	Seconds float64
}

// A Report has the counts and the measurements of a program during its run.
type Report struct {
	Reads       uint64  `json:"reads"`
	Iterations  uint64  `json:"iterations"`
	CPUNS       float64 `json:"cpu_ns"`
	WallNS      float64 `json:"wall_ns"`
	ReadNS      float64 `json:"read_ns"`      // the cost of a read
	CallNS      float64 `json:"call_ns"`      // what the call adds to it
	IterationNS float64 `json:"iteration_ns"` // the cost of an iteration of arithmetic
	// LoopNS is the time of the loop around a read with an empty function. It is part of ReadNS for reads by the vDSO,
	// as the CPU runs the loop while it waits for the counter. Only the program in C reports it.
	LoopNS float64 `json:"loop_ns"`
	// Share is the share of reads in the sum of all costs. A pause of the virtual machine, or a
	// lower frequency than at the calibration, does not change it.
	Share float64 `json:"share"`
	// ShareByReads is the cost of all reads divided by the CPU time.
	ShareByReads float64 `json:"share_by_reads"`
}

// ReadsPerSecond returns the rate of the reads.
func (r Report) ReadsPerSecond() float64 { return float64(r.Reads) / r.WallNS * 1e9 }

// ReadsPerCPUSecond returns the reads for each second of CPU time, which the load of the machine
// changes less.
func (r Report) ReadsPerCPUSecond() float64 { return float64(r.Reads) / r.CPUNS * 1e9 }

// ShareRange returns the smallest and the largest share that the counts of the program allow.
func (r Report) ShareRange() (low, high float64) {
	return min(r.Share, r.ShareByReads), max(r.Share, r.ShareByReads)
}

// With returns the report for another cost of a read, in ns.
func (r Report) With(readNS float64) Report {
	r.CallNS += r.ReadNS - readNS
	r.ReadNS = readNS
	if r.Reads == 0 {
		return r
	}
	in := float64(r.Reads) * r.ReadNS
	rest := float64(r.Iterations)*r.IterationNS + float64(r.Reads)*r.CallNS
	r.Share = in / (in + rest)
	if r.CPUNS > 0 {
		r.ShareByReads = in / r.CPUNS
	}
	return r
}

// Build compiles the program of a language, or of Go for 32 bits ("go-386"), into a folder of the test. It skips
// the test if the compiler or the runtime is missing.
func Build(t testing.TB, language string) *Program {
	t.Helper()
	need.Processes(t)
	folder := t.TempDir()
	for _, name := range []string{"reader.c", "reader.go", "Reader.java"} {
		source, err := sources.ReadFile("testdata/" + name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), source, 0o600))
	}
	cc := need.Program(t, "cc")
	program := filepath.Join(folder, "reader-c")
	compile(t, cc, "-O2", "-fno-omit-frame-pointer", "-pthread", "-o", program, filepath.Join(folder, "reader.c"), "-ldl")
	c := &Program{Language: "c", Caller: "read_the_clock", Reads: []string{"vdso", "syscall", "gettimeofday"},
		command: []string{program}}
	if runtime.GOARCH == "amd64" { // newer architectures have no system call time
		c.Reads = append(c.Reads, "time")
	}
	switch language {
	case "c":
		return c
	case "go", "go-386":
		program := filepath.Join(folder, "reader-"+language)
		architecture := map[string]string{"go": runtime.GOARCH, "go-386": "386"}[language]
		compile(t, need.Program(t, "env"), "GOARCH="+architecture, need.Program(t, "go"), "build", "-o", program,
			filepath.Join(folder, "reader.go"))
		if err := exec.Command(program).Run(); errors.Is(err, syscall.ENOEXEC) {
			need.Missing(t, "32-bit programs", "the kernel does not run them")
		}
		return &Program{Language: language, Caller: "main.readTheClock", Reads: []string{"vdso", "syscall"},
			command: []string{program}, c: c}
	case "java":
		java := need.Program(t, "java")
		compile(t, need.Program(t, "javac"), "-d", folder, filepath.Join(folder, "Reader.java"))
		// One collector thread, and no file for jps, so that a profile shows nothing else.
		command := []string{java, "-XX:+UseSerialGC", "-XX:-UsePerfData", "-cp", folder, "Reader"}
		return &Program{Language: language, Caller: "Reader.readTheClock", Reads: []string{"vdso"}, command: command, c: c}
	}
	t.Fatalf("no program in %q", language)
	return nil
}

func compile(t testing.TB, compiler string, args ...string) {
	t.Helper()
	command := exec.Command(compiler, args...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	need.Output(t, command)
}

// args returns the arguments of a program. If readNS is 0, the program measures the cost of a read.
func (o Options) args(readNS float64) []string {
	args := []string{o.Read, decimal(o.Percent), strconv.Itoa(max(1, o.Threads)), decimal(o.Seconds)}
	if readNS > 0 {
		args = append(args, "-read-ns", decimal(readNS))
	}
	return args
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// cost returns the cost of a read by the C program; 0 if the program measures it itself.
func (p *Program) cost(t testing.TB, o Options) float64 {
	t.Helper()
	if p.c == nil || o.Read == "none" || o.Percent == 0 {
		return 0
	}
	o.Seconds, o.Threads = 0, 1
	return p.c.Start(t, o).End().ReadNS
}

// A Running program has calibrated, and waits for Go.
type Running struct {
	t       testing.TB
	program *Program
	options Options
	command *exec.Cmd
	in      io.Writer
	out     *bufio.Reader
	errors  *bytes.Buffer
	readNS  float64
	began   bool
	wait    func() error
}

// Start starts the program, and returns when it is ready. The program ends with the test at the
// latest.
func (p *Program) Start(t testing.TB, o Options) *Running {
	t.Helper()
	r := &Running{t: t, program: p, options: o, errors: new(bytes.Buffer), readNS: p.cost(t, o)}
	r.command = p.process(append(o.args(r.readNS), "-wait")...)
	r.command.Stderr = r.errors
	in, err := r.command.StdinPipe()
	require.NoError(t, err)
	out, err := r.command.StdoutPipe()
	require.NoError(t, err)
	r.in, r.out = in, bufio.NewReader(out)
	require.NoError(t, r.command.Start())
	r.wait = sync.OnceValue(r.command.Wait)
	t.Cleanup(func() {
		_ = r.command.Process.Kill()
		_ = r.wait()
	})
	line, err := r.line()
	require.NoError(t, err, "%s: %s", p.Language, r.errors)
	require.Equal(t, "ready\n", line)
	return r
}

func (p *Program) process(args ...string) *exec.Cmd {
	return exec.Command(p.command[0], append(p.command[1:len(p.command):len(p.command)], args...)...)
}

// line reads a line of the program. It kills a program that prints no line in time.
func (r *Running) line() (string, error) {
	long := need.Long + time.Duration(r.options.Seconds*float64(time.Second))
	late := time.AfterFunc(long, func() { _ = r.command.Process.Kill() })
	defer late.Stop()
	return r.out.ReadString('\n')
}

// PID returns the id of the process.
func (r *Running) PID() int { return r.command.Process.Pid }

// Go begins the run.
func (r *Running) Go() {
	r.t.Helper()
	r.began = true
	_, err := io.WriteString(r.in, "\n")
	require.NoError(r.t, err)
}

// End waits for the end of the run, which it begins if Go has not, and returns the report.
func (r *Running) End() Report {
	r.t.Helper()
	if !r.began {
		r.Go()
	}
	line, err := r.line()
	require.NoError(r.t, err, "%s: %s", r.program.Language, r.errors)
	require.NoError(r.t, r.wait(), r.errors.String())
	var report Report
	require.NoError(r.t, json.Unmarshal([]byte(line), &report), line)
	if r.readNS > 0 {
		after := r.program.cost(r.t, r.options)
		report = report.With((r.readNS + after) / 2)
	}
	return report
}
