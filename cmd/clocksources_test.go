package cmd

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Before the user agrees, compare prints what changes, what may last, and how to undo it.
func TestConsentPrintsWhatMayLast(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, consent(os.Stdin, &out, true, "tsc", "tsc", []string{"hpet", "acpi_pm"}))
	for _, text := range []string{
		"its clock source will be hpet, then acpi_pm, then tsc again", "restores tsc when this one ends",
		"may mark tsc as unstable and withdraw it", "until the\nnext boot",
		"echo | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource\n",
	} {
		require.Contains(t, out.String(), text)
	}
	require.NotContains(t, out.String(), "%!")
}
