package runtimes

import "github.com/timebench/timebench/internal/measurement/runtimes/programs"

// python runs isolated (-I) and without the module site (-S), whose files the user may have changed. It writes no
// compiled modules (-B).
var python = Runtime{
	Name: "python3", Programs: append([]string{"python3", "python"}, pythonLauncher...), Version: []string{"--version"},
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
