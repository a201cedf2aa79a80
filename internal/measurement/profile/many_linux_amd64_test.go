package profile

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// Lists of just-in-time compilers take little memory, whatever their length and number.
func TestPerfMapsOfManyProcessesCostLittleMemory(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	allowed(t, Settings{})
	const (
		processes = 12
		functions = 12_000 // 49 MB
	)
	prepared(t, "compilers", strconv.Itoa(processes), strconv.Itoa(functions))
	p, bytes := ofMany(t)
	require.Less(t, bytes, int64(manyBytes))
	readers := slices.DeleteFunc(p.Processes,
		func(of Process) bool { return of.Command != "compilers" || of.SyscallShare == 0 })
	require.NotEmpty(t, readers)
	if p.Unnamed != "" { // on a busy machine
		require.Contains(t, p.Unnamed, "reading the symbols of all programs takes more than")
	}
}
