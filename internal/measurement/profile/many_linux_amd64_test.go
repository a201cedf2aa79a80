package profile

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The lists of just-in-time compilers have a bound together: one that all link to is read once.
func TestPerfMapsOfManyProcessesCostLittleMemory(t *testing.T) {
	t.Parallel()
	allowed(t, Settings{})
	const (
		processes = 12
		functions = 12_000 // 49 MB
	)
	prepared(t, "compilers", strconv.Itoa(processes), strconv.Itoa(functions))
	p, bytes := ofMany(t)
	require.Less(t, bytes, int64(manyBytes))
	readers := slices.DeleteFunc(p.Processes, func(of Process) bool { return of.Command != "compilers" || of.SyscallShare == 0 })
	require.NotEmpty(t, readers)
	require.Empty(t, p.Unnamed)
}
