package runtimes

import "github.com/timebench/timebench/internal/measurement/runtimes/programs"

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
		{"datetime.now", wall},
	},
}
