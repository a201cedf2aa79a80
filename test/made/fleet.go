package made

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// rounds is the number of rounds of a default run of 17 clocks.
const rounds = 77

var fleetCosts = []struct {
	id string
	ns float64
}{
	{"CLOCK_REALTIME@vdso", 21.7}, {"CLOCK_MONOTONIC@vdso", 21.7}, {"CLOCK_MONOTONIC_RAW@vdso", 21.9},
	{"CLOCK_REALTIME_COARSE@vdso", 2.98},
	{"CLOCK_MONOTONIC_COARSE@vdso", 2.98}, {"CLOCK_BOOTTIME@vdso", 21.7}, {"CLOCK_TAI@vdso", 21.7},
	{"CLOCK_PROCESS_CPUTIME_ID@vdso", 531},
	{"CLOCK_THREAD_CPUTIME_ID@vdso", 504}, {"gettimeofday@vdso", 22.5}, {"time@vdso", 2.17},
	{"CLOCK_MONOTONIC@syscall", 241},
	{"gettimeofday@syscall", 189}, {"RDTSC@cpu", 9.47}, {"LFENCE+RDTSC@cpu", 18.1}, {"RDTSCP@cpu", 17.9},
	{"time.Now@go", 46},
}

// Fleet returns the documents of n machines, in three groups of similar machines, as large as documents of default
// runs. Every tenth machine has a busy neighbour, which adds up to a fifth to its samples. odd of the machines, spread
// over all, are odd: a kernel that took hpet, a clock that costs more by half, and a warp, in turn.
func Fleet(n, odd int, seed uint64) (documents []*result.Document, names []string) {
	chance := rand.New(rand.NewPCG(seed, 17))
	planted := map[int]int{}
	for i, at := range chance.Perm(n)[:odd] {
		planted[at] = i%3 + 1
	}
	for i := range n {
		d := &result.Document{
			Schema: result.Schema, Tool: result.Tool{Version: "0.1.0"}, Labels: []string{fmt.Sprintf("host=web%05d", i)},
			Host: result.Host{
				OS: "linux", Arch: "amd64", Kernel: "6.1.0",
				CPU:            result.CPU{Model: []string{"AMD EPYC", "AMD EPYC", "Intel Xeon"}[i%3], Logical: 2, Usable: 2},
				Virtualization: &result.Virtualization{System: "kvm", Role: "guest"},
				ClockSource:    &result.ClockSource{Current: "tsc", Available: []string{"tsc", "hpet"}},
			},
			Settings: result.Settings{Threads: []int{1, 2}, Rounds: rounds, TimeNS: 1e8, Pin: "none", Workers: "threads"},
		}
		if i%3 == 1 {
			d.Host.Kernel = "5.15.0"
		}
		busy := 0.0
		if i%10 == 9 {
			busy = 0.2
		}
		costs := compare.Into(d)
		for k, c := range fleetCosts {
			ns, entry := c.ns*[]float64{1, 1.1, 0.9}[i%3]*(1+0.005*chance.NormFloat64()), result.Never
			if strings.HasSuffix(c.id, "@syscall") || strings.Contains(c.id, "CPUTIME") {
				entry = result.Always
			}
			switch {
			case planted[i] == 1 && strings.HasSuffix(c.id, "@vdso") && c.ns > 20 && c.ns < 30:
				ns, entry = 1400, result.Always
			case planted[i] == 2 && k == 1:
				ns *= 1.5
			}
			samples, quiet := make([]float64, rounds), make([]float64, rounds)
			for r := range samples {
				quiet[r] = rounded(ns * (1 + 0.01*chance.Float64() + busy*chance.Float64()))
				samples[r] = rounded(quiet[r] * (1 + 0.03*chance.Float64() + busy*chance.Float64()))
			}
			path := c.id[strings.IndexByte(c.id, '@')+1:]
			costs.Clocks = append(costs.Clocks, compare.Clock{
				ID: c.id, Path: path, Available: true, KernelEntry: entry, Latency: compare.LatencyOf(samples, quiet),
				Resolution: &compare.Resolution{TickNS: 1, FinerThanRead: true},
				Throughput: []compare.Throughput{{Threads: 1, ReadsPerSecond: 1e9 / ns, NSPerRead: ns},
					{Threads: 2, ReadsPerSecond: 2e9 / ns, NSPerRead: ns}},
			})
		}
		switch planted[i] {
		case 1:
			d.Host.ClockSource.Current = "hpet"
		case 3:
			clocks := Trusted(2, true)
			d.Put(clocks.Section("verification"))
		}
		documents = append(documents, d)
		if planted[i] > 0 {
			names = append(names, d.Label("host"))
		}
	}
	return documents, names
}

// rounded returns a figure without its last digits, which differ on a CPU that fuses multiplications with additions.
func rounded(ns float64) float64 { return math.Round(ns*1e4) / 1e4 }
