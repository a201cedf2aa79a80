package runtimes

import "github.com/timebench/timebench/internal/measurement/runtimes/programs"

var rust = Runtime{
	Name: "rust", Programs: []string{"rustc"}, Version: []string{"--version"}, Threads: true,
	Build: compiled("bench.rs", programs.Rust, "-O"),
	Calls: []Call{{"SystemTime::now", wall}, {"Instant::now", monotonic}},
}
