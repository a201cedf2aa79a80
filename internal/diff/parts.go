package diff

import (
	"math"
	"slices"

	"github.com/timebench/timebench/internal/result"
)

// The values of Coverage.OnlyIn: which document has a part that the other lacks.
const (
	InOld = "old"
	InNew = "new"
)

// A Coverage is what of a part of two documents can be compared.
type Coverage struct {
	// OnlyIn is old or new where the other document lacks the part; empty where both
	// have it.
	OnlyIn string `json:"only_in,omitempty"`
	// OnlyOld and OnlyNew are the clocks that could be compared in one document only.
	OnlyOld []string `json:"only_old,omitempty"`
	OnlyNew []string `json:"only_new,omitempty"`
}

// A Verification is what changed about whether clocks can be trusted.
type Verification struct {
	Coverage
	// Verdicts has an entry for each clock that was to be verified in both documents.
	Verdicts []VerdictChange `json:"verdicts"`
	// Relations has an entry for each pair of clocks that both documents hold against
	// each other.
	Relations []RelationChange `json:"relations,omitempty"`
}

// A VerdictChange is what both documents say of a clock.
type VerdictChange struct {
	Clock string `json:"clock"`
	Old   string `json:"old"`
	New   string `json:"new"`
	// OldFaults and NewFaults are the kinds of what was wrong.
	OldFaults []string `json:"old_faults,omitempty"`
	NewFaults []string `json:"new_faults,omitempty"`
	// Changed says that the verdict or the faults are not the same.
	Changed bool `json:"changed"`
}

// A RelationChange is whether two clocks kept their distance.
type RelationChange struct {
	Clock   string `json:"clock"`
	Against string `json:"against"`
	OldHeld bool   `json:"old_held"`
	NewHeld bool   `json:"new_held"`
}

// Changed reports whether a distance was kept in one document only.
func (c RelationChange) Changed() bool { return c.OldHeld != c.NewHeld }

// A Skew is what changed about how far CPUs are apart.
type Skew struct {
	Coverage
	// Offsets has an entry for each clock that was compared in both documents.
	Offsets []SkewChange `json:"offsets"`
}

// A SkewChange is the worst offset of a clock in both documents: that of the two CPUs
// that are apart by most, when the bound is taken off.
type SkewChange struct {
	Clock       string  `json:"clock"`
	OldCPU      int     `json:"old_cpu"`
	OldOtherCPU int     `json:"old_other_cpu"`
	OldNS       float64 `json:"old_offset_ns"`
	OldBoundNS  float64 `json:"old_bound_ns"`
	NewCPU      int     `json:"new_cpu"`
	NewOtherCPU int     `json:"new_other_cpu"`
	NewNS       float64 `json:"new_offset_ns"`
	NewBoundNS  float64 `json:"new_bound_ns"`
	// Changed says that they differ by more than both bounds together.
	Changed bool `json:"changed"`
}

// A Drift is what changed about how fast clocks run.
type Drift struct {
	Coverage
	// OldReference and NewReference are the clocks that the others were held against;
	// where they are not the same, no rate is compared.
	OldReference string `json:"old_reference,omitempty"`
	NewReference string `json:"new_reference,omitempty"`
	// Rates has an entry for each clock and phase that is in both documents.
	Rates []RateChange `json:"rates"`
}

// A RateChange is the rate of a clock in both documents.
type RateChange struct {
	Clock string `json:"clock"`
	// Phase is asleep or loaded.
	Phase string `json:"phase"`
	// Stated says that the rates are in millionths of a stated one; without it they are
	// in millionths of the old rate, which is then 0.
	Stated         bool    `json:"stated"`
	OldPPM         float64 `json:"old_ppm"`
	OldIntervalPPM float64 `json:"old_interval_ppm"`
	NewPPM         float64 `json:"new_ppm"`
	NewIntervalPPM float64 `json:"new_interval_ppm"`
	// SameNominal is false where the documents take the clock to have another rate, as
	// Linux does of the time stamp counter from boot to boot: a change may be that.
	SameNominal bool `json:"same_nominal"`
	// Changed says that the intervals do not overlap.
	Changed bool `json:"changed"`
}

// parts compares what the documents hold beside costs.
func (d *Diff) parts(old, new *result.Document) {
	d.Verification = verification(old.Verification, new.Verification)
	d.Skew = skew(old.Skew, new.Skew)
	d.Drift = drift(old.Drift, new.Drift)
}

// inOne is what Coverage.OnlyIn says of a part.
func inOne(old, new bool) string {
	switch {
	case old && !new:
		return InOld
	case new && !old:
		return InNew
	default:
		return ""
	}
}

// match calls both for what stands in both lists under one name, and returns the names
// that stand in one of them.
func match[T any](old, new []T, name func(T) string, both func(old, new T)) (onlyOld, onlyNew []string) {
	index := map[string]int{}
	for i, n := range new {
		index[name(n)] = i
	}
	seen := map[string]bool{}
	for _, o := range old {
		if i, ok := index[name(o)]; ok {
			both(o, new[i])
		} else {
			onlyOld = append(onlyOld, name(o))
		}
		seen[name(o)] = true
	}
	for _, n := range new {
		if !seen[name(n)] {
			onlyNew = append(onlyNew, name(n))
		}
	}
	return onlyOld, onlyNew
}

func verification(old, new *result.Verification) *Verification {
	if old == nil && new == nil {
		return nil
	}
	v := &Verification{Coverage: Coverage{OnlyIn: inOne(old != nil, new != nil)}, Verdicts: []VerdictChange{}}
	if v.OnlyIn != "" {
		return v
	}
	v.OnlyOld, v.OnlyNew = match(old.Clocks, new.Clocks, func(c result.VerifiedClock) string { return c.ID }, func(old, new result.VerifiedClock) {
		c := VerdictChange{Clock: old.ID, Old: old.Verdict, New: new.Verdict, OldFaults: kinds(old.Faults), NewFaults: kinds(new.Faults)}
		c.Changed = c.Old != c.New || !slices.Equal(c.OldFaults, c.NewFaults)
		v.Verdicts = append(v.Verdicts, c)
	})
	// Pairs that were not asked for in both are no news.
	match(old.Relations, new.Relations, func(r result.Relation) string { return r.Clock + "\x00" + r.Against }, func(old, new result.Relation) {
		v.Relations = append(v.Relations, RelationChange{old.Clock, old.Against, old.Held, new.Held})
	})
	return v
}

// kinds are the kinds of faults, each once and in order.
func kinds(faults []result.ClockFault) []string {
	var all []string
	for _, f := range faults {
		all = append(all, f.Kind)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func skew(old, new *result.Skew) *Skew {
	if old == nil && new == nil {
		return nil
	}
	s := &Skew{Coverage: Coverage{OnlyIn: inOne(old != nil, new != nil)}, Offsets: []SkewChange{}}
	if s.OnlyIn != "" {
		return s
	}
	compared := func(clocks []result.SkewedClock) []result.SkewedClock {
		return slices.DeleteFunc(slices.Clone(clocks), func(c result.SkewedClock) bool { return len(c.Pairs) == 0 })
	}
	s.OnlyOld, s.OnlyNew = match(compared(old.Clocks), compared(new.Clocks), func(c result.SkewedClock) string { return c.ID }, func(old, new result.SkewedClock) {
		o, n := worst(old.Pairs), worst(new.Pairs)
		change := math.Abs(n.OffsetNS) - math.Abs(o.OffsetNS)
		if o.CPU == n.CPU && o.OtherCPU == n.OtherCPU {
			change = n.OffsetNS - o.OffsetNS // which sees a change of sign too
		}
		s.Offsets = append(s.Offsets, SkewChange{
			old.ID, o.CPU, o.OtherCPU, o.OffsetNS, o.BoundNS, n.CPU, n.OtherCPU, n.OffsetNS, n.BoundNS,
			math.Abs(change) > o.BoundNS+n.BoundNS,
		})
	})
	return s
}

// worst is the pair that is apart by most, when its bound is taken off.
func worst(pairs []result.CPUPair) result.CPUPair {
	certain := func(p result.CPUPair) float64 { return math.Abs(p.OffsetNS) - p.BoundNS }
	most := pairs[0]
	for _, p := range pairs[1:] {
		if certain(p) > certain(most) {
			most = p
		}
	}
	return most
}

func drift(old, new *result.Drift) *Drift {
	if old == nil && new == nil {
		return nil
	}
	d := &Drift{Coverage: Coverage{OnlyIn: inOne(old != nil, new != nil)}, Rates: []RateChange{}}
	if d.OnlyIn != "" {
		return d
	}
	d.OldReference, d.NewReference = old.Reference, new.Reference
	if d.OldReference != d.NewReference {
		return d
	}
	rated := func(clocks []result.DriftedClock) []result.DriftedClock {
		return slices.DeleteFunc(slices.Clone(clocks), func(c result.DriftedClock) bool { return c.Asleep == nil && c.Loaded == nil })
	}
	d.OnlyOld, d.OnlyNew = match(rated(old.Clocks), rated(new.Clocks), func(c result.DriftedClock) string { return c.ID }, func(old, new result.DriftedClock) {
		for _, phase := range []struct {
			name     string
			old, new *result.DriftRate
		}{{"asleep", old.Asleep, new.Asleep}, {"loaded", old.Loaded, new.Loaded}} {
			if change, ok := rateChange(phase.old, phase.new); ok {
				change.Clock, change.Phase, change.SameNominal = old.ID, phase.name, old.NominalHz == new.NominalHz
				d.Rates = append(d.Rates, change)
			}
		}
	})
	return d
}

// rateChange holds two rates against each other; ok is false where one is not there.
func rateChange(old, new *result.DriftRate) (c RateChange, ok bool) {
	if old == nil || new == nil {
		return c, false
	}
	c.OldIntervalPPM, c.NewIntervalPPM = old.IntervalPPM, new.IntervalPPM
	switch {
	case old.PPM != nil && new.PPM != nil:
		c.Stated, c.OldPPM, c.NewPPM = true, *old.PPM, *new.PPM
	case old.Hz > 0 && new.Hz > 0:
		c.NewPPM = (new.Hz/old.Hz - 1) * 1e6
	default:
		return c, false
	}
	c.Changed = math.Abs(c.NewPPM-c.OldPPM) > c.OldIntervalPPM+c.NewIntervalPPM
	return c, true
}

// PartsCompared counts what was compared of the parts beside costs: verdicts,
// relations, offsets and rates.
func (d *Diff) PartsCompared() int {
	n := 0
	if d.Verification != nil {
		n += len(d.Verification.Verdicts) + len(d.Verification.Relations)
	}
	if d.Skew != nil {
		n += len(d.Skew.Offsets)
	}
	if d.Drift != nil {
		n += len(d.Drift.Rates)
	}
	return n
}
