// Package programs contains the benchmarks that timebench runs in other languages, as sources, and the benchmark of Go.
// Each is one short file in the folder source. They are loops, and decide nothing: the package runtimes warms up the
// calls, chooses the numbers of calls, and evaluates the times.
//
// A program reads commands from its standard input, a line each, until it ends. It answers each with a line on its
// standard output. The fields of a command are separated by tabs: a verb, the name of a call, and whole numbers. An
// answer is numbers, separated by spaces. If the runtime lacks the call, the answer is "missing" and the reason.
//
//	run NAME N SLICES             makes N calls, SLICES times
//	    NS...                     the time that each slice took
//	steps NAME BLOCKS MOST        reads BLOCKS blocks of 1000 values
//	    NS... REPEATS             the first MOST differences of consecutive values that are not 0; the number of values
//	                              that equal the value before
//	mark NAME TIMES NUMBER        makes a stat of /timebench-mark/NUMBER and one call, TIMES times; then a stat of
//	                              /timebench-mark/end, all on one thread
//	                              an empty line
//	threads NAME N COUNT SPAN_NS  calls from COUNT threads
//	    CALLS... PASSED_NS        the calls of each thread; the time from the release to the end of the last thread
//	sleep NAME N SPAN_NS          sleeps N times for a span, by a way to sleep instead of a call
//	    LATE_NS...                how late each sleep ended, after its begin and the span; negative if it was early
//
// Besides the calls there are two names: "loop", a turn of the loop without a call, and "call", a call of an empty
// function of the language.
//
// run reads the monotonic clock of the language before and after a slice. No compiler may remove the calls.
//
// steps reads a block back to back. It keeps the values as the call returns them, and converts them to nanoseconds
// afterwards. The time between two blocks is no step. A call whose value is not a time, or has no number, is missing
// here: loop, call, localtime and toISOString.
//
// sleep reads the monotonic clock of the language before and after each sleep. A way that takes whole milliseconds gets
// the next one.
//
// threads is of Java, .NET, C, C++, Rust and Go. COUNT threads wait at a barrier. One stopwatch times all of them. They
// call from their common release until SPAN_NS later, and read the stopwatch after every N calls. So the throughput is
// the sum of CALLS divided by the time that passed, also with more threads than CPUs. A thread that does not run before
// the deadline reports 0 calls.
//
// The program of .NET prints the version that runs if it is started with an argument: several may be installed.
package programs

import _ "embed"

// The programs. JDK 17 compiles the class from Bench.java with javac --release 8 -g:none -encoding UTF-8. It runs on
// Java 8 and later. mcs of Mono 6.8 compiles the assembly from Bench.cs, which refers to an assembly of
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
