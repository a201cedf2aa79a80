package preload

import (
	"path"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/instrument/symbols"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/procfile"
)

var functions = []string{"clock_gettime", "clock_gettime64", "gettimeofday", "time", "timespec_get", "ftime"}

// InFile returns the libraries that /etc/ld.so.preload lists and that stand in for the clock.
func InFile() []string {
	text, err := procfile.Read(File)
	if err != nil {
		return nil
	}
	return standingIn(listed(string(text)))
}

// InEnvironment returns the libraries that LD_PRELOAD lists in an environment and that stand in for the clock. A
// library without a folder, which the dynamic linker searches for, is not found.
func InEnvironment(environment []string) []string { return standingIn(inEnvironment(environment)) }

func inEnvironment(environment []string) []string {
	for _, entry := range environment {
		if list, ok := strings.CutPrefix(entry, Variable+"="); ok {
			return listed(list)
		}
	}
	return nil
}

func standingIn(libraries []string) []string {
	return slices.DeleteFunc(libraries, func(library string) bool {
		return !strings.Contains(library, "/") || !definesClock(library)
	})
}

func definesClock(library string) bool {
	file, err := procfile.Open(library)
	if err != nil {
		debuglog.Printf("preload", "%v", err)
		return false
	}
	defer func() { _ = file.Close() }()
	defines, err := symbols.Defines(file, functions)
	if err != nil {
		debuglog.Printf("preload", "%s: %v", library, err)
	}
	return defines
}

// Into returns the libraries that were preloaded into a running process and stand in for the clock, each with its
// origin. They are mapped, and are listed in /etc/ld.so.preload, or in LD_PRELOAD of the environment with which the
// program was started. Reading the environment of another user's process needs permission to trace it.
func Into(p *symbols.Process) []string {
	lists := []struct {
		origin string
		names  []string
	}{
		{Variable, inEnvironment(strings.Split(p.Read("environ"), "\x00"))},
		{File, listed(p.Read("root" + File))},
	}
	mappings, err := p.Mappings()
	if err != nil {
		debuglog.Printf("preload", "%v", err)
		return nil
	}
	var all []string
	for _, list := range lists {
		for _, name := range list.names {
			// The path of a mapping has no symbolic links, so libfaketime.so.1 may be libfaketime.so.1.0 there: by the
			// name before ".so".
			library := stem(name)
			i := slices.IndexFunc(mappings, func(m symbols.Mapping) bool { return stem(m.Path) == library })
			if i < 0 {
				continue
			}
			mapping := mappings[i]
			text := mapping.Path + " (" + list.origin + ")"
			if !slices.Contains(all, text) && p.Defines(mapping, functions) {
				all = append(all, text)
			}
		}
	}
	return all
}

func stem(library string) string {
	name, _, _ := strings.Cut(path.Base(library), ".so")
	return name
}
