package host

import (
	"os"
	"path/filepath"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

func TestTimecounter(t *testing.T) {
	for name, want := range map[string]*result.ClockSource{
		"freebsd-kvm-acpi-fast.txt": {
			Current: "ACPI-fast", Available: []string{"ACPI-fast", "i8254", "TSC-low", "dummy"},
			Qualities: []result.Quality{{Name: "ACPI-fast", Quality: 900}, {Name: "i8254", Quality: 0}, {Name: "TSC-low", Quality: -100}, {Name: "dummy", Quality: -1000000}},
			Settings:  []string{"kern.timecounter.fast_gettime=1", "kern.timecounter.invariant_tsc=1", "kern.timecounter.smp_tsc=0", "kern.timecounter.smp_tsc_adjust=0", "kern.timecounter.tsc_shift=1"},
		},
		"netbsd.txt": {
			Current: "TSC", Available: []string{"TSC", "clockinterrupt", "lapic", "hpet0", "ACPI-Fast", "i8254", "dummy"},
			Qualities: []result.Quality{
				{Name: "TSC", Quality: 3000}, {Name: "clockinterrupt", Quality: 0}, {Name: "lapic", Quality: -100}, {Name: "hpet0", Quality: 2000},
				{Name: "ACPI-Fast", Quality: 1000}, {Name: "i8254", Quality: 100}, {Name: "dummy", Quality: -1000000},
			},
		},
		"openbsd.txt": {
			Current: "acpihpet0", Available: []string{"i8254", "acpihpet0", "tsc", "acpitimer0"},
			Qualities: []result.Quality{{Name: "i8254", Quality: 0}, {Name: "acpihpet0", Quality: 1000}, {Name: "tsc", Quality: -1000}, {Name: "acpitimer0", Quality: 1000}},
		},
	} {
		text, err := os.ReadFile(filepath.Join("testdata/timecounter", name))
		require.NoError(t, err)
		require.Equal(t, want, Timecounter(string(text)), name)
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
