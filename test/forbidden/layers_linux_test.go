//go:build amd64 || arm64

package forbidden

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/measured"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// BenchmarkFilterInLayers makes each clock_gettime(2) slower by a filter of 1,500 instructions that refuses nothing,
// and prints by how much each layer grows, in the median of the iterations. The increase belongs to "enter and leave
// the kernel", and to no other layer.
//
//	go test ./test/forbidden -run '^$' -bench FilterInLayers -benchtime 10x
func BenchmarkFilterInLayers(b *testing.B) {
	const noClock, instructions = 12345, 1500
	rule := fmt.Sprintf("%d:%d", unix.SYS_CLOCK_GETTIME, noClock)
	long := slices.Repeat([]string{rule}, instructions/5)
	args := []string{"compare", "CLOCK_MONOTONIC", "--rounds", "40", "--throughput-time", "1ms", "--threads", "1",
		"--format", "json"}
	layers := func(rules []string) map[string]float64 {
		ns := map[string]float64{}
		d := measured.Read(b, need.Output(b, filtered(b, rules, args...)))
		for _, c := range compare.Of(d).Clocks {
			for _, l := range c.Layers {
				ns[c.Path+" "+l.Name] = l.NS
			}
		}
		return ns
	}
	grown := map[string][]float64{}
	for b.Loop() {
		without, with := layers([]string{rule}), layers(long)
		for name, ns := range with {
			grown[name] = append(grown[name], ns-without[name])
		}
	}
	b.ReportMetric(0, "ns/op") // the length of an iteration says nothing
	for name, each := range grown {
		unit := strings.NewReplacer(" ", "-", ",", "").Replace(name)
		b.ReportMetric(stats.Median(each), unit+"-ns")
		b.Logf("%-45s from %8.2f to %8.2f ns", name, slices.Min(each), slices.Max(each))
	}
}
