package words

// Either returns one of two values: the first if the condition holds. Both are computed.
func Either[T any](holds bool, value, other T) T {
	if holds {
		return value
	}
	return other
}
