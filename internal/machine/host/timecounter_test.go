package host

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

func TestTimecounter(t *testing.T) {
	for name, want := range map[string]string{
		"freebsd-kvm-acpi-fast.txt": "ACPI-fast [{ACPI-fast 900} {i8254 0} {TSC-low -100} {dummy -1000000}] [kern.timecounter.fast_gettime=1 kern.timecounter.invariant_tsc=1 " +
			"kern.timecounter.smp_tsc=0 kern.timecounter.smp_tsc_adjust=0 kern.timecounter.tsc_shift=1]",
		"netbsd.txt":  "TSC [{TSC 3000} {clockinterrupt 0} {lapic -100} {hpet0 2000} {ACPI-Fast 1000} {i8254 100} {dummy -1000000}] []",
		"openbsd.txt": "acpihpet0 [{i8254 0} {acpihpet0 1000} {tsc -1000} {acpitimer0 1000}] []",
	} {
		text, err := os.ReadFile(filepath.Join("testdata/timecounter", name))
		require.NoError(t, err)
		found := Timecounter(string(text))
		require.Equal(t, want, fmt.Sprint(found.Current, " ", found.Qualities, " ", found.Settings), name)
		require.Len(t, found.Available, len(found.Qualities), name)
	}
}

func TestTimecounterOfBadText(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "Linux": "kernel.arch = x86_64\n", "no value": "kern.timecounter.hardware\n", "only a choice": "kern.timecounter.choice: TSC(800)\n",
		"two words": "kern.timecounter.hardware: a b\n", "escape sequence": "kern.timecounter.hardware: \x1b[31m\n",
	} {
		require.Nil(t, Timecounter(text), name)
	}
	odd := Timecounter("kern.timecounter.hardware=x\nkern.timecounter.choice=x(99999999999) y(1) y(2) (3) z(q=4, f=5 Hz) \x1b(6)\nkern.timecounter.smp_tsc=no\n")
	require.Equal(t, &result.ClockSource{
		Current: "x", Available: []string{"y", "z"}, Qualities: []result.Quality{{Name: "y", Quality: 1}, {Name: "z", Quality: 4}},
	}, odd)
}

func FuzzTimecounter(f *testing.F) {
	f.Add("kern.timecounter.hardware: TSC-low\nkern.timecounter.choice: ACPI-fast(900) TSC-low(-100)\nkern.timecounter.smp_tsc: 0\n")
	f.Add("kern.timecounter.hardware = TSC\nkern.timecounter.choice = TSC(q=3000, f=2495994000 Hz)\n")
	f.Fuzz(func(t *testing.T, text string) {
		found := Timecounter(text)
		if found == nil {
			return
		}
		require.Len(t, found.Available, len(found.Qualities))
		require.LessOrEqual(t, len(found.Qualities), maxTimecounters)
		for _, name := range append(found.Available, found.Current) {
			require.NotEmpty(t, name)
			for _, r := range name {
				require.True(t, unicode.IsPrint(r))
			}
		}
	})
}
