package profile

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/instrument/perfevent"
	"github.com/timebench/timebench/internal/instrument/symbols"
)

// The addresses of the processes and of the kernel of these tests.
const (
	vdsoAt     = 0x7fff00000000
	vdsoSize   = 0x2000
	inGettime  = vdsoAt + 0xa10 // in __vdso_clock_gettime
	inGetcpu   = vdsoAt + 0xd10
	afterEntry = vdsoAt + 0xa80 // the instruction after its system call
	inProgram  = 0x401000
	inWrapper  = 0x7f0000001000 // after the system call of libc
	gettime    = 0xffffffff81001000
	write      = 0xffffffff81002000

	gettimeofday = 0xffffffff81003000
	cpuTime      = 0xffffffff81004000 // posix_cpu_clock_get
	entryCode    = 0xffffffff81000500
	interrupt    = 0xffffffff81009000
)

// faked answers for processes.
type faked map[int]look

func (f faked) look(pid int) look {
	if found, ok := f[pid]; ok {
		return found
	}
	return look{reason: "it had ended"}
}
func (f faked) names(_ int, addresses []uint64) []symbols.Frame {
	frames := make([]symbols.Frame, len(addresses))
	for i, address := range addresses {
		if address == inProgram {
			frames[i] = symbols.Frame{Function: "main", Module: "a.out"}
		}
	}
	return frames
}
func (f faked) compiled(int, []uint64) []string { return nil }
func (f faked) thread(_, tid int) string        { return map[int]string{10: "main", 13: "by /proc"}[tid] }
func (f faked) preloaded(pid int) []string {
	return map[int][]string{11: {"/lib/fake.so (LD_PRELOAD)"}}[pid]
}

var normal = look{command: "reader", cgroup: "/user.slice", vdso: addressRange{vdsoAt, vdsoAt + vdsoSize}}

// fakeVDSO names the functions of the vDSO of these tests.
func fakeVDSO(start, address uint64) string {
	switch offset := address - start; {
	case offset >= 0xd00:
		return "__vdso_getcpu"
	case offset >= 0xa00:
		return "__vdso_clock_gettime"
	default:
		return ""
	}
}

func tallied(pids []int, records ...perfevent.Record) *tally {
	return talliedOf(faked{10: normal, 11: normal, 12: {command: "old"},
		13: {command: "secret", reason: "that needs CAP_SYS_PTRACE"}}, pids, records...)
}

func talliedOf(seen faked, pids []int, records ...perfevent.Record) *tally {
	functions := kernel{
		{addressRange{gettime, gettime + 0x100}, kernelCall{clockCall, syscallID}}, {addressRange{write, write + 0x100},
			kernelCall{kind: otherCall}},
		{addressRange{gettimeofday, gettimeofday + 0x100}, kernelCall{clockCall, gettimeofdayID}},
		{addressRange{cpuTime, cpuTime + 0x100}, kernelCall{kind: clockCall}},
	}
	t := newTally(seen, functions, fakeVDSO, pids)
	for i := range records {
		if records[i].TimeNS == 0 {
			records[i].TimeNS = uint64(i) + 1 //nolint:gosec // small
		}
		if records[i].TID == 0 {
			records[i].TID = records[i].PID
		}
	}
	(&collector{tally: t, waiting: slices.Clone(records)}).count(^uint64(0))
	t.lookUpNames()
	return t
}

// sample returns a sample with this callchain.
func sample(pid int, kernel []uint64, user ...uint64) perfevent.Record {
	return perfevent.Record{Kind: perfevent.Sample, PID: pid, Kernel: kernel, User: user}
}

// times returns copies of a record.
func times(n int, r perfevent.Record) []perfevent.Record {
	all := make([]perfevent.Record, n)
	for i := range all {
		all[i] = r
	}
	return all
}

func TestPreloadedLibrariesOfProgramsThatRead(t *testing.T) {
	counted := tallied(nil, sample(11, []uint64{gettime}, inWrapper, inProgram), sample(10, nil, inProgram))
	require.Equal(t, []string{"/lib/fake.so (LD_PRELOAD)"}, counted.programs[0].preloaded)
	require.False(t, counted.programs[1].sought, "a program that reads no clock is not looked at")
}

// Reads are in user mode, in the kernel from the vDSO, and direct system calls.
func TestSamples(t *testing.T) {
	in := func(n, pid int, kernel uint64, user ...uint64) []perfevent.Record {
		if kernel == 0 {
			return times(n, sample(pid, nil, user...))
		}
		return times(n, sample(pid, []uint64{kernel}, user...))
	}
	type parts [][]perfevent.Record
	for name, c := range map[string]struct {
		parts                  parts
		user, kernel, syscalls float64
	}{
		"in the vDSO": {parts{
			// which is no clock
			in(3, 10, 0, inGettime, inProgram), in(5, 10, 0, inProgram), in(2, 10, 0, inGetcpu, inProgram),
			in(4, 10, write, inProgram), in(1, 10, interrupt), // the kernel for itself
		}, 3, 0, 0},
		// Under a slow clock source the vDSO makes a system call. Its beginning and its end have no function of a
		// system call in the kernel, but the same address in the program.
		"in the kernel, from the vDSO": {parts{
			times(6, sample(10, []uint64{gettime + 8, entryCode}, afterEntry, inProgram)), in(2, 10, entryCode,
				afterEntry, inProgram),
			in(1, 10, 0, inGettime, inProgram), in(1, 10, interrupt, inGettime, inProgram),
		}, 1, 8, 0},
		// Other system calls may be made at the same address: the unknown samples are divided like the known ones.
		"system calls": {parts{
			in(6, 10, gettime, inWrapper), in(2, 10, write, inWrapper), in(4, 10, entryCode, inWrapper), in(9, 10,
				entryCode, inProgram),
			in(4, 10, 0, inWrapper), // the end of a call
		}, 0, 0, 12},
		// The instructions around a system call belong to it, as far as its site does.
		"around a system call": {parts{
			in(3, 10, gettime, inWrapper), in(1, 10, write, inWrapper), in(1, 10, 0, inWrapper-beforeSite), in(1, 10, 0,
				inWrapper-1),
			in(1, 10, 0, inWrapper+1), in(1, 10, 0, inWrapper+afterSite-1),
			// none of it
			in(1, 10, 0, inWrapper-beforeSite-1), in(1, 10, 0, inWrapper+afterSite), in(1, 10, 0, 0), in(1, 10, 0,
				^uint64(0)),
		}, 0, 0, 6},
		"a process without a vDSO": {parts{in(2, 12, gettime, inWrapper), in(1, 12, 0, vsyscall.start),
			in(1, 12, 0, inGettime)}, 0, 0, 3},
		"one whose vDSO is unknown": {parts{in(1, 13, 0, inGettime)}, 0, 0, 0},
	} {
		p := tallied(nil, slices.Concat(c.parts...)...).programs[0]
		user, kernel, syscalls := p.clockSamples()
		require.Equal(t, []float64{c.user, c.kernel, c.syscalls}, []float64{user, kernel, syscalls}, name)
		// Samples at the ends of a call count for the process in proportion, for a thread and a caller if most calls
		// read.
		reads := p.threads[p.pid].reads
		require.InDelta(t, c.user+c.kernel+c.syscalls, reads, 2, name)
		callers := 0
		for _, of := range p.stacks {
			callers += of
		}
		require.Equal(t, reads, callers, name)
	}
}

func TestProcessThatCannotBeLookedAt(t *testing.T) {
	tally := tallied(nil, sample(12, nil, inGettime), sample(13, nil, inGettime), sample(99, nil, inGettime))
	for i, reason := range []string{"", "that needs CAP_SYS_PTRACE", "it had ended"} {
		require.Equal(t, reason, tally.programs[i].reason)
	}
}

// After execve(2) another program runs, with its vDSO elsewhere.
func TestExecIsAnotherProgram(t *testing.T) {
	const moved = 0x100000000000
	tally := tallied(nil,
		sample(10, nil, inGettime),
		perfevent.Record{Kind: perfevent.Comm, PID: 10, Name: "next", Exec: true},
		perfevent.Record{Kind: perfevent.Map, PID: 10, Name: "[vdso]", Start: moved, Length: vdsoSize},
		sample(10, nil, moved+inGettime-vdsoAt), sample(10, nil, inGettime),
		perfevent.Record{Kind: perfevent.Comm, PID: 10, TID: 11, Name: "a thread"},
	)
	require.Len(t, tally.programs, 2)
	before, after := tally.programs[0], tally.programs[1]
	require.Equal(t, []any{"reader", 1, 1}, []any{before.command, before.samples, before.user})
	require.Equal(t, []any{"next", 2, 1}, []any{after.command, after.samples, after.user})
}

// The kernel's name of a program has 15 bytes. The first file that it maps has all.
func TestLongNameOfAStartedProgram(t *testing.T) {
	maps := func(name string) perfevent.Record { return perfevent.Record{Kind: perfevent.Map, PID: 10, Name: name} }
	for _, name := range []string{"prometheus-node-exporter", "prometheus-node"} {
		p := tallied(nil, perfevent.Record{Kind: perfevent.Comm, PID: 10, Name: "prometheus-node", Exec: true},
			maps("/usr/bin/"+name), maps("/usr/lib/prometheus-node-exporter-plugin.so"),
			sample(10, nil, inProgram)).programs[0]
		require.Equal(t, name, p.command)
	}
}

// A long caller is shown by its innermost functions, and the first function that a just-in-time compiler made.
func TestDescribedCaller(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"", ""},
		{"a b c d", "a b c d"},
		{"a b c d e f", "a b c d"},
		{"a b c d e_(JIT) f_(JIT)", "a b … e_(JIT)"},
		{"a b c_(JIT) d e_(JIT)", "a b c_(JIT) d"},
		{"a b c d e f g h_(JIT)", "a b … h_(JIT)"},
		{"a b c d e_(JITTER)", "a b c d"},
	} {
		names := strings.Fields(c.names)
		for i := range names {
			names[i] = strings.ReplaceAll(names[i], "_", " ")
		}
		require.Equal(t, c.want, strings.ReplaceAll(strings.Join(described(names), " "), " (", "_("), c.names)
	}
}

// A process ends with its last thread: its CPU time is read while samples come.
func TestFirstThreadEndsBeforeTheOthers(t *testing.T) {
	exit := perfevent.Record{Kind: perfevent.Exit, PID: 10, TID: 10}
	require.True(t, tallied(nil, sample(10, nil, inGettime), exit).programs[0].ended)
	p := tallied(nil, sample(10, nil, inGettime), exit, sample(10, nil, inGettime)).programs[0]
	require.False(t, p.ended)
	require.Equal(t, 2, p.samples)
}

// The kernel samples a process after the record of its end. The process is known, unless many ended since.
func TestSampleAfterTheEnd(t *testing.T) {
	var records []perfevent.Record
	for pid := 1000; pid < 1000+3*mostLeaving; pid++ {
		records = append(records, perfevent.Record{Kind: perfevent.Fork, PID: pid, ParentPID: 10},
			perfevent.Record{Kind: perfevent.Comm, Exec: true, Name: "date", PID: pid}, perfevent.Record{Kind: perfevent.Exit, PID: pid})
	}
	end := sample(1000+3*mostLeaving-1, []uint64{interrupt})
	tally := tallied(nil, append(records, end)...)
	require.Len(t, tally.programs, 1)
	require.Equal(t, []any{"date", ""}, []any{tally.programs[0].command, tally.programs[0].reason})
	require.LessOrEqual(t, len(tally.living), 2*mostLeaving)
}

// Samples count for the programs of a profile, in its time.
func TestWhichSamplesCount(t *testing.T) {
	read := func(pid int) perfevent.Record { return sample(pid, nil, inGettime, inProgram) }
	fork := func(pid, parent int) perfevent.Record {
		return perfevent.Record{Kind: perfevent.Fork, PID: pid, ParentPID: parent}
	}
	at := func(ns uint64, r perfevent.Record) perfevent.Record { r.TimeNS = ns; return r }
	for name, c := range map[string]struct {
		wanted  []int
		prepare func(*tally)
		records []perfevent.Record
		want    map[string]int // by command and PID
	}{
		"beside a measurement of this process": {nil, func(t *tally) { t.left = 10 }, append(times(50, read(10)), read(11)),
			map[string]int{"reader 11": 1}},
		"of wanted processes, and of those that they start": {[]int{10}, nil, []perfevent.Record{read(10), read(11),
			fork(20, 10), read(20), fork(21, 20), read(21), fork(22, 11), read(22)},
			map[string]int{"reader 10": 1, "reader 20": 1, "reader 21": 1}},
		"in the time of the profile": {nil, func(t *tally) { t.from, t.until = 100, 200 }, []perfevent.Record{at(99, read(10)),
			at(100, read(10)), at(150, read(10)), at(199, read(10)), at(200, read(10))}, map[string]int{"reader 10": 3}},
		"without a PID": {nil, nil, []perfevent.Record{{Kind: perfevent.Comm, Name: "sleep", Exec: true},
			{Kind: perfevent.Map, Name: "[vdso]", Start: vdsoAt, Length: vdsoSize}, read(0), read(-1), read(-1)}, map[string]int{}},
		"of timebench, before it becomes the command": {[]int{10}, func(t *tally) { t.starting = 10 }, []perfevent.Record{
			at(1, fork(10, 9)), at(1, read(10)), at(2, perfevent.Record{Kind: perfevent.Comm, PID: 10, Name: "sh", Exec: true}),
			at(3, read(10))}, map[string]int{"sh 10": 1}},
	} {
		tally := newTally(faked{10: normal, 11: normal}, nil, fakeVDSO, c.wanted)
		if c.prepare != nil {
			c.prepare(tally)
		}
		for i, r := range c.records {
			r.TID, r.TimeNS = r.PID, cmp.Or(r.TimeNS, uint64(i)+1) //nolint:gosec // small
			tally.add(&r)
		}
		got := map[string]int{}
		for _, p := range tally.programs {
			got[fmt.Sprint(p.command, " ", p.pid)] = p.samples
		}
		require.Equal(t, c.want, got, name)
		require.Equal(t, name == "without a PID", tally.foreign > 0, name)
	}
}

// A profile of a month has millions of programs that came and went, whose names and groups others choose.
func TestEndedProgramsAreBounded(t *testing.T) {
	const programs = 5 * mostPrograms
	tally := tallied(nil)
	before := heap()
	for i := range programs {
		pid, name := 1000+i%20_000, "cc1"
		if i%2 == 0 {
			name = fmt.Sprint("program", i)
		}
		tally.add(&perfevent.Record{Kind: perfevent.Fork, PID: pid, TID: pid, ParentPID: 10, TimeNS: 1})
		tally.add(&perfevent.Record{Kind: perfevent.Comm, Exec: true, Name: name, PID: pid, TID: pid, TimeNS: 1})
		for _, r := range []perfevent.Record{sample(pid, nil, inProgram), sample(pid, []uint64{gettime}, inWrapper+uint64(i)*4096, inProgram)} {
			r.TID, r.TimeNS = pid, 1
			tally.add(&r)
		}
		if i%100 == 99 {
			tally.lookUpNames()
			tally.bound()
		}
		tally.add(&perfevent.Record{Kind: perfevent.Exit, PID: pid, TID: pid, TimeNS: 1})
	}
	tally.bound()
	require.LessOrEqual(t, len(tally.programs), mostPrograms+1)
	require.Less(t, heap()-before, uint64(30e6), "bytes")
	s := filled(tally)
	require.Equal(t, 2*programs, s.Samples)
	i := slices.IndexFunc(s.Processes, func(p Process) bool { return p.Command == "cc1" })
	require.Equal(t, programs/2, s.Processes[i].ProcessCount)
	require.InDelta(t, 0.5, *s.Processes[i].ClockShare, 1e-9)
}

// ran runs a program that reads a clock in a process.
func ran(t *tally, pid int, command string, records ...perfevent.Record) {
	for _, r := range append(records, perfevent.Record{Kind: perfevent.Comm, Exec: true, Name: command},
		sample(pid, []uint64{gettime}, inWrapper, inProgram)) {
		r.PID, r.TID, r.TimeNS = pid, pid, max(r.TimeNS, 1)
		t.add(&r)
	}
}

// Of programs that are the row "others", the share stays known beside a program whose vDSO is unknown, and a preloaded
// clock stays named.
func TestOthersStayKnown(t *testing.T) {
	tally := tallied(nil)
	read := func(pid int) {
		r := sample(pid, []uint64{gettime}, inWrapper, inProgram)
		r.TID, r.TimeNS = pid, 1
		tally.add(&r)
	}
	for i := range mostPrograms {
		ran(tally, 1000+i, fmt.Sprint("program", i))
		if i%2 == 0 {
			read(1000 + i)
		}
		tally.add(&perfevent.Record{Kind: perfevent.Exit, PID: 1000 + i, TID: 1000 + i, TimeNS: 1})
	}
	for _, pid := range []int{11, 13} {
		read(pid)
		tally.lookUpNames()
		tally.add(&perfevent.Record{Kind: perfevent.Exit, PID: pid, TID: pid, TimeNS: 1})
	}
	tally.bound()
	s := filled(tally)
	others := slices.DeleteFunc(slices.Clone(s.Processes), func(p Process) bool { return p.Command != "others" })
	require.Len(t, others, 2)
	require.Greater(t, others[0].ProcessCount, 1)
	require.NotNil(t, others[0].ClockShare)
	require.Nil(t, others[1].ClockShare)
	require.NotEmpty(t, others[1].Reason)
	require.Equal(t, 1, others[1].Samples)
	require.Contains(t, strings.Join(s.notes(), "\n"), "is preloaded")
}

// The memory of a program's threads and instructions is bounded. Of more threads than a tally keeps, as of a server
// with a thread for each request, a later thread with most reads is listed, also if it ended while others come.
func TestProgramIsBounded(t *testing.T) {
	var records []perfevent.Record
	for i := range 2 * maxThreads {
		r := sample(10, []uint64{gettime}, inWrapper+uint64(i)*4096, inProgram)
		r.TID = 100 + i
		idle := sample(10, nil, inProgram)
		idle.TID = 1e6 + i
		records = append(records, r, idle, perfevent.Record{Kind: perfevent.Exit, PID: 10, TID: idle.TID})
		if i == maxThreads {
			r.TID = 13
			records = append(records, times(50, r)...)
		}
	}
	p := tallied(nil, records...).programs[0]
	require.LessOrEqual(t, len(p.threads), maxThreads)
	require.LessOrEqual(t, len(p.sites), maxSites+1)
	_, _, syscalls := p.clockSamples()
	require.InDelta(t, 2*maxThreads+50, syscalls, 0)
	require.Equal(t, Thread{TID: 13, Name: "by /proc", Samples: 50, ClockSamples: 50}, readingThreads(p)[0])
}

// heap returns the memory that is in use, in bytes.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// The kernel's functions of system calls have prefixes of the CPU, and other functions end alike.
func TestSystemCallsByTheirFunctions(t *testing.T) {
	for function, want := range map[string]kernelCall{
		"__x64_sys_clock_gettime": {clockCall, syscallID}, "__s390x_sys_time": {clockCall, timeID}, "sys_gettimeofday": {clockCall, gettimeofdayID},
		"__ia32_sys_time": {kind: clockCall}, "__arm64_compat_sys_gettimeofday": {kind: clockCall}, "__se_sys_write": {kind: otherCall},
		"posix_cpu_clock_get": {kind: clockCall}, "__traceiter_sys_enter": {}, "ksys_write": {}, "schedule": {},
	} {
		call, is := callOf(function)
		require.Equal(t, want.kind != noCall, is, function)
		require.True(t, !is || call == want, function)
	}
}
