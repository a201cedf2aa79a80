package stats

// MedianRatio returns bounds of median(new)/median(old) with at least the confidence Wanted: the
// far ends of the intervals of both medians, each with half the error probability, by
// Bonferroni's inequality. ok is false if there are too few samples, fewer than 7.
func MedianRatio(old, new []float64) (low, high float64, ok bool) {
	const each = 1 - (1-Wanted)/2
	a, b := summarize(old, each), summarize(new, each)
	if a.Confidence == 0 || b.Confidence == 0 || a.Low <= 0 {
		return 0, 0, false
	}
	return b.Low / a.High, b.High / a.Low, true
}
