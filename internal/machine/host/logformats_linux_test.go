package host

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"golang.org/x/sys/unix"
)

// reads returns a read that gives one string or error after another, then EAGAIN.
func reads(results ...any) func([]byte) (int, error) {
	return func(buffer []byte) (int, error) {
		if len(results) == 0 {
			return -1, unix.EAGAIN
		}
		next := results[0]
		results = results[1:]
		if err, ok := next.(error); ok {
			return -1, err
		}
		return copy(buffer, next.(string)), nil
	}
}

func TestReadRecords(t *testing.T) {
	const first, second, late, program = "6,0,0,-;one\n SUBSYSTEM=acpi\n", "6,1,1,-;two\n", "6,70,1,-;late\n", "14,0,0,-;a program's\n"
	for name, c := range map[string]struct {
		read  func([]byte) (int, error)
		texts string
		lost  bool
	}{
		"all":                    {reads(first, second), "one, two", false},
		"lost while reading":     {reads(first, unix.EPIPE, late), "one, late", true},
		"interrupted":            {reads(unix.EINTR, first), "one", false},
		"a program wrote first":  {reads(program, second), "two", false},
		"nonsense between":       {reads(first, "?", "x,0,0", "6,0,-1,-;t", "\x00\xff;\x00", second), "one, two", false},
		"the file ends":          {reads(first, "", second), "one", false},
		"fails on the way":       {reads(first, unix.EINVAL, second), "one", true},
		"nothing there":          {reads(), "", false},
		"only programs' records": {reads(program), "", false},
	} {
		var texts []string
		lost, err := readRecords(c.read, func(line string) { texts = append(texts, kernellog.Split(line).Text) })
		require.NoError(t, err, name)
		require.Equal(t, c.lost, lost, name)
		require.Equal(t, c.texts, strings.Join(texts, ", "), name)
	}
	none := func(line string) { require.Fail(t, "added", line) }
	_, err := readRecords(reads(unix.EPERM), none)
	require.ErrorIs(t, err, unix.EPERM)
	calls := 0
	_, err = readRecords(func([]byte) (int, error) { calls++; return -1, unix.EPIPE }, none)
	require.NoError(t, err, "a log that is always overwritten")
	require.Equal(t, maxRecords, calls)
}

// The last boot counts, and a line that a program wrote does not.
func TestLastBootOfALogFile(t *testing.T) {
	for text, want := range map[string]*result.KernelLog{
		"[    0.000000] Linux version 1\n[    1.000000] tsc: old\n[    0.000000] Linux version 2\r\n[    2.000000] tsc: new":               {Lines: []string{"[    2.000000] tsc: new"}},
		"Dec  3 09:00:12 db1 kernel: Linux version 1\nDec  3 09:00:12 db1 kernel: tsc: old\nDec  3 09:00:12 db1 kernel: Linux version 2\n": {},
		"cut\n[    1.000000] tsc: the boot is gone\n": {Lines: []string{"[    1.000000] tsc: the boot is gone"}, Truncated: true},
	} {
		want.Source = "/var/log/messages"
		require.Equal(t, want, At(rooted(t, map[string]string{"var/log/messages": text})).KernelLog, text)
	}
	require.NotEmpty(t, At(rooted(t, map[string]string{"var/log/messages": "Dec  3 09:00:12 db1 app: Linux version 3\n"})).KernelLog.Reason)
}

func FuzzKernelLog(f *testing.F) {
	f.Add("<6>[    0.000000] Linux version 6.1\n<6>[    0.1] tsc: \x00\n")
	f.Add("Dec  3 09:00:12 db1 kernel: [    0.000000] Linux version 6.1\r\n")
	f.Add("[ 1.1][ T1] x kernel: \n<")
	f.Add("6,160,424069,-,caller=T1;tsc: x\n SUBSYSTEM=acpi\n")
	f.Add("6,18446744073709551616,18446744073709551615,-;\x1b")
	f.Fuzz(func(t *testing.T, text string) {
		found := kernellog.LastBoot{KernelOnly: true}
		_, err := readRecords(reads(text), found.Add)
		require.NoError(t, err)
		addKernelLines(text, found.Add)
		found.Finish()
		require.LessOrEqual(t, len(found.Lines), kernellog.MaxLines)
		for _, line := range found.Lines {
			require.Equal(t, line, kernellog.Shown(line))
		}
	})
}

func TestReadEndOfALog(t *testing.T) {
	root := t.TempDir()
	writeFile(t, root, "var/log/dmesg", []byte(strings.Repeat("[    1.000000] tsc: x\n", maxLog/21)+"[    9.000000] tsc: y\n"))
	var lines []string
	add := func(line string) { lines = append(lines, line) }
	require.NoError(t, readLogFile(root, "var/log/dmesg", add))
	require.Less(t, len(lines), maxLog/21)
	require.Equal(t, "[    9.000000] tsc: y\n", lines[len(lines)-1])
	require.EqualError(t, readLogFile(root, "var/log", add), "not a regular file")
	require.Equal(t, unix.ENOENT, readLogFile(root, "var/log/none", add))
}
