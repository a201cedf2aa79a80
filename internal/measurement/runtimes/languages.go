package runtimes

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/measurement/runtimes/programs"
	"github.com/timebench/timebench/internal/system/program"
)

// java runs a class file, because a runtime without a compiler cannot run a source file. Class data
// sharing is left on: it only makes the start faster.
var java = Runtime{
	Name: "java", Programs: []string{"java"}, Version: []string{"-version"}, Threads: true,
	WarmUp: 700 * time.Millisecond,
	Build: func(b build) ([]string, error) {
		class := filepath.Join(b.folder, "Bench.class")
		return []string{b.path, "-cp", b.folder, "Bench"}, os.WriteFile(class, programs.JavaClass, 0o600)
	},
	Calls: []Call{
		{"System.currentTimeMillis", wall},
		{"System.nanoTime", monotonic},
		{"Instant.now", wall},
		{"LocalDateTime.now", wall},
		{"ThreadMXBean.getCurrentThreadCpuTime", cpuTime},
		{"ThreadMXBean.getCurrentThreadUserTime", cpuTime},
	},
	Sleeps: []string{
		"Thread.sleep(ms)", "Thread.sleep(ms, ns)", "LockSupport.parkNanos", "ScheduledExecutorService.schedule",
	},
}

// python runs isolated (-I) and without the module site (-S), whose files the user may have changed. It writes no
// compiled modules (-B). On Windows py, the launcher of python.org's installer, is in PATH where python is not.
var python = Runtime{
	Name: "python3", Programs: []string{"python3", "python", "py"}, Version: []string{"--version"},
	Build: script("bench.py", programs.Python, "-B", "-I", "-S"),
	Calls: []Call{
		{"time.time", wall},
		{"time.time_ns", wall},
		{"time.monotonic", monotonic},
		{"time.perf_counter", monotonic},
		{"time.process_time", cpuTime},
		{"time.thread_time", cpuTime},
		{"datetime.now", wall},
	},
	Sleeps: []string{"time.sleep", "threading.Event.wait", "asyncio.sleep"},
}

// scriptCalls are the calls that all runtimes of JavaScript have.
var scriptCalls = []Call{
	{"Date.now", wall},
	{"new Date", wall},
	{"performance.now", monotonic},
	{"process.hrtime.bigint", monotonic},
	{"toISOString", wall},
}

var scriptSleeps = []string{"setTimeout"}

// javascript returns the Build of a runtime of JavaScript. The package.json beside the program ends the search
// for one in the folders above, which anybody may write to.
func javascript(arguments ...string) func(build) ([]string, error) {
	return func(b build) ([]string, error) {
		if err := os.WriteFile(filepath.Join(b.folder, "package.json"), []byte("{}"), 0o600); err != nil {
			return nil, err
		}
		return script("bench.js", programs.JavaScript, arguments...)(b)
	}
}

// withoutConfig is the Build of Bun, which reads a bunfig.toml of the user otherwise.
func withoutConfig(b build) ([]string, error) {
	config := filepath.Join(b.folder, "bunfig.toml")
	if err := os.WriteFile(config, nil, 0o600); err != nil {
		return nil, err
	}
	return javascript("--config="+config, "run")(b)
}

// node and bun have process.uptime too.
var (
	node = Runtime{
		Name: "node", Programs: []string{"node", "nodejs"}, Version: []string{"--version"},
		WarmUp: 240 * time.Millisecond,
		Build:  javascript(),
		Calls:  append(scriptCalls[:len(scriptCalls):len(scriptCalls)], Call{"process.uptime", monotonic}),
		Sleeps: scriptSleeps,
	}
	bun = Runtime{
		Name: "bun", Programs: []string{"bun"}, Version: []string{"--version"}, WarmUp: 240 * time.Millisecond,
		Build:  withoutConfig,
		Calls:  append(scriptCalls[:len(scriptCalls):len(scriptCalls)], Call{"process.uptime", monotonic}),
		Sleeps: scriptSleeps,
	}
	// deno may read files only: the marks of the benchmark are names of files.
	deno = Runtime{
		Name: "deno", Programs: []string{"deno"}, Version: []string{"--version"}, WarmUp: 210 * time.Millisecond,
		Build: javascript("run", "--no-config", "--allow-read", "--no-prompt"),
		Calls: scriptCalls, Sleeps: scriptSleeps,
	}
)

// dotnet runs an assembly, because a runtime without an SDK cannot compile a source file. It has no Version:
// several versions may be installed, and dotnet selects one of them when it starts a program.
var dotnet = Runtime{
	Name: "dotnet", Programs: []string{"dotnet"}, Threads: true, WarmUp: time.Second,
	Build: func(b build) ([]string, error) {
		assembly := filepath.Join(b.folder, "Bench.dll")
		if err := os.WriteFile(assembly, programs.DotnetAssembly, 0o600); err != nil {
			return nil, err
		}
		config := filepath.Join(b.folder, "Bench.runtimeconfig.json")
		return []string{b.path, "exec", assembly}, os.WriteFile(config, programs.DotnetConfig, 0o600)
	},
	Calls: []Call{
		{"DateTime.UtcNow", wall},
		{"DateTime.Now", wall},
		{"DateTimeOffset.UtcNow", wall},
		{"Stopwatch.GetTimestamp", monotonic},
		{"Environment.TickCount64", monotonic},
	},
	Sleeps: []string{"Thread.Sleep", "Task.Delay"},
}

// netFramework is the .NET Framework of Windows, or Mono. It runs the same assembly as dotnet: a program, which Windows
// starts by itself. The framework is never in PATH; it is beside its compiler. Like dotnet it has no Version.
var netFramework = Runtime{
	Name: "netframework", Programs: []string{"mono", `C:\Windows\Microsoft.NET\Framework64\v4.0.30319\csc.exe`},
	Threads: true, WarmUp: time.Second,
	Build: func(b build) ([]string, error) {
		assembly := filepath.Join(b.folder, "Bench.exe")
		command := []string{assembly}
		if !strings.EqualFold(filepath.Base(b.path), "csc.exe") {
			command = []string{b.path, assembly}
		}
		return command, os.WriteFile(assembly, programs.DotnetAssembly, 0o700)
	},
	Calls: []Call{
		{"DateTime.UtcNow", wall},
		{"DateTime.Now", wall},
		{"DateTimeOffset.UtcNow", wall},
		{"Stopwatch.GetTimestamp", monotonic},
	},
	Sleeps: []string{"Thread.Sleep", "Task.Delay"},
}

// powerShell is the Build of both PowerShells. It runs without a profile of the user. The policy is for this process
// only, and ignored outside Windows.
var powerShell = script("bench.ps1", programs.PowerShell,
	"-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File")

var powerShellCalls = []Call{
	{"Get-Date", wall},
	{"[DateTime]::UtcNow", wall},
	{"[DateTime]::Now", wall},
	{"[DateTimeOffset]::UtcNow", wall},
	{"[Diagnostics.Stopwatch]::GetTimestamp()", monotonic},
	{"[Environment]::TickCount", monotonic},
}

// powerShellSlice is long, because PowerShell takes microseconds to run a block of a script.
const powerShellSlice = 2 * time.Millisecond

// pwsh is PowerShell on .NET; powershell is Windows PowerShell 5.1, which is part of Windows.
var (
	pwsh = Runtime{
		Name: "pwsh", Programs: []string{"pwsh"}, Version: []string{"--version"},
		Build: powerShell, Calls: powerShellCalls, Slice: powerShellSlice, WarmUp: time.Second,
	}
	powershell = Runtime{
		Name: "powershell", Programs: []string{"powershell"},
		Version: []string{"-NoProfile", "-NonInteractive", "-Command",
			"'Windows PowerShell ' + $PSVersionTable.PSVersion"},
		Build: powerShell, Calls: powerShellCalls, Slice: powerShellSlice, WarmUp: time.Second,
	}
)

// ruby runs without RubyGems, which would read files of the user.
var ruby = Runtime{
	Name: "ruby", Programs: []string{"ruby"}, Version: []string{"--version"}, WarmUp: 150 * time.Millisecond,
	Build: script("bench.rb", programs.Ruby, "--disable-gems"),
	Calls: []Call{
		{"Time.now", wall},
		{"Process.clock_gettime(CLOCK_REALTIME)", wall},
		{"Process.clock_gettime(CLOCK_MONOTONIC)", monotonic},
	},
	Sleeps: []string{"sleep"},
}

// php runs without an ini file (-n).
var php = Runtime{
	Name: "php", Programs: []string{"php"}, Version: []string{"-n", "--version"}, WarmUp: 180 * time.Millisecond,
	Build: script("bench.php", programs.PHP, "-n", "-f"),
	Calls: []Call{
		{"time", wall},
		{"microtime(true)", wall},
		{"hrtime(true)", monotonic},
		{"new DateTimeImmutable", wall},
	},
	Sleeps: []string{"usleep"},
}

var perl = Runtime{
	Name: "perl", Programs: []string{"perl"}, Version: []string{"--version"},
	Build: script("bench.pl", programs.Perl),
	Calls: []Call{
		{"time", wall},
		{"Time::HiRes::time", wall},
		{"Time::HiRes::clock_gettime(CLOCK_MONOTONIC)", monotonic},
		{"localtime", wall},
	},
	Sleeps: []string{"Time::HiRes::usleep"},
}

// luaCalls are the only calls that Lua has. There is no monotonic clock, so os.clock times the benchmark, in
// microseconds of CPU time.
var luaCalls = []Call{{"os.time", wall}, {"os.clock", cpuTime}}

const luaSlice, luaWarmUp = time.Millisecond, 120 * time.Millisecond

var (
	lua = Runtime{
		Name: "lua", Programs: []string{"lua", "lua5.4", "lua5.3", "lua5.2", "lua5.1"}, Version: []string{"-v"},
		Build: script("bench.lua", programs.Lua), Calls: luaCalls, TimedBy: cpuTime, Slice: luaSlice, WarmUp: luaWarmUp,
	}
	luajit = Runtime{
		Name: "luajit", Programs: []string{"luajit"}, Version: []string{"-v"},
		Build: script("bench.lua", programs.Lua), Calls: luaCalls, TimedBy: cpuTime, Slice: luaSlice, WarmUp: luaWarmUp,
	}
)

// cCalls are the calls of C, through the C library and not directly to the vDSO.
var cCalls = []Call{
	{"clock_gettime(CLOCK_REALTIME)", wall},
	{"clock_gettime(CLOCK_MONOTONIC)", monotonic},
	{"clock_gettime(CLOCK_MONOTONIC_COARSE)", monotonic},
	{"gettimeofday", wall},
	{"time", wall},
	{"clock", cpuTime},
	{"getrusage(RUSAGE_THREAD)", cpuTime},
}

// c is the C library of the system, and musl is the C library of musl-gcc, both with the same program.
var (
	c = Runtime{
		Name: "c", Programs: []string{"cc", "gcc", "clang"}, Version: []string{"--version"}, Threads: true,
		Build: compiled("bench.c", programs.C, "-O2", "-pthread"), Calls: cCalls, Sleeps: []string{"nanosleep"},
	}
	musl = Runtime{
		Name: "musl", Programs: []string{"musl-gcc"}, Version: []string{"--version"}, Threads: true,
		Build: compiled("bench.c", programs.C, "-O2", "-pthread"), Calls: cCalls, Sleeps: []string{"nanosleep"},
	}
	cpp = Runtime{
		Name: "c++", Programs: []string{"c++", "g++", "clang++"}, Version: []string{"--version"}, Threads: true,
		Build: compiled("bench.cpp", programs.CPlusPlus, "-std=c++11", "-O2", "-pthread"),
		Calls: []Call{
			{"std::chrono::system_clock::now", wall},
			{"std::chrono::steady_clock::now", monotonic},
			{"std::chrono::high_resolution_clock::now", wall},
		},
		Sleeps: []string{"std::this_thread::sleep_for"},
	}
)

var rust = Runtime{
	Name: "rust", Programs: []string{"rustc"}, Version: []string{"--version"}, Threads: true,
	Build:  compiled("bench.rs", programs.Rust, "-O"),
	Calls:  []Call{{"SystemTime::now", wall}, {"Instant::now", monotonic}},
	Sleeps: []string{"thread::sleep"},
}

// BenchmarkRole is the role of a process that runs the benchmark of Go: programs.GoMain.
const BenchmarkRole = "benchmark"

// golang is timebench itself, which is written in Go: no compiler is needed, and the version is the version of Go that
// compiled timebench.
var golang = Runtime{
	Name: "go", Threads: true,
	Build: func(build) ([]string, error) {
		self, err := os.Executable()
		return []string{self, program.Entry, BenchmarkRole}, err
	},
	Calls:  []Call{{"time.Now", wall}, {"time.Since", monotonic}},
	Sleeps: []string{"time.Sleep", "time.Ticker"},
}
