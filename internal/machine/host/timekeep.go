package host

import (
	"encoding/binary"

	"github.com/timebench/timebench/internal/document/result"
)

// The layout of struct vdso_timekeep of FreeBSD on 64-bit CPUs (sys/vdso.h; Go has a copy in
// runtime/defs_freebsd_amd64.go): version, enabled and the index of the current timehands, 32 bits each, then four
// timehands, which begin with the algorithm.
const (
	timekeepVersion = 1
	timekeepBytes   = 16
	timehandsBytes  = 0x58
	timehands       = 4
)

// timekeepAlgorithms are VDSO_TH_ALGO_* of sys/x86/include/vdso.h and sys/arm64/include/vdso.h.
var timekeepAlgorithms = map[string]map[uint32]string{
	"amd64": {1: "TSC", 2: "HPET", 3: "Hyper-V page", 4: "pvclock"},
	"arm64": {1: "generic timer"},
}

// addTimekeep adds whether the C library of FreeBSD reads the timecounter in user mode, and how, from a copy of the
// page that the kernel shares with every process (AT_TIMEKEEP). It adds nothing for an unknown version.
func addTimekeep(of *result.ClockSource, page []byte, arch string) {
	if len(page) < timekeepBytes+timehands*timehandsBytes {
		return
	}
	word := func(at uint32) uint32 { return binary.LittleEndian.Uint32(page[at:]) }
	version, enabled, current := word(0), word(4) != 0, word(8)
	if version != timekeepVersion || current >= timehands {
		return
	}
	of.UserMode = &enabled
	if enabled {
		of.Algorithm = timekeepAlgorithms[arch][word(timekeepBytes+current*timehandsBytes)]
	}
}
