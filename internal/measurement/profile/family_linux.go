package profile

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// withChildren returns processes and those that they started, that these started, and so on, as far as they live. A process
// whose parent ended is the child of init or of a subreaper (prctl(2)). This process is none of them.
func withChildren(pids []int) []int {
	children := map[int][]int{}
	for _, pid := range pidsIn("/proc") {
		process, err := procfs.NewProc(pid)
		if err != nil {
			continue
		}
		if stat, err := process.Stat(); err == nil && pid != os.Getpid() {
			children[stat.PPID] = append(children[stat.PPID], pid)
		}
	}
	var all []int
	seen := map[int]bool{}
	for next := slices.Clone(pids); len(next) > 0; next = next[1:] {
		if pid := next[0]; !seen[pid] {
			seen[pid] = true
			all = append(all, pid)
			next = append(next, children[pid]...)
		}
	}
	return all
}

// lives returns whether a process has a thread that has not ended. One that is hidden may live.
func lives(pid int) bool {
	state, err := stateOf(pid)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ESRCH)
	}
	return state != "Z" || len(threadsOf(pid)) > 1
}

// anyLives returns whether one of the wanted processes lives, or one was started since the last call.
func (t *tally) anyLives() bool {
	if t.started || t.alive != 0 && lives(t.alive) {
		t.started = false
		return true
	}
	t.alive = 0
	for pid, wanted := range t.wanted {
		switch {
		case !wanted || t.gone[pid]:
		case lives(pid):
			t.alive = pid
			return true
		case t.gone == nil:
			t.gone = map[int]bool{pid: true}
		default:
			t.gone[pid] = true // a build starts thousands
		}
	}
	return false
}

// An ending notices that all processes of a profile have ended.
type ending struct {
	tally *tally
	// turns is how many times none was alive, one after the other, and at the time of the first of these since the profile
	// began.
	turns int
	at    time.Duration
}

// endedTurns is how many times the rings are read after no process was alive. One of them may have started another before: its
// record is counted with the turn after, or with the second if it came shortly before.
const endedTurns = 2

// over reports whether all processes have ended. It is called before the rings are read, each time.
func (e *ending) over(elapsed time.Duration) bool {
	if e.tally.anyLives() {
		e.turns = 0
		return false
	}
	if e.turns++; e.turns == 1 {
		e.at = elapsed
	}
	return e.turns > endedTurns
}
