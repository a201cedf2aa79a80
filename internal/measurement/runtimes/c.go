package runtimes

import "github.com/timebench/timebench/internal/measurement/runtimes/programs"

// cCalls are the calls of C, through the C library and not directly to the vDSO.
var cCalls = []Call{
	{"clock_gettime(CLOCK_REALTIME)", wall},
	{"clock_gettime(CLOCK_MONOTONIC)", monotonic},
	{"clock_gettime(CLOCK_MONOTONIC_COARSE)", monotonic},
	{"gettimeofday", wall},
	{"time", wall},
	{"clock", cpuTime},
}

// c is the C library of the system, musl that of musl-gcc, each with the same program.
var (
	c = Runtime{
		Name: "c", Programs: []string{"cc", "gcc", "clang"}, Version: []string{"--version"}, Threads: true,
		Build: compiled("bench.c", programs.C, "-O2", "-pthread"), Calls: cCalls,
	}
	musl = Runtime{
		Name: "musl", Programs: []string{"musl-gcc"}, Version: []string{"--version"}, Threads: true,
		Build: compiled("bench.c", programs.C, "-O2", "-pthread"), Calls: cCalls,
	}
	cpp = Runtime{
		Name: "c++", Programs: []string{"c++", "g++", "clang++"}, Version: []string{"--version"}, Threads: true,
		Build: compiled("bench.cpp", programs.CPlusPlus, "-std=c++11", "-O2", "-pthread"),
		Calls: []Call{
			{"std::chrono::system_clock::now", wall},
			{"std::chrono::steady_clock::now", monotonic},
			{"std::chrono::high_resolution_clock::now", wall},
		},
	}
)
