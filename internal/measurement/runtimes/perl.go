package runtimes

import "github.com/timebench/timebench/internal/measurement/runtimes/programs"

var perl = Runtime{
	Name: "perl", Programs: []string{"perl"}, Version: []string{"--version"},
	Build: script("bench.pl", programs.Perl),
	Calls: []Call{
		{"time", wall},
		{"Time::HiRes::time", wall},
		{"Time::HiRes::clock_gettime(CLOCK_MONOTONIC)", monotonic},
		{"localtime", wall},
	},
}
