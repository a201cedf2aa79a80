package host

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"golang.org/x/sys/unix"
)

func TestParseRecord(t *testing.T) {
	sequence, m, ok := parseRecord("30,2900,123456789012,c;systemd[1]: clocksource\n SUBSYSTEM=acpi\n")
	require.True(t, ok)
	require.EqualValues(t, 2900, sequence)
	require.True(t, m.Program)
	require.Equal(t, "systemd[1]: clocksource", m.Text, "without the lines that describe the device")
	for _, text := range []string{"", ";", "\n", "6,0,0,- no text", "6,0,0;text", "x,0,0,-;t", "6,,0,-;t", "6,0,-1,-;t", "\x00\xff;\x00"} {
		_, _, ok := parseRecord(text)
		require.False(t, ok, text)
	}
}

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
	const first, second, late, program = "6,0,0,-;one\n", "6,1,1,-;two\n", "6,70,1,-;late\n", "14,0,0,-;a program's\n"
	for name, c := range map[string]struct {
		read  func([]byte) (int, error)
		texts []string
		whole bool
	}{
		"from the boot on":       {reads(first, second), []string{"one", "two"}, true},
		"the boot is gone":       {reads(late), []string{"late"}, false},
		"lost while reading":     {reads(first, unix.EPIPE, late), []string{"one", "late"}, false},
		"interrupted":            {reads(unix.EINTR, first), []string{"one"}, true},
		"a program wrote first":  {reads(program, second), []string{"two"}, true},
		"nonsense between":       {reads(first, "?", second), []string{"one", "two"}, true},
		"the file ends":          {reads(first, "", second), []string{"one"}, true},
		"fails on the way":       {reads(first, unix.EINVAL, second), []string{"one"}, false},
		"nothing there":          {reads(), nil, true},
		"only programs' records": {reads(program), nil, true},
	} {
		messages, whole, err := readRecords(c.read)
		require.NoError(t, err, name)
		require.Equal(t, c.whole, whole, name)
		var texts []string
		for _, m := range messages {
			texts = append(texts, m.Text)
		}
		require.Equal(t, c.texts, texts, name)
	}
	_, _, err := readRecords(reads(unix.EPERM))
	require.ErrorIs(t, err, unix.EPERM)
	calls := 0
	_, _, err = readRecords(func([]byte) (int, error) { calls++; return -1, unix.EPIPE })
	require.NoError(t, err, "a log that is always overwritten")
	require.Equal(t, maxRecords, calls)
}

func TestParseLogTakesTheLastBoot(t *testing.T) {
	messages, whole := parseLog("[    0.000000] Linux version 1\n[    1.000000] old\n[    0.000000] Linux version 2\r\n[    2.000000] new")
	require.True(t, whole)
	require.Equal(t, []string{"[    0.000000] Linux version 2", "[    2.000000] new"}, []string{messages[0].Stamp + " " + messages[0].Text, messages[1].Stamp + " " + messages[1].Text})
	messages, whole = parseLog("cut\n[    1.000000] the boot is gone\n")
	require.False(t, whole)
	require.Len(t, messages, 1)
	messages, whole = parseLog("Dec  3 09:00:12 db1 app: Linux version 3\n")
	require.False(t, whole)
	require.Empty(t, messages)
}

func FuzzParseRecord(f *testing.F) {
	f.Add("6,160,424069,-,caller=T1;tsc: x\n SUBSYSTEM=acpi\n")
	f.Add("6,0,18446744073709551615,-;\x1b")
	f.Add("6,18446744073709551616,5516,-;x")
	f.Fuzz(func(t *testing.T, text string) {
		_, m, ok := parseRecord(text)
		if !ok {
			return
		}
		require.NotContains(t, m.Text, "\n")
		require.Contains(t, text, ";"+m.Text)
		again, _ := parseLog(m.Stamp + " x")
		require.Len(t, again, 1)
		require.Equal(t, m.Stamp, again[0].Stamp, "the time is as dmesg prints it")
	})
}

func FuzzParseLog(f *testing.F) {
	f.Add("<6>[    0.000000] Linux version 6.1\n<6>[    0.1] tsc: \x00\n")
	f.Add("Dec  3 09:00:12 db1 kernel: [    0.000000] Linux version 6.1\r\n")
	f.Add("[ 1.1][ T1] x kernel: \n<")
	f.Fuzz(func(t *testing.T, text string) {
		messages, whole := parseLog(text)
		require.True(t, !whole || len(messages) > 0)
		for _, m := range messages {
			require.Contains(t, text, m.Text)
			require.NotContains(t, m.Text, "\n")
		}
		for _, line := range clockLines(messages) {
			require.Equal(t, line, kernellog.Shown(line))
			require.LessOrEqual(t, len([]rune(line)), 300)
		}
	})
}

func TestReadEndOfALog(t *testing.T) {
	root := t.TempDir()
	writeFile(t, root, "var/log/dmesg", []byte(strings.Repeat("[    1.000000] tsc: x\n", maxLog/21)+"[    9.000000] tsc: y\n"))
	messages, whole, err := readLogFile(root, "var/log/dmesg")
	require.NoError(t, err)
	require.False(t, whole)
	require.Less(t, len(messages), maxLog/21)
	require.Equal(t, "tsc: y", messages[len(messages)-1].Text)
	_, _, err = readLogFile(root, "var/log")
	require.EqualError(t, err, "not a regular file")
	_, _, err = readLogFile(root, "var/log/none")
	require.Equal(t, unix.ENOENT, err)
}
