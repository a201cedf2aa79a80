package runtimes

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A Runtime is an entry of the catalogue: how to find a language runtime, query its version and run the benchmark in
// it, and the calls to measure.
type Runtime struct {
	// Name is what users type, and the path in the ids of the calls: java.
	Name string
	// Programs are the names of the program in PATH, or its path; the first that prints its version is used.
	Programs []string
	// Version are the arguments with which the program prints its version. Without them the benchmark
	// prints it, in the mode version.
	Version []string
	// Build writes the benchmark into the folder of a build. It returns the command line, to which the
	// arguments of the benchmark are appended.
	Build func(b build) ([]string, error)
	// Calls are the calls, in the order of the document.
	Calls []Call
	// Sleeps are the ways to sleep, spelt as in the manual of the language.
	Sleeps []string
	// Threads is whether the benchmark can call from several threads.
	Threads bool
	// WarmUp is how long each start warms up its calls, for the estimate.
	WarmUp time.Duration
	// TimedBy is the kind of the clock that times the benchmark; empty for a monotonic clock.
	TimedBy string
	// Slice is the span between two readings of the stopwatch if usualSlice is too short for it; otherwise 0.
	Slice time.Duration
}

// A build is the input of Runtime.Build.
type build struct {
	// path is the program of the runtime, and folder is where its benchmark belongs.
	path, folder string
	// run runs a command, such as a compiler, in the environment of the benchmark.
	run func(command ...string) error
}

// A Call is a call of a runtime that returns the time.
type Call struct {
	// Name is the call, spelt as in the manual of the language.
	Name string
	// Kind is wall, monotonic or cpu time.
	Kind string
}

// All is the catalogue, in the order of the document.
var All = []Runtime{
	java, python, node, bun, deno, dotnet, netFramework, pwsh, powershell, ruby, php, perl, lua, luajit,
	c, musl, cpp, rust, golang,
}

// Named returns the runtime with that name.
func Named(name string) (Runtime, bool) {
	i := slices.IndexFunc(All, func(r Runtime) bool { return r.Name == name })
	if i < 0 {
		return Runtime{}, false
	}
	return All[i], true
}

// Names returns the names of the catalogue.
func Names() []string { return namesOf(func(Runtime) bool { return true }) }

// WithThreads returns the names of the runtimes whose benchmark can call from several threads.
func WithThreads() []string { return namesOf(func(r Runtime) bool { return r.Threads }) }

// InPath returns the names of the runtimes whose program is in PATH.
func InPath() []string {
	return namesOf(func(r Runtime) bool {
		paths, err := r.find("")
		return len(paths) > 0 && err == nil
	})
}

// namesOf returns the names of some runtimes of the catalogue.
func namesOf(has func(Runtime) bool) (names []string) {
	for _, r := range All {
		if has(r) {
			names = append(names, r.Name)
		}
	}
	return names
}

// script returns the Build of an interpreter: it runs the source with these arguments before the
// name of the file.
func script(file, source string, arguments ...string) func(build) ([]string, error) {
	return func(b build) ([]string, error) {
		name := filepath.Join(b.folder, file)
		if err := os.WriteFile(name, []byte(source), 0o600); err != nil {
			return nil, err
		}
		return append(append([]string{b.path}, arguments...), name), nil
	}
}

// compiled returns the Build of a compiler: it compiles the source to a program.
func compiled(file, source string, arguments ...string) func(build) ([]string, error) {
	return func(b build) ([]string, error) {
		name, binary := filepath.Join(b.folder, file), filepath.Join(b.folder, "bench.exe")
		if err := os.WriteFile(name, []byte(source), 0o600); err != nil {
			return nil, err
		}
		if err := b.run(append([]string{b.path, "-o", binary, name}, arguments...)...); err != nil {
			return nil, err
		}
		return []string{binary}, nil
	}
}
