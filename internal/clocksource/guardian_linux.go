package clocksource

import (
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/timebench/timebench/internal/trace"
	"golang.org/x/sys/unix"
)

// patience is how long the steps may take.
type patience struct {
	ready   time.Duration // until the guardian has said that it is
	settle  time.Duration // from a write until the kernel shows it
	restore time.Duration // all tries of putting the original back
}

var usual = patience{ready: 5 * time.Second, settle: 2 * time.Second, restore: 10 * time.Second}

// What the measuring process says on the pipe, a byte each; the last one counts.
const (
	switching = 's' // from now on the original must be put back
	settled   = 'd' // no longer: it is back, or cannot come back and the kernel has chosen
)

// ready is how the guardian answers when it is ready, as a line of JSON: with the
// clock source that it would restore, or with why it cannot.
type ready struct {
	Original string `json:"original"`
	Error    string `json:"error"`
}

// Guard is the life of a guardian: it reads the clock source in use, says on out that
// it is ready, waits for the end of in and then restores what it read, if the
// process at the other end said that it would switch and not that it is done. An
// error says which clock source the machine is left with, and what restores the
// original. The signals that end a process are ignored from here on.
func Guard(in io.Reader, out io.Writer, folder Folder) error {
	// Those by which a terminal stops a process (SIGTSTP ...) the kernel drops for a
	// process group whose parent is in another session (get_signal in kernel/signal.c).
	// SIGPIPE is for a standard error that no one reads any more.
	signal.Ignore(unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGPIPE,
		unix.SIGALRM, unix.SIGUSR1, unix.SIGUSR2)
	standApart()
	return guard(in, out, folder, usual)
}

// standApart keeps the guardian from what is meant for the measuring process: killall(1)
// and pkill(1), which go by the name, and the kernel's out-of-memory killer. What is
// refused is gone without.
func standApart() {
	for _, file := range []struct{ path, text string }{
		// This is the first thread's name, as PR_SET_NAME is on that thread alone.
		{"/proc/self/comm", GuardianName},
		// OOM_SCORE_ADJ_MIN, which exempts it also where a control group is killed as a whole.
		{"/proc/self/oom_score_adj", "-1000"},
	} {
		if err := os.WriteFile(file.path, []byte(file.text), 0); err != nil {
			trace.Printf("guardian", "%v", err)
		}
	}
}

func guard(in io.Reader, out io.Writer, folder Folder, p patience) error {
	original, err := folder.Current()
	if err != nil {
		return json.NewEncoder(out).Encode(ready{Error: err.Error()})
	}
	trace.Printf("guardian", "process %d holds %s", os.Getpid(), original)
	if err := json.NewEncoder(out).Encode(ready{Original: original}); err != nil {
		return err
	}
	if last(in) != switching {
		trace.Printf("guardian", "nothing to restore")
		return nil
	}
	err = folder.restore(original, p)
	// Not before: whoever reads standard error may be slow.
	if err == nil {
		trace.Printf("guardian", "the measuring process did not restore %s; the guardian did", original)
	}
	return err
}

// last returns the last byte before the end of a stream, whatever ended it; 0 where
// there was none.
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
