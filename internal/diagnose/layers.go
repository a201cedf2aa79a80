package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// cpuCounters are the clock sources that are the counter of the CPU itself.
var cpuCounters = []string{"tsc", "tsc-early", "arch_sys_counter", "riscv_clocksource"}

// whatToWin returns where the time of a read goes that enters the kernel, and what it would take in user mode: of the
// first everyday clock whose layers are known.
func whatToWin(d *result.Document, entering []compare.Clock) []string {
	for _, id := range everyday {
		i := slices.IndexFunc(entering, func(c compare.Clock) bool { return c.ID == id && c.Latency != nil && len(compare.Parts(c.Layers)) > 0 })
		if i < 0 {
			continue
		}
		c := entering[i]
		var each []string
		for _, l := range compare.Parts(c.Layers) {
			each = append(each, part(d, l))
		}
		text := fmt.Sprintf("%s, %s ns = %s", c.ID, words.NS(c.Latency.MedianNS), strings.Join(each, " + "))
		// Where the kernel reads the counter of the CPU already, another clock source saves nothing.
		if userMode := c.GainNS(); userMode > 0 && !slices.Contains(cpuCounters, clockSource(d)) {
			text += fmt.Sprintf(" · about %s ns if the vDSO read the counter of the CPU", words.NS(userMode))
		}
		return []string{text}
	}
	return nil
}

// part returns a layer as a summand: "824.0 (read acpi_pm)".
func part(d *result.Document, l compare.Layer) string {
	name := l.Name
	if source := clockSource(d); source != "" {
		name = strings.ReplaceAll(name, "read the clock source", "read "+source)
	}
	return fmt.Sprintf("%s (%s)", l, name)
}
