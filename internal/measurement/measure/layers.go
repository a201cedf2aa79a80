package measure

import (
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// layeredRounds is the max number of rounds in which the loops inside the reads of clocks have turns too. It bounds how
// much the loops lengthen a run: five loops have 40 turns of 2.5 ms each in 0.5 s.
const layeredRounds = 40

// layered returns whether the loops have turns in a round, counted from 0: the layered rounds are spread evenly.
func (s Settings) layered(round int) bool {
	some := min(s.Rounds, layeredRounds)
	return (round+1)*some/s.Rounds > round*some/s.Rounds
}

// A nest is a clock with the loops inside its read, and the time of each in the layered rounds.
type nest struct {
	of      *subject
	enters  string     // whether its reads enter the kernel, by which its steps were chosen
	names   []string   // what each loop adds
	loops   []*subject // each contains the work of the one before; the last is the clock
	samples [][]float64
}

// nest finds the steps of the clocks, and opens the loops that are neither the floor nor measured as clocks. A loop
// that cannot be opened is left out, and its name is joined with the name of the next loop.
func (r *runner) nest() {
	loops := map[string]*subject{clock.FloorID: r.floor}
	for _, s := range r.subjects {
		loops[s.clock.ID] = s
	}
	for _, s := range r.subjects {
		if s.err != nil || s.clock.Layers == nil {
			continue
		}
		n := nest{of: s, enters: s.entry.Enters}
		name := ""
		for _, step := range s.clock.Layers(n.enters) {
			loop, ok := loops[step.ID]
			if !ok {
				loop = r.openLoop(step)
				loops[step.ID] = loop
			}
			name += step.Adds
			if loop == nil || loop.err != nil {
				name += ", "
				continue
			}
			n.names, n.loops, name = append(n.names, name), append(n.loops, loop), ""
		}
		if len(n.loops) > 1 {
			n.samples = make([][]float64, len(n.loops))
			r.nests = append(r.nests, n)
		}
		if s.clock.Path == clock.VDSO && n.enters == result.Always && r.userMode == nil {
			for _, standIn := range clock.UserMode() {
				r.userMode = r.openLoop(clock.Layer{ID: standIn.ID, Open: standIn.Open})
			}
		}
	}
}

func (r *runner) openLoop(step clock.Layer) *subject {
	s := &subject{}
	if s.reader, s.err = step.Open(); s.err != nil {
		debuglog.Printf("measure", "%s: %v; its layer is part of the next one", step.ID, s.err)
		return s
	}
	s.readNS = observe.ReadNS(s.reader)
	r.loops = append(r.loops, s)
	return s
}

// keep adds the samples of a complete round to the layers.
func (r *runner) keep() {
	for i := range r.nests {
		n := &r.nests[i]
		for _, loop := range n.loops {
			if loop.failed() {
				n.samples = nil
			}
		}
		for j := range n.samples {
			all := n.loops[j].latency
			n.samples[j] = append(n.samples[j], all[len(all)-1])
		}
	}
}

// addLayers adds the layers of a subject to its clock. It adds nothing if a loop failed, or if the kernel entry or the
// clock source changed during the run.
func (r *runner) addLayers(c *compare.Clock, s *subject) {
	for _, n := range r.nests {
		if n.of != s || len(n.samples) == 0 || len(n.samples[0]) == 0 || n.enters != s.entry.Enters ||
			len(r.noise.sources) > 1 {
			continue
		}
		c.Layers = compare.LayersOf(n.names, n.samples, c.Latency.MedianNS)
		if r.userMode != nil && len(r.userMode.latency) > 0 && s.clock.Path == clock.VDSO && n.enters == result.Always {
			c.UserModeNS = stats.Median(r.userMode.latency)
		}
	}
}
