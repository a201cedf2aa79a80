// Package programs contains the benchmarks that timebench runs in other languages, as sources, and
// the one of Go. Read them to see what is measured: each is one short file in the folder source.
//
// A program is called with a mode and its arguments. It prints lines of fields with tabs between
// them; the last line is "done".
//
//	cost ROUNDS SPAN_NS NAME...
//	    warm NAME NS            ns/call of the first 100 calls of the process. More follow, in hundreds,
//	                            if the stopwatch of the language did not move in that time.
//	    cost NAME CALLS NS      a slice of SPAN_NS, one per round and name; each round starts at another name
//	    sink VALUE              so that no compiler removes the calls; without meaning
//	steps MOST MOST_NS NAME...
//	    step NAME NS            a difference of consecutive values that is not 0
//	    seen NAME READS REPEATS all reads that have one before them, and those that equal it
//	mark TIMES NAME...          prints nothing; one thread makes these system calls:
//	                            a stat of /timebench-mark/start, each call once,
//	                            then TIMES times for each name a stat of /timebench-mark/NAME and
//	                            one call, then a stat of /timebench-mark/end
//	threads COUNT SPAN_NS NAME...
//	    thread NAME INDEX CALLS one per thread
//	    passed NAME NS          one per name: from the release to the end of the last thread
//
// cost measures the first calls of all names before it calibrates and warms up. Only the stopwatch, which
// is one of the calls in most languages, is read before. It prints exactly ROUNDS lines "cost" for each
// name that the runtime has. It writes them at the end, or in large blocks.
//
// steps reads blocks of 1000 values back to back, without the stopwatch, after a warm-up. It keeps the
// values of a block as the call returns them, and converts them to nanoseconds afterwards. It ends when
// it has seen MOST steps, or when MOST_NS have passed. What passes between two blocks is no step. It
// skips a name whose value is not a time or has no number: loop, call, localtime and toISOString.
//
// threads is of Java, .NET, C, C++, Rust and Go. For each name, COUNT threads wait at a barrier. One stopwatch
// times all of them. They call from their common release until SPAN_NS later, and look at the stopwatch
// every 50 us. So the throughput is the sum of CALLS divided by the time that passed, also with more
// threads than CPUs. A thread that does not run before the deadline reports 0 calls.
//
// version is of .NET, of which several versions may be installed: it prints the version that runs.
//
// In the path of a mark, a character of the name is replaced by "_" unless it is an ASCII letter, a
// digit, or one of "._-". In every mode, a name that the runtime lacks prints one line "missing NAME
// REASON", and nothing else. Besides the calls there are two names: "loop", a turn of the loop without
// a call, and "call", a call of an empty function of the language. With wrong arguments the exit status
// is 2.
package programs

import _ "embed"

// The programs. The class is what JDK 17 makes of Bench.java with javac --release 8 -g:none -encoding UTF-8. It runs on
// Java 8 and later. The assembly is what mcs of Mono 6.8 makes of Bench.cs, which refers to an assembly of
// System.Runtime.Extensions.cs. It runs on .NET Core 3.1 and later, as its configuration says.
var (
	//go:embed source/Bench.class
	JavaClass []byte
	//go:embed source/bench.py
	Python string
	//go:embed source/bench.js
	JavaScript string // for Node, Bun and Deno
	//go:embed source/Bench.dll
	DotnetAssembly []byte
	//go:embed source/Bench.runtimeconfig.json
	DotnetConfig []byte
	//go:embed source/bench.ps1
	PowerShell string // for Windows PowerShell and PowerShell 7
	//go:embed source/bench.rb
	Ruby string
	//go:embed source/bench.php
	PHP string
	//go:embed source/bench.pl
	Perl string
	//go:embed source/bench.lua
	Lua string // for Lua and LuaJIT
	//go:embed source/bench.c
	C string // for glibc and musl
	//go:embed source/bench.cpp
	CPlusPlus string
	//go:embed source/bench.rs
	Rust string
)
