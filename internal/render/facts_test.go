package render

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
)

// What the table says of QueryPerformanceCounter is what the shared page tells, and no
// more than that.
func TestQPCFact(t *testing.T) {
	yes, no, none, ten := true, false, 0, 10
	for _, c := range []struct {
		windows result.Windows
		want    string
	}{
		{result.Windows{QPC: &result.QPC{Hz: 1e7, UserMode: &yes, Shift: &ten, Bias: "0xff"}}, "scaled by Windows; read in user mode (shared page: bypass on, bias 0xff, shift 10)"},
		{result.Windows{QPC: &result.QPC{Hz: 1e7, UserMode: &no, Shift: &none, Bias: "0x0"}}, "each read enters the kernel (shared page: bypass off, bias 0x0, shift 0)"},
		{result.Windows{QPC: &result.QPC{Hz: 1e7, HypervisorPage: true, Shift: &none, Bias: "0x1"}}, "not valid, which is unknown (shared page: bypass on, bias 0x1, shift 0)"},
		{result.Windows{QPC: &result.QPC{Hz: 1e7, HypervisorPage: true, UserMode: &yes, Shift: &none, Bias: "0x1"}}, "; read in user mode through the hypervisor page (shared page: bypass on, bias 0x1, shift 0)"},
		{result.Windows{QPC: &result.QPC{Hz: 1e7, HypervisorPage: true, UserMode: &no, Shift: &none, Bias: "0x1"}}, "; each read enters the kernel, because the hypervisor page is not valid (shared page: bypass on, bias 0x1, shift 0)"},
		{result.Windows{QPC: &result.QPC{Hz: 1e7}}, "; no shared page shows how it is read"},
		{result.Windows{QPC: &result.QPC{Hz: 1e7}, Wine: &result.Wine{Version: "8.0"}}, "10.0 MHz; Wine's shared page does not show how it is read"},
	} {
		facts := windowsFacts(c.windows, "amd64")
		require.Contains(t, facts[len(facts)-1].Value, c.want)
	}
}
