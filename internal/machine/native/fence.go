//go:build 386 || amd64 || arm.7 || arm64 || loong64 || ppc64le || riscv64 || s390x

package native

// Fence waits until all earlier loads are complete, before any later instruction begins. So a
// counter that is read after it is read after those loads. It is LFENCE, and DSB and ISB on arm and arm64;
// the kernel uses the same (rdtsc_ordered, and __arch_counter_get_cntvct of arch_timer). On riscv64
// it is FENCE iorw, iorw: a read of the time is an input of a device to it (unprivileged ISA, Zicsr,
// "CSR Access Ordering"). On loong64 it is DBAR 0, on ppc64le SYNC and ISYNC, and on s390x a serialization, BCR 14, 0.
func Fence()
