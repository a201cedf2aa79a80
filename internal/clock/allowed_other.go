//go:build !linux

package clock

// timeStampCounterAllowed returns nil: Windows, macOS and the BSDs let every process read the TSC,
// unless an administrator forbids it (NetBSD: sysctl machdep.tsc_user_enable).
func timeStampCounterAllowed() error { return nil }
