package runtimes

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/instrument/ptrace"
	"github.com/timebench/timebench/internal/instrument/symbols"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/procfile"
	"github.com/timebench/timebench/internal/system/program"
)

// versionLimits are the limits of a program that prints its version, and buildLimits are the limits of a compiler.
var (
	versionLimits = program.Limits{Time: 10 * time.Second, OutputBytes: 64 << 10}
	buildLimits   = program.Limits{Time: time.Minute, OutputBytes: 1 << 20}
)

// prepare finds the runtimes, asks their versions and writes their benchmarks.
func (r *runner) prepare() {
	number := map[string]int{}
	for _, selected := range r.settings.Runtimes {
		s := &subject{
			Runtime: selected.Runtime,
			levels:  map[string][]float64{}, minima: map[string][]float64{},
			lateNS: map[way][][]float64{}, waits: map[way][]ptrace.Wait{},
		}
		number[s.Name]++
		s.entry = MeasuredRuntime{Name: s.Name, TimedBy: s.TimedBy, Calls: []MeasuredCall{}}
		if n := number[s.Name]; n > 1 {
			s.entry.Name += "-" + strconv.Itoa(n)
		}
		r.subjects = append(r.subjects, s)
		err := r.ctx.Err()
		if len(r.settings.Spans) > 0 {
			s.Calls, s.WarmUp = nil, 0
			if len(s.Sleeps) == 0 {
				err = errors.New("no call of it that sleeps is known")
			}
		}
		if err == nil {
			err = r.ready(s, selected.Path)
			r.advance(prepareTime)
		}
		if err != nil {
			if r.ctx.Err() == nil { // otherwise it is interrupted, as is all that is not complete
				s.entry.Reason = err.Error()
			}
			s.command = nil
			continue
		}
		for _, c := range s.Calls {
			s.entry.Calls = append(s.entry.Calls, MeasuredCall{ID: c.Name + "@" + s.entry.Name, Call: c.Name,
				Kind: c.Kind})
		}
	}
}

// ready sets the path, the version and the command of a runtime.
func (r *runner) ready(s *subject, path string) error {
	paths, err := s.find(path)
	if err != nil {
		return err
	}
	if err := r.choose(s, paths); err != nil {
		return err
	}
	folder := filepath.Join(r.folder, strconv.Itoa(len(r.subjects)))
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	s.command, err = s.Build(build{s.entry.Path, folder, func(command ...string) error {
		_, err := program.Run(r.ctx, r.start(command), buildLimits)
		return err
	}})
	if err != nil {
		return fmt.Errorf("its benchmark could not be built: %w", err)
	}
	if len(s.Version) == 0 {
		if err := r.setVersion(s, append(slices.Clone(s.command), "version")); err != nil {
			return err
		}
	}
	s.entry.Libc = r.libc(s.command[0])
	return nil
}

// notInPath begins the reason of a runtime without a program in PATH.
const notInPath = "not found in PATH: "

// find returns the programs of a runtime: the program at path, or the programs in PATH, in the order of their names.
// The runtime go is timebench itself, without a path.
func (r Runtime) find(path string) ([]string, error) {
	if path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return nil, err
		}
		found, err = filepath.Abs(found) // the benchmark runs in a folder of its own
		return []string{found}, err
	}
	var paths []string
	var relative error
	for _, name := range r.Programs {
		found, err := exec.LookPath(name)
		if err == nil {
			paths = append(paths, found)
		} else if errors.Is(err, exec.ErrDot) {
			path, _ := filepath.Abs(found)
			relative = fmt.Errorf("%s is in a relative folder of PATH; use --runtime %s=%s", name, r.Name, path)
		}
	}
	if len(paths) == 0 && relative != nil {
		return nil, relative
	}
	if len(paths) == 0 && len(r.Programs) > 0 {
		return nil, errors.New(notInPath + strings.Join(r.Programs, ", "))
	}
	return paths, nil
}

// choose sets the path of a runtime to the first program that prints its version, and sets the version. The python3.exe
// of Windows only prints where to get Python. If no program prints a version, choose returns the error of the first
// program.
func (r *runner) choose(s *subject, paths []string) error {
	if len(paths) > 0 {
		s.entry.Path = paths[0]
	}
	if len(s.Version) == 0 {
		return nil
	}
	var first error
	for _, path := range paths {
		err := r.setVersion(s, append([]string{path}, s.Version...))
		if err == nil {
			s.entry.Path = path
			return nil
		}
		debuglog.Printf("runtimes", "%s: %v; trying the next program of %s", path, err, s.Name)
		first = cmp.Or(first, err)
	}
	return first
}

// setVersion sets the version of a runtime to the line that a command prints.
func (r *runner) setVersion(s *subject, command []string) error {
	if len(s.Programs) == 0 {
		s.entry.Version = goruntime.Version()
		return nil
	}
	text, err := r.ask(command)
	if err != nil {
		return fmt.Errorf("its version could not be asked for: %w", err)
	}
	if s.entry.Version = versionLine(text); s.entry.Version == "" {
		return fmt.Errorf("it does not print a version: %.80q", text)
	}
	return nil
}

// ask returns what a program prints, to either output.
func (r *runner) ask(command []string) (string, error) {
	limits := versionLimits
	limits.Together = true // some print their version to standard error
	text, err := program.Run(r.ctx, r.start(command), limits)
	return string(text), err
}

// versionLine returns the first line with a digit that is not a warning. Perl begins with an empty line, and a JVM with
// its warnings.
func versionLine(text string) string {
	for line := range strings.Lines(text) {
		line := program.Line(line)
		if strings.ContainsAny(line, "0123456789") && !strings.Contains(strings.ToLower(line), "warning") {
			return line
		}
	}
	return ""
}

// noLibc is the Libc of a static program.
const noLibc = "none"

// libc returns the C library of a program, with its version if its loader prints it. It is empty if the file is not an
// ELF program, such as a script that starts the runtime.
func (r *runner) libc(path string) string {
	loader, err := loaderOf(path)
	if err != nil {
		debuglog.Printf("runtimes", "the loader of %s: %v; its C library is unknown", path, err)
		return ""
	}
	if loader == "" {
		return noLibc
	}
	for _, of := range []struct{ prefix, name string }{{"ld-musl", "musl"}, {"ld-linux", "glibc"}, {"ld64", "glibc"}} {
		if strings.HasPrefix(filepath.Base(loader), of.prefix) {
			// The loader of musl prints its version as an error.
			text, _ := r.ask([]string{loader, "--version"})
			return strings.TrimSpace(of.name + " " + libcVersion.FindString(text))
		}
	}
	return ""
}

// libcVersion is the version in the output of a loader: "ld.so (Debian GLIBC 2.36-9+deb12u14) stable release version
// 2.36." or "Version 1.2.3".
var libcVersion = regexp.MustCompile(`\b\d+\.\d+(\.\d+)?\b`)

// loaderOf returns the path of the loader that an ELF program asks for; empty if it is static.
func loaderOf(path string) (string, error) {
	file, err := procfile.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	return symbols.Interpreter(file)
}
