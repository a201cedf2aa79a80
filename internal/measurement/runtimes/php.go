package runtimes

import "github.com/timebench/timebench/internal/measurement/runtimes/programs"

// php runs without an ini file (-n).
var php = Runtime{
	Name: "php", Programs: []string{"php"}, Version: []string{"-n", "--version"},
	Build: script("bench.php", programs.PHP, "-n", "-f"),
	Calls: []Call{
		{"time", wall},
		{"microtime(true)", wall},
		{"hrtime(true)", monotonic},
		{"new DateTimeImmutable", wall},
	},
}
