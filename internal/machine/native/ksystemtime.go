//go:build amd64 || arm64

package native

// SpinKSystemTime reads the KSYSTEM_TIME at the address n times, n ≥ 1, and drops the values. A
// KSYSTEM_TIME is a 64-bit value in the page that the Windows kernel shares with every process
// (KUSER_SHARED_DATA in ntddk.h of the Windows Driver Kit): LowPart, High1Time and High2Time, 32
// bits each. A reader retries while the two high parts differ, so no value is half updated.
func SpinKSystemTime(at uintptr, n int)

// ReadKSystemTime is SpinKSystemTime, but stores the values at ticks, which must have room for n.
func ReadKSystemTime(at uintptr, ticks *int64, n int)
