package clocksource

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// shortTimeouts are for steps that fail.
var shortTimeouts = timeouts{ready: usualTimeouts.ready, settle: 20 * time.Millisecond, restore: 60 * time.Millisecond}

func TestGuardianSaysWhatItWouldRestore(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, guard(strings.NewReader(""), &out, machine(t), usualTimeouts))
	require.JSONEq(t, `{"original":"tsc","error":""}`, out.String())
}

// What the clock source is after the pipe has closed, by what the measuring process said and left. A guardian writes no line
// end. A new case is a row.
func TestGuardianRestoresWhatMayBeSwitched(t *testing.T) {
	for _, test := range []struct{ said, left, want string }{
		{"sds", "hpet\n", "tsc"},
		// Killed between the announcement and the switch, or the kernel did not use the name: the override stays.
		{"s", "tsc\n", "tsc"},
		{"s", "", "tsc"}, {"s", "\x00\x00", "tsc"}, {"s", "hp et", "tsc"},
		// Another program selected it.
		{"", "hpet\n", "hpet\n"}, {"d", "hpet\n", "hpet\n"}, {"sd", "hpet\n", "hpet\n"}, {"ssssd", "hpet\n", "hpet\n"},
	} {
		for _, end := range []error{io.EOF, errors.New("input/output error")} {
			folder := machine(t)
			in := io.MultiReader(strings.NewReader(test.said), atEnd(func() { set(t, folder, current, test.left) }), iotest.ErrReader(end))
			require.NoError(t, guard(in, io.Discard, folder, usualTimeouts))
			require.Equal(t, test.want, content(t, folder), "%+v, %v", test, end)
		}
	}
}

// atEnd is an empty reader that calls a function when it is read.
type atEnd func()

func (fn atEnd) Read([]byte) (int, error) {
	fn()
	return 0, io.EOF
}

// abandoned returns the error of a guardian whose measuring process was killed after a switch.
func abandoned(folder Folder, p timeouts, killed func()) error {
	return guard(io.MultiReader(strings.NewReader("s"), atEnd(killed)), io.Discard, folder, p)
}

func TestGuardianIsNotReadyWithoutAnOriginal(t *testing.T) {
	for _, text := range []string{"", "garbage garbage", "\x01"} {
		folder := machine(t)
		set(t, folder, current, text)
		var out bytes.Buffer
		require.NoError(t, guard(strings.NewReader("s"), &out, folder, usualTimeouts))
		require.Contains(t, out.String(), `"original":"","error":"`+folder.path(current))
		require.Equal(t, text, content(t, folder))
	}
}

func TestGuardianEndsWhereNoOneHearsThatItIsReady(t *testing.T) {
	read, write, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, read.Close())
	defer func() { _ = write.Close() }()
	folder := machine(t)
	require.ErrorContains(t, guard(strings.NewReader("s"), write, folder, usualTimeouts), "broken pipe")
	require.Equal(t, "tsc\n", content(t, folder))
}

func TestGuardianTriesAgain(t *testing.T) {
	folder := machine(t)
	done := make(chan error)
	left, refused := make(chan bool), make(chan bool)
	go func() { done <- abandoned(folder, usualTimeouts, func() { close(left); <-refused }) }()
	<-left
	refuse(t, folder)
	close(refused)
	time.Sleep(10 * pause)
	set(t, folder, current, "hpet\n")
	require.NoError(t, <-done)
	require.Equal(t, "tsc", content(t, folder))
}

func TestGuardianThatFailsSaysWhatIsLeftAndWhatToType(t *testing.T) {
	folder := machine(t)
	path := folder.path(current)
	require.EqualError(t, abandoned(folder, shortTimeouts, func() { refuse(t, folder) }), "clock source tsc could not be restored: write "+path+
		": invalid argument; the clock source is now 0; to restore it: echo tsc | sudo tee "+path)

	folder = machine(t)
	require.ErrorContains(t, abandoned(folder, shortTimeouts, func() {
		require.NoError(t, os.Remove(folder.path(current)))
		require.NoError(t, os.Mkdir(folder.path(current), 0o755))
	}), "the clock source is now unknown (it cannot be read); to restore it: echo tsc | sudo tee ")
}

// Waiting does not bring it back, and the kernel would not select acpi_pm.
func TestGuardianHasTheKernelChooseWhereTheOriginalIsWithdrawn(t *testing.T) {
	folder := machine(t)
	kernel(t, folder)
	require.EqualError(t, abandoned(folder, timeouts{settle: time.Minute, restore: time.Hour}, func() {
		set(t, folder, current, "acpi_pm\n")
		set(t, folder, available, "hpet acpi_pm\n")
	}), withdrawnTSC)
	require.Equal(t, "hpet\n", content(t, folder))
}

func TestGuardianThatCannotHaveTheKernelChooseSaysWhatToType(t *testing.T) {
	folder := machine(t)
	path := folder.path(current)
	require.ErrorContains(t, abandoned(folder, shortTimeouts, func() {
		set(t, folder, available, "hpet acpi_pm\n")
		refuse(t, folder)
	}), "letting it select another one failed: write "+path+
		": invalid argument; to do so: echo | sudo tee "+path)
	folder = machine(t)
	err := abandoned(folder, shortTimeouts, func() { set(t, folder, available, "hpet acpi_pm\n") })
	require.ErrorContains(t, err, "has no name of a clock source", "no kernel answers")
	require.Equal(t, "\n", content(t, folder), "one empty line, in one write")
}

func FuzzGuard(f *testing.F) {
	for _, said := range []string{"", "s", "sd", "sds", "x", strings.Repeat("s", 65)} {
		f.Add([]byte(said))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		folder := machine(t)
		in := io.MultiReader(bytes.NewReader(said), atEnd(func() { set(t, folder, current, "hpet\n") }))
		require.NoError(t, guard(in, io.Discard, folder, usualTimeouts))
		want := "hpet\n"
		if bytes.HasSuffix(said, []byte{switching}) {
			want = "tsc"
		}
		require.Equal(t, want, content(t, folder))
	})
}

// A kill by the name timebench does not reach the guardian.
func TestGuardianStandsApart(t *testing.T) {
	folder := machine(t)
	s := holding(t, folder, usualTimeouts)
	of := func(file string) string {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.guardian.Process.Pid, file))
		require.NoError(t, err)
		return string(text)
	}
	require.Equal(t, GuardianName+"\n", of("comm"))
	require.LessOrEqual(t, len(GuardianName), 15, "TASK_COMM_LEN")
	require.True(t, strings.HasPrefix(of("cmdline"), GuardianName+"\x00"), of("cmdline"))
	require.NotContains(t, GuardianName, "timebench", "pkill finds a part of a name")
	// Root has CAP_SYS_RESOURCE on most machines, but not in every container. The machines of the
	// lab have it.
	if score := of("oom_score_adj"); score != "-1000\n" {
		need.Missing(t, "CAP_SYS_RESOURCE", "oom_score_adj of the guardian is "+strings.TrimSpace(score))
	}
	own, err := os.ReadFile("/proc/self/oom_score_adj")
	require.NoError(t, err)
	require.NotEqual(t, "-1000\n", string(own), "the measuring process is to be killed first")
}
