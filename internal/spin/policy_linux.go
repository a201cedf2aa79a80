package spin

import "golang.org/x/sys/unix"

// ownsCPU reports whether this thread runs under a policy by which it keeps its CPU until
// it gives it away; sched(7). Threads under SCHED_RR divide the CPU among themselves, but
// not with others of their priority under SCHED_FIFO.
func ownsCPU() bool {
	attr, err := unix.SchedGetAttr(0, 0)
	return err == nil && (attr.Policy == unix.SCHED_FIFO || attr.Policy == unix.SCHED_RR)
}
