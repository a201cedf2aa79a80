package cmd

// ignoreClosedPipe does nothing: a write into a pipe that nobody reads any more is an error.
func ignoreClosedPipe() {}
