//go:build amd64 || arm64

package clock

import "golang.org/x/sys/windows"

// Failing is a clock that opens and then fails at each read: CloseHandle, given a bad
// handle, returns FALSE and sets the last error.
func Failing() Clock {
	closeHandle := windows.NewLazySystemDLL("kernel32.dll").NewProc("CloseHandle").Addr()
	return Clock{
		ID: "CloseHandle@winapi", Call: "CloseHandle()", Path: WinAPI, Kind: Monotonic, Hz: filetime(), ReportedNS: notReported,
		Open: func() (Reader, error) {
			return &bufferReader{fn: closeHandle, failure: failedBOOL, result: newPlace(1)}, nil
		},
	}
}
