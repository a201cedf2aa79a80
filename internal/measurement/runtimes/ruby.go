package runtimes

import "github.com/timebench/timebench/internal/measurement/runtimes/programs"

// ruby runs without RubyGems, which would read files of the user.
var ruby = Runtime{
	Name: "ruby", Programs: []string{"ruby"}, Version: []string{"--version"},
	Build: script("bench.rb", programs.Ruby, "--disable-gems"),
	Calls: []Call{
		{"Time.now", wall},
		{"Process.clock_gettime(CLOCK_REALTIME)", wall},
		{"Process.clock_gettime(CLOCK_MONOTONIC)", monotonic},
	},
}
