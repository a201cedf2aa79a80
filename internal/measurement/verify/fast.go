package verify

// stretchNS is the min time of a stretch: a hundred times the excess that counts as a jump.
const stretchNS = 100 * leastJumpNS

// Stretches are the parts of a watch, one after the other. A clock that jumps gets too far ahead of its witness in some
// of them; a clock that runs fast, in most.
type stretches struct {
	begun            bool
	start, from      moment // the first values of the watch, and of the stretch
	count, fast      int
	goneNS, passedNS float64 // since the start, by the clock and by the witness
}

// add takes the first and the last value of a batch.
func (s *stretches) add(b *bench, first, last int64, now interval) {
	if !s.begun {
		s.begun, s.from = true, moment{first, now}
		if s.count == 0 {
			s.start = s.from
		}
	}
	if b.witness.most(s.from.batch, now) < stretchNS {
		return
	}
	s.begun = false
	s.count++
	if b.excessNS(s.from, last, now) > 0 {
		s.fast++
	}
	s.goneNS, s.passedNS = b.ns(last-s.start.value), b.witness.most(s.start.batch, now)
}

// fasterPPM returns how much faster than its witness the clock runs; 0 if it does not run fast.
func (s *stretches) fasterPPM() float64 {
	const fewest = 10
	if s.count < fewest || 2*s.fast <= s.count {
		return 0
	}
	return (s.goneNS/s.passedNS - 1) * 1e6
}
