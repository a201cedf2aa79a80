//go:build amd64 || arm64

package host

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/native"
	"golang.org/x/sys/unix"
)

func macOS() *result.MacOS {
	numerator, denominator := native.MachTimebase()
	// There is no such sysctl without Rosetta.
	translated, err := unix.SysctlUint32("sysctl.proc_translated")
	return &result.MacOS{
		TimebaseNumerator: int64(numerator), TimebaseDenominator: int64(denominator), UserMode: userTimebase(),
		Translated: err == nil && translated == 1,
	}
}
