package thread

// disperse puts the i-th of several busy threads into the processor group of the i-th CPU
// that the process may use, and leaves it free there. Windows before 11 starts every
// thread of a process in one group, of 64 CPUs at most, and never moves it to another
// (Processor Groups, learn.microsoft.com).
func disperse(i int) {
	// A thread that cannot be moved is busy where it is.
	_ = Move(dispersed(i, Usable()))
}

// dispersed returns the CPU for the i-th thread.
func dispersed(i int, usable []int) int { return usable[i%len(usable)] }
