package diagnose

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// Each parameter is found in each spelling of its name.
func TestParametersInEverySpelling(t *testing.T) {
	for _, text := range []string{"notsc", "tsc=unstable", "clocksource=acpi_pm", "no_kvmclock", "vdso=0"} {
		name, rest, _ := strings.Cut(text, "=")
		for _, spelt := range []string{name, strings.ReplaceAll(name, "_", "-"), strings.ReplaceAll(name, "-", "_")} {
			if rest != "" {
				spelt += "=" + rest
			}
			d := well()
			slow(d, "acpi_pm", "acpi_pm")
			if name == "vdso" {
				compare.Into(d).Clocks = []compare.Clock{{ID: "CLOCK_MONOTONIC@vdso", Path: "vdso", Reason: "the kernel mapped no vDSO into this process"}}
			}
			d.Host.BootParameters = []string{"mitigations=auto", spelt}
			findings := Findings(d)
			require.Len(t, findings, 1, spelt)
			require.Contains(t, findings[0].Evidence, "kernel command line: "+spelt)
			if name != "vdso" {
				require.Contains(t, findings[0].Cause, "on the kernel command line", spelt)
			}
		}
	}
}

func TestParametersOfTwoDashes(t *testing.T) {
	d := &result.Document{Host: result.Host{BootParameters: []string{"a-b_c=x-y", "a_b-c", "a-b", "tsc"}}}
	require.Equal(t, []parameter{{"a_b_c", "x-y", "a-b_c=x-y"}, {"a_b_c", "", "a_b-c"}}, parameters(d, "a_b-c"))
	require.Empty(t, parameters(d))
}
