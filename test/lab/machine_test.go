//go:build lab && linux

package lab

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// longest is the max time that a machine may run, from its start to the end of its script.
const longest = 9 * time.Minute

// bootTime is the max time until the first program of a machine starts. QEMU with many CPUs on two sometimes stops
// then, in the kernel.
const bootTime = 2 * time.Minute

var errNoInit = errors.New("the kernel did not come to its first program")

// A machine prints the output of its commands between these lines; after the second it is done.
const (
	begin = "### begin"
	over  = "### over"
)

// ran is the output of a command in a machine, and how the command ended.
type ran struct {
	stdout, stderr string
	status         int
}

// outputs are the results of `run NAME COMMAND...` by name; "dmesg" is the kernel's log.
type outputs map[string]ran

// ok returns the result of a command, which must have succeeded.
func (said outputs) ok(t testing.TB, name string) ran {
	t.Helper()
	require.Zero(t, said[name].status, "%s: %s\n%s", name, said[name].stdout, said[name].stderr)
	return said[name]
}

// text returns what a command printed, without spaces around it.
func (said outputs) text(name string) string { return strings.TrimSpace(said[name].stdout) }

// run boots the machine, has it run a shell script, and ends it.
func (w world) run(t testing.TB, script string) outputs {
	t.Helper()
	here := t.TempDir()
	emulator := need.Program(t, w.emulator)
	require.NoError(t, os.Symlink(parts(t, w.arch), filepath.Join(here, "parts")))
	require.NoError(t, os.WriteFile(filepath.Join(here, "initrd"), root(t, w.arch, script), 0o600))
	started := time.Now()
	host := func(line string, emulator *os.Process) {
		if w.host != nil {
			w.host(t, here, line, emulator)
		}
	}
	start := func() (string, error) {
		limited, cancel := context.WithTimeout(t.Context(), longest)
		defer cancel()
		return boot(limited, here, emulator, w.machine, host)
	}
	console, err := start()
	if errors.Is(err, errNoInit) {
		t.Logf("%s: %v; once more", w.name, err)
		console, err = start()
	}
	require.NoError(t, err, "%s said:\n%s", w.name, console)
	t.Logf("%s ran for %.1f s", w.name, time.Since(started).Seconds())
	said, err := unpack(console)
	require.NoError(t, err, "%s said:\n%s", w.name, console)
	return said
}

// boot runs an emulator until its machine is done, and returns the output of the console. host gets each line, with the
// emulator's process, which has always ended afterwards, and never outlives this one.
func boot(ctx context.Context, here, emulator string, machine []string,
	host func(line string, emulator *os.Process)) (string, error) {
	// Pdeathsig is sent when the thread that started the process ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ctx, end := context.WithCancel(ctx)
	defer end()
	var stderr strings.Builder
	qemu := exec.CommandContext(ctx, emulator, machine...)
	qemu.Args = append(qemu.Args, "-accel", "tcg", "-no-reboot", "-display", "none", "-monitor", "none", "-serial",
		"stdio")
	qemu.Dir, qemu.Stderr, qemu.SysProcAttr = here, &stderr, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdout, err := qemu.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := qemu.Start(); err != nil {
		return "", err
	}
	var console strings.Builder
	booting := time.AfterFunc(bootTime, end)
	defer booting.Stop()
	lines, booted, done := bufio.NewScanner(stdout), false, false
	for !done && lines.Scan() {
		console.WriteString(lines.Text() + "\n")
		if host != nil {
			host(lines.Text(), qemu.Process)
		}
		if strings.Contains(lines.Text(), " as init process") {
			booted = true
			booting.Stop()
		}
		done = strings.Contains(lines.Text(), over)
	}
	late := ctx.Err()
	end()
	ended := qemu.Wait()
	if !booted && errors.Is(late, context.Canceled) { // by the timer
		return console.String(), errNoInit
	}
	if !done {
		return console.String(), fmt.Errorf("the machine ended before its script did: %w\n%s",
			errors.Join(late, lines.Err(), ended), &stderr)
	}
	return console.String(), nil
}

// stamp matches the time stamp of the kernel before a line of its log.
var stamp = regexp.MustCompile(`(?m)^\[ *\d+\.\d+\] `)

// unpack returns the output of the commands from a console's text: base64 of a compressed tar, with a folder for each
// command.
func unpack(console string) (outputs, error) {
	console = stamp.ReplaceAllString(strings.ReplaceAll(console, "\r", ""), "")
	_, packed, begun := strings.Cut(console, begin+"\n")
	packed, _, ended := strings.Cut(packed, over+"\n")
	if !begun || !ended {
		return nil, fmt.Errorf("no line %q before a line %q", begin, over)
	}
	// Decoding skips the ends of lines.
	compressed, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	if err != nil {
		return nil, err
	}
	said := outputs{}
	for files := tar.NewReader(compressed); ; {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			return said, nil
		}
		if err != nil {
			return nil, err
		}
		if file.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(files)
		if err != nil {
			return nil, err
		}
		name := filepath.Base(filepath.Dir(file.Name))
		one := said[name]
		switch filepath.Base(file.Name) {
		case "stdout":
			one.stdout = string(content)
		case "stderr":
			one.stderr = string(content)
		case "status":
			one.status, err = strconv.Atoi(strings.TrimSpace(string(content)))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name, err)
		}
		said[name] = one
	}
}
