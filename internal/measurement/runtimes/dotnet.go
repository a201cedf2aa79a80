package runtimes

import (
	"os"
	"path/filepath"
	"time"

	"github.com/timebench/timebench/internal/measurement/runtimes/programs"
)

// dotnet runs an assembly, because a runtime without an SDK cannot compile a source file. It has no Version:
// several versions may be installed, and dotnet selects one of them when it starts a program.
var dotnet = Runtime{
	Name: "dotnet", Programs: []string{"dotnet"}, Threads: true, WarmUp: 150 * time.Millisecond,
	Build: func(b build) ([]string, error) {
		assembly := filepath.Join(b.folder, "Bench.dll")
		if err := os.WriteFile(assembly, programs.DotnetAssembly, 0o600); err != nil {
			return nil, err
		}
		return []string{b.path, "exec", assembly}, os.WriteFile(filepath.Join(b.folder, "Bench.runtimeconfig.json"), programs.DotnetConfig, 0o600)
	},
	Calls: []Call{
		{"DateTime.UtcNow", wall},
		{"DateTime.Now", wall},
		{"DateTimeOffset.UtcNow", wall},
		{"Stopwatch.GetTimestamp", monotonic},
		{"Environment.TickCount64", monotonic},
	},
}
