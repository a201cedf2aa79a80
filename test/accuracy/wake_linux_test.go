package accuracy

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/test/measured"
	"github.com/timebench/timebench/test/need"
)

// BenchmarkWakeAgainstC has timebench and a C program sleep in turn, in each way and for each span:
//
//	go test ./test/accuracy -run '^$' -bench WakeAgainstC -benchtime 5x
//
// It prints the median lateness of both, and the median of the ratios of the pairs. C sleeps before timebench and after
// it: its ratio to itself is the noise of the machine, which no other ratio can be closer than.
func BenchmarkWakeAgainstC(b *testing.B) {
	program, timebench := compiled(b, "wake"), need.Timebench(b)
	for _, of := range []struct {
		span     string
		ns       int
		sleeps   int
		duration time.Duration
	}{{"100us", 100_000, 5000, 2 * time.Second}, {"1ms", 1_000_000, 1000, 2 * time.Second}, {"10ms", 10_000_000, 150, 4 * time.Second}} {
		for _, way := range wake.Ways() {
			name, path, _ := strings.Cut(way.ID, "@")
			if path != "syscall" || exec.Command(program, name, "1000", "1").Run() != nil {
				continue
			}
			b.Run(name+"/"+of.span, func(b *testing.B) {
				medians := measured.Medians{}
				for b.Loop() {
					before := byC(b, program, name, strconv.Itoa(of.ns), strconv.Itoa(of.sleeps))
					d := measured.Document(b, timebench, "wake", name, "--spans", of.span, "--duration", of.duration.String())
					ours := 0.0
					for _, found := range wake.Of(d).Ways {
						if found.ID == way.ID {
							ours = found.Spans[0].MedianLateNS
						}
					}
					after := byC(b, program, name, strconv.Itoa(of.ns), strconv.Itoa(of.sleeps))
					medians.Add("ns-timebench", ours)
					medians.Add("ns-C", (before+after)/2)
					medians.Add("ratio", ours/((before+after)/2))
					medians.Add("ratio-C", max(before, after)/min(before, after))
				}
				medians.Report(b)
			})
		}
	}
}
