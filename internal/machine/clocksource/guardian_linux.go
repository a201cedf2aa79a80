package clocksource

import (
	"encoding/json"
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

// The messages of the measuring process on the pipe, one byte each; the last one counts.
const (
	switching = 's' // from now on the original must be restored
	settled   = 'd' // no longer: it is restored, or is gone and the kernel has selected another one
)

// ready is the answer of the guardian, a line of JSON: the clock source that it would restore, or
// why it cannot.
type ready struct {
	Original string `json:"original"`
	Error    string `json:"error"`
}

// Guard runs a guardian. It reads the clock source in use, reports on out that it is ready, and
// waits for the end of in. Then it restores what it read, if the process at the other end has
// announced a switch and has not reported that it is done. An error has the clock source in use
// now, and the command that restores the original. Guard ignores the signals that end a process
// from here on.
func Guard(in io.Reader, out io.Writer, folder Folder) error {
	// The kernel itself drops the stop signals of a terminal (SIGTSTP ...) for a process group
	// whose parent is in another session (get_signal in kernel/signal.c). SIGPIPE is for a
	// standard error that nobody reads any more.
	signal.Ignore(unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGPIPE,
		unix.SIGALRM, unix.SIGUSR1, unix.SIGUSR2)
	detach()
	return guard(in, out, folder, usualTimeouts)
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

func guard(in io.Reader, out io.Writer, folder Folder, p timeouts) error {
	original, err := folder.Current()
	if err != nil {
		return json.NewEncoder(out).Encode(ready{Error: err.Error()})
	}
	debuglog.Printf("guardian", "process %d guards %s", os.Getpid(), original)
	if err := json.NewEncoder(out).Encode(ready{Original: original}); err != nil {
		return err
	}
	if last(in) != switching {
		debuglog.Printf("guardian", "nothing to restore")
		return nil
	}
	err = folder.restore(original, p)
	// Not earlier: the reader of standard error may be slow.
	if err == nil {
		debuglog.Printf("guardian", "the measuring process did not restore %s; the guardian did", original)
	}
	return err
}

// last returns the last byte of a stream, whatever ended it; 0 if it was empty.
func last(in io.Reader) (b byte) {
	buffer := make([]byte, 64)
	for {
		n, err := in.Read(buffer)
		if n > 0 {
			b = buffer[n-1]
		}
		if err != nil {
			return b
		}
	}
}
