package host

import "runtime"

// countsBy returns the numbers of logical CPUs and of cores from the sysctls of FreeBSD (sys/kern/subr_smp.c). Without
// them it returns the CPUs that Go may use, and 0 cores: gopsutil takes these CPUs for the cores on every BSD.
func countsBy(sysctl func(name string) (uint32, error)) (logical, cores int) {
	logical = runtime.NumCPU() // of FreeBSD, only those in the set of this process: cpuset(1)
	if n, err := sysctl("kern.smp.cpus"); err == nil {
		logical = max(logical, int(n))
	}
	if n, err := sysctl("kern.smp.cores"); err == nil && int(n) <= logical {
		cores = int(n)
	}
	return logical, cores
}
