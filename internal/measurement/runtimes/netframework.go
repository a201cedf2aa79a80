package runtimes

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/measurement/runtimes/programs"
)

// netFramework is the .NET Framework of Windows, or Mono. Its assembly is that of dotnet: a program, which Windows starts by
// itself. The framework is in no PATH; where its compiler is, it is. Like dotnet it has no Version.
var netFramework = Runtime{
	Name: "netframework", Programs: []string{"mono", `C:\Windows\Microsoft.NET\Framework64\v4.0.30319\csc.exe`},
	Threads: true, WarmUp: 150 * time.Millisecond,
	Build: func(b build) ([]string, error) {
		assembly := filepath.Join(b.folder, "Bench.exe")
		command := []string{assembly}
		if !strings.EqualFold(filepath.Base(b.path), "csc.exe") {
			command = []string{b.path, assembly}
		}
		return command, os.WriteFile(assembly, programs.DotnetAssembly, 0o700)
	},
	Calls: []Call{
		{"DateTime.UtcNow", wall},
		{"DateTime.Now", wall},
		{"DateTimeOffset.UtcNow", wall},
		{"Stopwatch.GetTimestamp", monotonic},
	},
}
