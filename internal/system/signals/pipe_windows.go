package signals

// IgnoreClosedPipe does nothing: a write into a pipe that nobody reads any more is an error.
func IgnoreClosedPipe() {}
