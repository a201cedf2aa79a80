package thread

// Pause is a point where the Go scheduler can stop this goroutine, for a loop that waits for
// another CPU and must not give up its own, as Yield does. While signals are blocked, only the
// check in a function prologue stops a goroutine, and a function without calls has no such
// check.
//
//go:noinline
func Pause() { nothing() }

//go:noinline
func nothing() {}
