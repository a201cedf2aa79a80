//go:build amd64 || arm64

package native

// SpinKSystemTime reads the KSYSTEM_TIME at the address n times, n ≥ 1, and drops
// the values. A KSYSTEM_TIME is a value of 64 bits that the Windows kernel keeps in
// the page that it shares with every process, KUSER_SHARED_DATA of the Windows
// Driver Kit's ntddk.h: LowPart, High1Time and High2Time, 32 bits each. A reader
// begins anew while the two high parts differ, so no value is half new.
func SpinKSystemTime(at uintptr, n int)

// ReadKSystemTime is SpinKSystemTime with the values stored at ticks, which has
// room for n.
func ReadKSystemTime(at uintptr, ticks *int64, n int)
