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

// A list has libraries, with the origin of the list.
type list struct {
	origin    string
	libraries []string
}

// lists returns the lists of libraries of an environment and of a text of [File].
func lists(environment []string, text string) []list {
	all := []list{{File, listed(text)}}
	for _, entry := range environment {
		if text, ok := strings.CutPrefix(entry, Variable+"="); ok {
			return append(all, list{Variable, listed(text)})
		}
	}
	return all
}

// Here returns the libraries that stand in for the clock in programs with this environment, each with its origin. A
// library without a folder, which the dynamic linker searches for, is not found.
func Here(environment []string) (all []string) {
	text, _ := procfile.Read(File) // it is missing on most machines
	for _, list := range lists(environment, string(text)) {
		for _, library := range list.libraries {
			if strings.Contains(library, "/") && definesClock(library) {
				all = append(all, library+" ("+list.origin+")")
			}
		}
	}
	return all
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
	mappings, err := p.Mappings()
	if err != nil {
		debuglog.Printf("preload", "%v", err)
		return nil
	}
	var all []string
	for _, list := range lists(strings.Split(p.Read("environ"), "\x00"), p.Read("root"+File)) {
		for _, name := range list.libraries {
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
