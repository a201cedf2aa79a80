package runtimes

import (
	"os"
)

// Command is the command of timebench that runs the benchmark of Go: it calls programs.GoMain.
const Command = "go-benchmark"

// golang is timebench itself, which is written in Go: no compiler is needed, and the version is that
// which compiled timebench.
var golang = Runtime{
	Name: "go", Threads: true,
	Build: func(build) ([]string, error) {
		self, err := os.Executable()
		return []string{self, Command}, err
	},
	Calls: []Call{{"time.Now", wall}, {"time.Since", monotonic}},
}
