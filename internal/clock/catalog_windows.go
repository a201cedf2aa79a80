//go:build amd64 || arm64

package clock

import "github.com/timebench/timebench/internal/machine/wintime"

// functions are the Win32 functions that return the time, and two of ntdll. Their units are documented at
// learn.microsoft.com/windows/win32/api, and the unit of NtQuerySystemTime in the Windows Driver Kit.
// NtQueryPerformanceCounter always makes the system call, also where QueryPerformanceCounter does not need it.
var functions = []struct {
	name string
	path Path
	dll  string
	way  way
	hz   func() float64
	kind Kind
	// reported returns the step that the system reports, in nanoseconds.
	reported func() float64
	// coarse: the tick of the system timer advances the value.
	coarse bool
}{
	{"GetSystemTimeAsFileTime", WinAPI, "kernel32.dll", stores, filetime, Wall, notReported, true},
	{"GetSystemTimePreciseAsFileTime", WinAPI, "kernel32.dll", stores, filetime, Wall, notReported, false},
	{"QueryPerformanceCounter", WinAPI, "kernel32.dll", storesBOOL, performanceFrequency, Monotonic, performanceTickNS,
		false},
	{"QueryInterruptTime", WinAPI, "kernelbase.dll", stores, filetime, Monotonic, notReported, true},
	{"QueryInterruptTimePrecise", WinAPI, "kernelbase.dll", stores, filetime, Monotonic, notReported, false},
	{"QueryUnbiasedInterruptTime", WinAPI, "kernel32.dll", storesBOOL, filetime, Monotonic, notReported, true},
	{"QueryUnbiasedInterruptTimePrecise", WinAPI, "kernelbase.dll", stores, filetime, Monotonic, notReported, false},
	{"GetTickCount", WinAPI, "kernel32.dll", returns32(milliseconds()), milliseconds, Monotonic, tickNS, true},
	{"GetTickCount64", WinAPI, "kernel32.dll", returns64, milliseconds, Monotonic, tickNS, true},
	{"timeGetTime", WinAPI, "winmm.dll", returns32(milliseconds()), milliseconds, Monotonic, notReported, true},
	{"NtQueryPerformanceCounter", Syscall, "ntdll.dll", storesNTSTATUS, performanceFrequency, Monotonic,
		performanceTickNS, false},
	{"NtQuerySystemTime", WinAPI, "ntdll.dll", storesNTSTATUS, filetime, Wall, notReported, true},
}

func systemClocks() []Clock {
	var all []Clock
	for _, f := range functions {
		all = append(all, Clock{
			ID: f.name + "@" + string(f.path), Call: f.name + "()", Path: f.path, Kind: f.kind, Hz: f.hz(),
			ReportedNS: f.reported, Coarse: f.coarse,
			Open: func() (Reader, error) { return openFunction(f.dll, f.name, f.way) },
		})
	}
	return append(all, memoryClocks(wintime.SharedPage)...)
}

// filetime returns the units per second of a FILETIME and of an interrupt time: 100 ns each.
func filetime() float64 { return 1e7 }

func milliseconds() float64 { return 1e3 }

func performanceFrequency() float64 { return float64(wintime.PerformanceFrequency()) }

func performanceTickNS() float64 {
	if hz := performanceFrequency(); hz > 0 {
		return 1e9 / hz
	}
	return 0
}

// tickNS returns the unit of TickCount in nanoseconds, which GetTickCount and GetTickCount64
// use: 15.6 ms, whatever the period of the system timer. Wine counts milliseconds.
func tickNS() float64 { return tickOf(wintime.SharedPage) }

func tickOf(page wintime.Page) float64 {
	if hz := page.TicksPerSecond(); hz > 0 {
		return 1e9 / hz
	}
	return 0
}
