//go:build lab && linux

package lab

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
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

// outputs are the results of `run NAME COMMAND...` by name. The first program of the machine adds its clock sources at
// the end, "available" and "current", and the kernel's log, "dmesg".
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
	if strings.Contains(w.value("-append"), "tsc=reliable") && !slices.Contains(w.machine, "-icount") { // which has its own rate
		w = w.boots(rightRate())
	}
	here := t.TempDir()
	require.NoError(t, os.Symlink(parts(t, w.arch), filepath.Join(here, "parts")))
	require.NoError(t, os.WriteFile(filepath.Join(here, "initrd"), root(t, w.arch, script), 0o600))
	started := time.Now()
	console, err := w.boot(t, here)
	if errors.Is(err, errNoInit) {
		t.Logf("%s: %v; once more", w.name, err)
		console, err = w.boot(t, here)
	}
	require.NoError(t, err, "%s said:\n%s", w.name, console)
	t.Logf("%s ran for %.1f s", w.name, time.Since(started).Seconds())
	return unpack(t, console)
}

// boot runs the emulator in a folder until its machine is done, and returns the output of the console. The emulator has
// ended afterwards, and never outlives this process.
func (w world) boot(t testing.TB, here string) (string, error) {
	// Pdeathsig is sent when the thread that started the process ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ctx, end := context.WithTimeout(t.Context(), longest)
	defer end()
	var console, stderr strings.Builder
	qemu := exec.CommandContext(ctx, need.Program(t, w.emulator), w.machine...)
	qemu.Args = append(qemu.Args, "-accel", "tcg", "-no-reboot", "-display", "none", "-monitor", "none", "-serial", "stdio")
	qemu.Dir, qemu.Stderr, qemu.SysProcAttr = here, &stderr, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdout, err := qemu.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, qemu.Start())
	booting := time.AfterFunc(bootTime, end)
	lines, booted, done := bufio.NewScanner(stdout), false, false
	for !done && lines.Scan() {
		line := lines.Text()
		console.WriteString(line + "\n")
		if w.host != nil {
			w.host(t, here, line, qemu.Process)
		}
		booted = booted || strings.Contains(line, " as init process") && booting.Stop()
		done = strings.Contains(line, over)
	}
	late := ctx.Err()
	end()
	ended := qemu.Wait()
	switch {
	case done:
		return console.String(), nil
	case !booted && errors.Is(late, context.Canceled): // by the timer
		return console.String(), errNoInit
	}
	return console.String(), fmt.Errorf("the machine ended before its script did: %w\n%s",
		errors.Join(late, lines.Err(), ended), &stderr)
}

// stamp matches the time stamp of the kernel before a line of its log.
var stamp = regexp.MustCompile(`(?m)^\[ *\d+\.\d+\] `)

// unpack returns the output of the commands from a console's text: base64 of a compressed tar, with a folder for each
// command.
func unpack(t testing.TB, console string) outputs {
	t.Helper()
	text := stamp.ReplaceAllString(strings.ReplaceAll(console, "\r", ""), "")
	_, packed, _ := strings.Cut(text, begin+"\n")
	packed, _, ended := strings.Cut(packed, over+"\n")
	require.True(t, ended, "no line %q before a line %q in:\n%s", begin, over, console)
	folder := t.TempDir()
	tar := exec.Command("tar", "-xz", "-C", folder)
	tar.Stdin = base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)) // skips the ends of lines
	need.Output(t, tar)
	commands, err := os.ReadDir(folder)
	require.NoError(t, err)
	said := outputs{}
	for _, command := range commands {
		file := func(name string) string { return string(content(t, filepath.Join(folder, command.Name(), name))) }
		status, err := strconv.Atoi(strings.TrimSpace(file("status")))
		require.NoError(t, err, command.Name())
		said[command.Name()] = ran{file("stdout"), file("stderr"), status}
	}
	return said
}

func content(t testing.TB, path string) []byte {
	t.Helper()
	read, err := os.ReadFile(path)
	require.NoError(t, err)
	return read
}
