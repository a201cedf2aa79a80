package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
)

// refusable are the clocks that a kernel always has as a system call. Without the key refused_calls, the reason why
// they cannot be read shows a refusal.
var refusable = []string{"CLOCK_MONOTONIC@syscall", "CLOCK_REALTIME@syscall", "gettimeofday@syscall"}

func refusedCalls(s *situation.Situation) *result.Finding {
	var evidence []string
	filter := false
	for _, c := range s.Host.RefusedCalls {
		evidence = append(evidence, fmt.Sprintf("%s fails with %s", c.Call, c.Errno))
		filter = filter || c.Seccomp
	}
	if evidence == nil && s.OnLinux() {
		for _, c := range s.Clocks {
			if !c.Available && slices.Contains(refusable, c.ID) && strings.Contains(c.Reason, "operation not permitted") {
				evidence = append(evidence, c.ID+": "+c.Reason)
			}
		}
	}
	if evidence == nil {
		return nil
	}
	finding := &result.Finding{
		Title:    "system calls of clocks are refused",
		Evidence: evidence,
		Cause: "A seccomp filter refuses them: the filter of a container engine, of a sandbox, or of a service. Reads through the vDSO still work, but programs that make the system calls fail: " +
			"programs without a vDSO, 32-bit programs, and programs that read the CPU time. If an old libseccomp does not know clock_gettime64, the filter answers it with EPERM in place of ENOSYS. A 32-bit C library then does not fall back to the older call: time is 1970, or the program ends.",
		Remedies: remedy.For(s, "newer-engine", "allow-calls"),
		Links:    []string{"https://docs.docker.com/engine/security/seccomp/", "https://github.com/docker/for-win/issues/8326", "https://man7.org/linux/man-pages/man2/seccomp.2.html"},
	}
	if filter {
		finding.Evidence = append(finding.Evidence, "/proc/self/status: a seccomp filter is installed")
	}
	return finding
}
