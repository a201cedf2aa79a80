package host

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGovernors(t *testing.T) {
	root := t.TempDir()
	require.Nil(t, governors(root))
	for name, text := range map[string]string{
		"cpu0": "schedutil\n", "cpu1": "performance\n", "cpu12": "schedutil\n", "cpu2": "", "cpu3": "\x00\x01",
	} {
		writeFile(t, root, "sys/devices/system/cpu/"+name+"/cpufreq/scaling_governor", []byte(text))
	}
	require.Equal(t, []string{"performance", "schedutil"}, governors(root))
}
