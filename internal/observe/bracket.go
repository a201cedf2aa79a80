package observe

// A Bracket is a value of one clock between two of another: Low was read before it, and High
// after it.
type Bracket struct{ Low, Value, High int64 }

// Width returns how far Low and High are apart, in ticks; below 0 where that clock went back.
func (b Bracket) Width() int64 { return b.High - b.Low }

// Middle returns the value between Low and High, in ticks. The value was read then, give or
// take half of the width.
func (b Bracket) Middle() int64 { return b.Low + b.Width()/2 }

// Offset2 returns twice the offset of the value from the middle, in ticks that both clocks
// must have: positive where the clock of the value is ahead.
func (b Bracket) Offset2() int64 { return (b.Value - b.Low) - (b.High - b.Value) }

// A Tightest keeps the tightest of many brackets, the one that was disturbed least. The zero
// value has none.
type Tightest struct {
	Bracket
	Brackets int64 // how many there were
}

// Take takes one more bracket and reports whether it counts: it does not where the outer
// clock went back.
func (t *Tightest) Take(b Bracket) bool {
	if b.Width() < 0 {
		return false
	}
	if t.Brackets == 0 || b.Width() < t.Width() {
		t.Bracket = b
	}
	t.Brackets++
	return true
}

// TightestOf makes so many brackets, of a reading of the inner clock between two of the
// outer, and returns the tightest.
func TightestOf(brackets int, outer, inner func() int64) (t Tightest) {
	for range brackets {
		low := outer()
		value := inner()
		t.Take(Bracket{low, value, outer()})
	}
	return t
}
