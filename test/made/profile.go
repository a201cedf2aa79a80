package made

import (
	"fmt"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/profile"
)

// Profile returns a profile with this number of programs that read clocks, as under a slow clock
// source, and others.
func Profile(programs int) *profile.Profile {
	s := &profile.Profile{
		DurationNS: 5e9, RateHz: 997, Scope: profile.Machine, SeesKernel: true, ListsThreads: programs%2 == 0,
		LostSamples: 12, CPUs: 8, KernelEntry: result.Always,
		ReadNS: 1180, SyscallNS: 1250, UserModeNS: 24.5, Processes: []profile.Process{},
		Unseen:  []string{"2 of 8 CPUs: too many open files; the limit is 64 (ulimit -n), and 80 are needed"},
		Unnamed: "reading the symbols of all programs takes more than 10s",
	}
	names := []string{"postgres", "java", "node", "python3", "redis-server", "a program with a long name"}
	for i := range programs {
		share := 0.9 / float64(i+1)
		p := profile.Process{
			PID: 800 + i, Command: names[i%len(names)], Cgroup: fmt.Sprintf("/system.slice/docker-%064x.scope",
				0xabcdef+i),
			Samples: 4000 / (i + 1), CPUsUsed: 1.6 / float64(i+1),
			ClockShare: &share, ClockShareLow: share * 0.97, ClockShareHigh: min(1, share*1.03),
			ClockCPUs: share * 1.6 / float64(i+1),
			UserShare: 0.1 * share, KernelShare: 0.7 * share, SyscallShare: 0.2 * share, ReadsPerSecond: 1.2e6 / float64(i+1),
			Threads: []profile.Thread{{TID: 800 + i, Name: "main", Samples: 2000 / (i + 1),
				ClockSamples: 1000 / (i + 1)}},
			Callers: []profile.Caller{
				{Functions: []string{"clock_gettime (libc.so.6)", "os::javaTimeMillis (libjvm.so)",
					"Reader.main (JIT)"},
					Samples: 2000 / (i + 1)},
				{Functions: []string{"example.org/server/internal/clock.Now (server)"}, Samples: 500 / (i + 1)},
			},
		}
		if i == 1 { // without a figure
			p.ClockShare, p.ClockShareHigh, p.ReadsPerSecond = nil, 1, 0
			p.Reason = "its memory map could not be read: that needs CAP_SYS_PTRACE, or the same user"
		}
		s.Processes = append(s.Processes, p)
		s.Samples += p.Samples
		s.CPUsUsed += p.CPUsUsed
		s.ClockCPUs += p.ClockCPUs
	}
	if programs > 2 { // as of a build
		s.Processes[2].ProcessCount = 300
	}
	none := 0.0
	s.Processes = append(s.Processes, profile.Process{PID: 2, Command: "kthreadd", Samples: 10, CPUsUsed: 0.002,
		ClockShare: &none, ClockShareHigh: 0.28})
	s.Samples += 10
	s.ClockCPUsUserMode = s.ClockCPUs * 0.02
	return s
}
