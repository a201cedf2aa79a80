package cmd

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Who agrees has been told what changes, what may last, and how to undo that.
func TestConsentTellsWhatMayLast(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, consent(os.Stdin, &out, true, "tsc", []string{"hpet", "acpi_pm"}))
	for _, says := range []string{
		"its clock source will be hpet, then acpi_pm, then tsc again", "restores tsc when this one ends",
		"may take tsc for unstable and withdraw it", "until the machine\nboots again",
		"echo | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource\n",
	} {
		require.Contains(t, out.String(), says)
	}
	require.NotContains(t, out.String(), "%!")
}
