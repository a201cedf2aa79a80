package clocksource

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/timebench/timebench/internal/show/printable"
	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

type timeouts struct {
	ready   time.Duration // until the guardian is ready, and until it answers beyond the time of its task
	settle  time.Duration // from a write until the kernel shows it
	restore time.Duration // all attempts to restore the original
}

var usualTimeouts = timeouts{ready: 10 * time.Second, settle: 2 * time.Second, restore: 10 * time.Second}

// Guard is the role of a guardian. Its arguments are the folder, the original clock source, and whether it is switched
// already.
//
// It writes an answer when it is ready. Each line of its input is the name of a clock source: it switches to it, and
// answers. At the end of the input it restores the original, if anything was switched, and answers. An answer is an
// error, or empty. If the last answer cannot be written, it is the error of Guard.
//
// Guard ignores the signals that end a process.
func Guard(args []string) error {
	const arguments = 3
	if len(args) != arguments {
		return errors.New("a guardian needs a folder, a clock source, and whether it is switched")
	}
	// The kernel itself drops the stop signals of a terminal (SIGTSTP ...) for a process group whose parent is in
	// another session (get_signal in kernel/signal.c). SIGPIPE comes from a standard output or error without a reader.
	signal.Ignore(unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGPIPE,
		unix.SIGALRM, unix.SIGUSR1, unix.SIGUSR2)
	detach()
	unix.Umask(0o022) // doctor reads the record, and needs no root
	debuglog.Printf("guardian", "process %d guards %s", os.Getpid(), args[1])
	return guard(os.Stdin, os.Stdout, Folder(args[0]), args[1], args[2] == "true", usualTimeouts)
}

// detach protects the guardian from what is meant for the measuring process: killall(1) and pkill(1), which match the
// name, and the out-of-memory killer. It ignores refusals.
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

func guard(in io.Reader, out io.Writer, folder Folder, original string, switched bool, t timeouts) error {
	answer := func(err error) error {
		text := ""
		if err != nil {
			text = printable.OneLine(err.Error())
		}
		_, unread := fmt.Fprintln(out, text)
		return unread
	}
	if err := answer(nil); err != nil && !switched {
		return err
	}
	// After the first switch the guardian prints answers only: the reader of standard error may be slow.
	for requests := bufio.NewScanner(in); requests.Scan(); {
		if !switched {
			folder.remember(original)
		}
		// The original is written at the end, even if it is still in use: a name that the kernel did not switch to
		// stays its override, which it may use later.
		switched = true
		_ = answer(folder.put(requests.Text(), t.settle)) // without a reader the input ends too
	}
	var err error
	if switched {
		err = folder.restore(original, t)
	}
	if answer(err) != nil {
		debuglog.Printf("guardian", "the measuring process ended before clock source %s was restored", original)
		return err
	}
	return nil
}
