package clocksource

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// nobody is the id of a user without privileges; most systems name the user nobody.
const nobody = 65534

// asNobody runs fn without root's permission to open every file: on a thread with the file system
// id of another user, setfsuid(2), which ends with fn.
func asNobody(fn func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		_ = unix.Setfsuid(nobody)
		done <- fn()
	}()
	return <-done
}

// The kernel accepts a name that it cannot use without an error, and shows another one. The file
// with the name of a thread does the same: it cuts the name after 15 characters.
func TestPutIsAnErrorWhereTheKernelStays(t *testing.T) {
	const comm = "/proc/self/comm"
	before, err := os.ReadFile(comm)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.WriteFile(comm, before, 0)) })
	folder := fake(t, "tsc", "longer-than-fifteen")
	require.NoError(t, os.Remove(folder.path(current)))
	require.NoError(t, os.Symlink(comm, folder.path(current)))
	require.ErrorContains(t, folder.put("longer-than-fifteen", 20*time.Millisecond),
		"the kernel did not switch to clock source longer-than-fifteen and still uses longer-than-fif")
}

func TestRestore(t *testing.T) {
	folder := machine(t)
	path := folder.path(current)
	folder.remember("tsc")
	restored := make(chan error)
	refuse(t, folder)
	go func() { restored <- folder.restore("tsc", usualTimeouts) }()
	time.Sleep(10 * pause)
	set(t, folder, current, "hpet\n")
	require.NoError(t, <-restored, "it tries again")
	require.Equal(t, "tsc", content(t, folder))
	requireNoRecord(t, folder)

	folder.remember("tsc")
	refuse(t, folder)
	require.EqualError(t, folder.restore("tsc", shortTimeouts), "clock source tsc could not be restored: write "+path+
		": invalid argument; the clock source is now 0; to restore it: echo tsc | sudo tee "+path)
	require.FileExists(t, folder.record())
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o755))
	require.ErrorContains(t, folder.restore("tsc", shortTimeouts),
		"the clock source is now unknown (it cannot be read); to restore it: echo tsc | sudo tee ")
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"tsc hpet acpi_pm \n", "tsc\n", "", "\x00", "tsc\u0085hpet", strings.Repeat("x", 32)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		names, err := parse(text)
		if err != nil {
			require.Empty(t, names)
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.NotEmpty(t, names)
		for _, name := range names {
			require.NotEmpty(t, name)
			require.LessOrEqual(t, len(name), 31)
			require.Regexp(t, "^[!-~]+$", name)
		}
		same, err := parse([]byte(strings.Join(names, " ") + "\n"))
		require.NoError(t, err)
		require.Equal(t, names, same)
	})
}
