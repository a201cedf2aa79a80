package thread

// Pause is a place where the Go scheduler can stop this goroutine, for a loop that waits
// for another CPU and must not give its own away, as Yield does: where signals are blocked
// only the check in a function's prologue stops it, and a function that calls nothing has
// none.
//
//go:noinline
func Pause() { nothing() }

//go:noinline
func nothing() {}
