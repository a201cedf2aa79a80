//go:build !386 && !amd64

package counter

// systemRates returns none: the counter's own register has its frequency.
func systemRates() []CounterRate { return []CounterRate{} }
