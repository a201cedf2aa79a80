package readers

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/measurement/sections"
)

// rate is the number of samples of timebench and of perf in a second of CPU time.
const rate = 997

// profiled returns the entry of a process, with its share, by the timebench of that path.
func profiled(path string, pid int, seconds float64) (*profile.Process, error) {
	out, err := exec.Command(path, "profile", strconv.Itoa(pid), "--duration", decimal(seconds)+"s", "--rate",
		strconv.Itoa(rate), "--format", "json").Output()
	if err != nil {
		return nil, failed(err)
	}
	document, err := sections.Read(bytes.NewReader(out))
	if err != nil {
		return nil, err
	}
	for _, p := range profile.Of(document).Processes {
		if p.PID == pid && p.ClockShare != nil {
			return &p, nil
		}
	}
	return nil, fmt.Errorf("the profile has no share of process %d", pid)
}

// failed adds the output of the program to the error.
func failed(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}

// Samples are the shares of the samples that perf took of a process.
type Samples struct {
	Count int
	// VDSO is the share whose first user address is in the vDSO, with the kernel's part.
	VDSO float64
	// Syscall is the share anywhere in a system call from outside the vDSO: the kernel's function of a clock, the
	// entry, the exit, and the function that contains the instruction.
	Syscall float64
}

// Perf samples a process by the software CPU clock of perf.
func Perf(t testing.TB, perf string, pid int, seconds float64) (Samples, error) {
	t.Helper()
	data := filepath.Join(t.TempDir(), "perf.data")
	record := exec.Command(perf, "record", "-q", "-e", "cpu-clock", "-F", strconv.Itoa(rate), "-g", "-o", data,
		"-p", strconv.Itoa(pid), "--", "sleep", decimal(seconds))
	if out, err := record.CombinedOutput(); err != nil {
		return Samples{}, fmt.Errorf("perf record: %w: %s", err, out)
	}
	out, err := exec.Command(perf, "script", "-i", data, "-F", "ip,sym,dso").Output()
	if err != nil {
		return Samples{}, fmt.Errorf("perf script: %w", failed(err))
	}
	return ParseScript(string(out)), nil
}

// ParseScript counts the samples in the output of `perf script -F ip,sym,dso`, a call chain each.
func ParseScript(script string) Samples {
	var count, vdso, syscall int
	for sample := range strings.SplitSeq(script, "\n\n") {
		var kernel, user []string
		for line := range strings.Lines(sample) {
			line = strings.TrimSpace(line)
			switch {
			case line == "":
			case len(line) > 16 && strings.HasPrefix(line, "ffff") && line[16] == ' ':
				kernel = append(kernel, line)
			default:
				user = append(user, line)
			}
		}
		if len(kernel)+len(user) == 0 {
			continue
		}
		count++
		switch {
		case len(user) > 0 && strings.Contains(user[0], "[vdso]"):
			vdso++
		case contains(kernel, "sys_clock_gettime", "sys_gettimeofday", "sys_time (", "do_syscall_64", "entry_SYSCALL_64",
			"syscall_return", "el0_svc", "invoke_syscall"):
			syscall++
		case len(kernel) == 0 && contains(user[:1], " syscall (", " syscall+", " system_call (", " system_call+",
			" system_call_gettimeofday (", " system_call_time (", "RawSyscall6", "runtime/syscall"):
			syscall++
		}
	}
	if count == 0 {
		return Samples{}
	}
	share := func(n int) float64 { return float64(n) / float64(count) }
	return Samples{Count: count, VDSO: share(vdso), Syscall: share(syscall)}
}

// contains returns whether any line has any of the names.
func contains(lines []string, names ...string) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(line, name) })
	})
}
