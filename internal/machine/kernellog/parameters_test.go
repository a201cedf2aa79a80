package kernellog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/show/printable"
)

func TestBootParameters(t *testing.T) {
	for line, want := range map[string][]string{
		"":               nil,
		"root=/dev/sda1": nil,
		"BOOT_IMAGE=/vmlinuz ro quiet tsc=unstable":                     {"tsc=unstable"},
		"clocksource=hpet hpet=force nohpet notsc":                      {"clocksource=hpet", "hpet=force", "nohpet", "notsc"},
		"no-kvmclock no_kvmclock_vsyscall no-kvmclock-vsyscall":         {"no-kvmclock", "no_kvmclock_vsyscall", "no-kvmclock-vsyscall"},
		"processor.max_cstate=1 intel-idle.max_cstate=0":                {"processor.max_cstate=1", "intel-idle.max_cstate=0"},
		"clocksource.verify_n_cpus=-1 xen_nopvspin hv_nopvspin":         {"clocksource.verify_n_cpus=-1", "xen_nopvspin", "hv_nopvspin"},
		"acpi_pm pmtmr=0x808 vdso=0 vdso32=1 lapic nolapic_timer":       {"acpi_pm", "pmtmr=0x808", "vdso=0", "vdso32=1", "lapic", "nolapic_timer"},
		"idle=poll nohz=off nohz_full=1-3 highres=off isolcpus=2":       {"idle=poll", "nohz=off", "nohz_full=1-3", "highres=off", "isolcpus=2"},
		"cpuidle.off=1 noxen nopv nopvspin mitigations=off":             {"cpuidle.off=1", "noxen", "nopv", "nopvspin", "mitigations=off"},
		"clocksource.max_cswd_read_retries=5\ttsc=reliable\n":           {"clocksource.max_cswd_read_retries=5", "tsc=reliable"},
		"trace_clock=local trace_clock":                                 nil,
		"tscx=1 xtsc hpet2 TSC=1 my.tsc=1":                              nil,
		`password="a tsc=unstable b" tsc=reliable`:                      {"tsc=reliable"},
		`"password=a tsc=unstable" hpet=disable`:                        {"hpet=disable"},
		`tsc="reliable" "hpet=force" "nohz_full=1, 2"`:                  {"tsc=reliable", "hpet=force", "nohz_full=1, 2"},
		`pass"word tsc=unstable" notsc`:                                 {"notsc"},
		`secret="never closed tsc=unstable`:                             nil,
		"tsc=reliable -- tsc=unstable hpet":                             {"tsc=reliable"},
		"tsc=reliable -- ":                                              {"tsc=reliable"},
		"a=-- tsc=reliable --tsc":                                       {"tsc=reliable"},
		"-- clocksource=hpet":                                           nil,
		"tsc=a tsc=a":                                                   {"tsc=a", "tsc=a"},
		"tsc=":                                                          {"tsc="},
		"tsc=\x1b[2J hpet=\xff clocksource=" + strings.Repeat("x", 300): nil,
	} {
		require.Equal(t, want, BootParameters(line), "%q", line)
	}
}

func FuzzBootParameters(f *testing.F) {
	f.Add(`ro password="a tsc=1" tsc=reliable -- tsc=2`)
	f.Add(`"tsc=a b" hpet`)
	f.Add("\"\"=\" --")
	f.Fuzz(func(t *testing.T, line string) {
		whole := strings.ReplaceAll(line, `"`, "")
		for _, parameter := range BootParameters(line) {
			require.Equal(t, parameter, printable.Line(parameter))
			name, _, _ := strings.Cut(parameter, "=")
			require.True(t, isClockParameter(name), parameter)
			require.Contains(t, whole, strings.ReplaceAll(parameter, `"`, ""))
		}
	})
}
