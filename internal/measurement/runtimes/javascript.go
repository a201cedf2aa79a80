package runtimes

import (
	"os"
	"path/filepath"
	"time"

	"github.com/timebench/timebench/internal/measurement/runtimes/programs"
)

// scriptCalls are the calls that all runtimes of JavaScript have.
var scriptCalls = []Call{
	{"Date.now", wall},
	{"new Date", wall},
	{"performance.now", monotonic},
	{"process.hrtime.bigint", monotonic},
	{"toISOString", wall},
}

// javascript returns the Build of a runtime of JavaScript. The package.json beside the program ends the search
// for one in the folders above, which anybody may write to.
func javascript(arguments ...string) func(build) ([]string, error) {
	return func(b build) ([]string, error) {
		if err := os.WriteFile(filepath.Join(b.folder, "package.json"), []byte("{}"), 0o600); err != nil {
			return nil, err
		}
		return script("bench.js", programs.JavaScript, arguments...)(b)
	}
}

// withoutConfig is the Build of Bun, which reads a bunfig.toml of the user otherwise.
func withoutConfig(b build) ([]string, error) {
	config := filepath.Join(b.folder, "bunfig.toml")
	if err := os.WriteFile(config, nil, 0o600); err != nil {
		return nil, err
	}
	return javascript("--config="+config, "run")(b)
}

// node and bun have process.uptime too.
var (
	node = Runtime{
		Name: "node", Programs: []string{"node", "nodejs"}, Version: []string{"--version"}, WarmUp: 30 * time.Millisecond,
		Build: javascript(),
		Calls: append(scriptCalls[:len(scriptCalls):len(scriptCalls)], Call{"process.uptime", monotonic}),
	}
	bun = Runtime{
		Name: "bun", Programs: []string{"bun"}, Version: []string{"--version"}, WarmUp: 30 * time.Millisecond,
		Build: withoutConfig,
		Calls: append(scriptCalls[:len(scriptCalls):len(scriptCalls)], Call{"process.uptime", monotonic}),
	}
	// deno may read files only: the marks of the benchmark are names of files.
	deno = Runtime{
		Name: "deno", Programs: []string{"deno"}, Version: []string{"--version"}, WarmUp: 30 * time.Millisecond,
		Build: javascript("run", "--no-config", "--allow-read", "--no-prompt"),
		Calls: scriptCalls,
	}
)
