package clocksource

import (
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

type timeouts struct {
	ready   time.Duration // until the guardian reports that it is ready
	settle  time.Duration // from a write until the kernel shows it
	restore time.Duration // all attempts to restore the original
}

var usualTimeouts = timeouts{ready: 5 * time.Second, settle: 2 * time.Second, restore: 10 * time.Second}

// switching is what the measuring process writes to the pipe before it switches.
const switching = 's'

// Guard runs a guardian. It writes a line end to out when it is ready, and waits for the end of in. Then it restores the
// original, if the process at the other end has announced a switch. An error has the clock source in use now, and the command
// that restores the original. Guard ignores the signals that end a process from here on.
func Guard(in io.Reader, out io.Writer, folder Folder, original string) error {
	// The kernel itself drops the stop signals of a terminal (SIGTSTP ...) for a process group
	// whose parent is in another session (get_signal in kernel/signal.c). SIGPIPE is for a
	// standard error that nobody reads any more.
	signal.Ignore(unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGPIPE,
		unix.SIGALRM, unix.SIGUSR1, unix.SIGUSR2)
	detach()
	debuglog.Printf("guardian", "process %d guards %s", os.Getpid(), original)
	return guard(in, out, folder, original, usualTimeouts)
}

// detach protects the guardian from what is meant for the measuring process: killall(1) and
// pkill(1), which match the name, and the out-of-memory killer. It ignores what is refused.
func detach() {
	for _, file := range []struct{ path, text string }{
		// The name of the first thread. PR_SET_NAME works only on the calling thread.
		{"/proc/self/comm", GuardianName},
		// OOM_SCORE_ADJ_MIN, which also exempts it if a control group is killed as a whole.
		{"/proc/self/oom_score_adj", "-1000"},
	} {
		if err := os.WriteFile(file.path, []byte(file.text), 0); err != nil {
			debuglog.Printf("guardian", "%v", err)
		}
	}
}

func guard(in io.Reader, out io.Writer, folder Folder, original string, t timeouts) error {
	if _, err := io.WriteString(out, "\n"); err != nil {
		return err
	}
	if announced, _ := io.Copy(io.Discard, in); announced == 0 {
		return nil
	}
	err := folder.restore(original, t)
	// Not earlier: the reader of standard error may be slow.
	if err == nil {
		debuglog.Printf("guardian", "the measuring process did not restore %s; the guardian did", original)
	}
	return err
}
