package thread

// disperse moves the i-th of several busy threads to the processor group of the i-th usable CPU,
// and does not pin it there. Before Windows 11 all threads of a process start in one group of up
// to 64 CPUs, and Windows never moves them to another (Processor Groups, learn.microsoft.com).
func disperse(i int) {
	// A thread that cannot be moved stays where it is.
	_ = Move(dispersed(i, Usable()))
}

// dispersed returns the CPU for the i-th thread.
func dispersed(i int, usable []int) int { return usable[i%len(usable)] }
