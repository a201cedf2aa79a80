//go:build amd64 || arm64

package native

// Fence returns when every load before it is complete, and lets no later instruction
// begin before that: what was loaded from memory then lies before a counter that is read
// behind it. LFENCE, and on arm64 DSB and ISB; the kernel orders its own reads by the
// same (rdtsc_ordered, and arch_timer's __arch_counter_get_cntvct).
func Fence()
