package host

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"golang.org/x/sys/windows/registry"
)

// The settings of the service are read from its key; a key without them gives no facts.
func TestW32TimeSettings(t *testing.T) {
	const path = `Software\timebench-test-w32time`
	service, _, err := registry.CreateKey(registry.CURRENT_USER, path, registry.ALL_ACCESS)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, service.Close())
		require.NoError(t, registry.DeleteKey(registry.CURRENT_USER, path))
	})
	require.Equal(t, &result.W32Time{}, w32timeOf(service))

	require.NoError(t, service.SetDWordValue("Start", 9))
	require.Equal(t, &result.W32Time{}, w32timeOf(service), "an unknown number")
	parameters, _, err := registry.CreateKey(service, "Parameters", registry.ALL_ACCESS)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, parameters.Close())
		require.NoError(t, registry.DeleteKey(service, "Parameters"))
	})
	require.NoError(t, parameters.SetStringValue("Type", "NTP"))
	require.NoError(t, parameters.SetStringValue("NtpServer", "time.windows.com,0x9"))
	for number, start := range map[uint32]string{2: "auto", 3: "manual", 4: "disabled"} {
		require.NoError(t, service.SetDWordValue("Start", number))
		require.Equal(t, &result.W32Time{Start: start, Type: "NTP", Servers: "time.windows.com,0x9"}, w32timeOf(service))
	}
}

// Windows and Wine run PlugPlay. The other services do not exist.
func TestServiceState(t *testing.T) {
	require.Contains(t, []string{"running", "stopped"}, serviceState("PlugPlay"))
	require.Empty(t, serviceState("timebench-no-such-service"))
	require.Empty(t, serviceState("zero\x00byte"))
}

func TestAdjustment(t *testing.T) {
	answer := func(adjusted, nominal int64, disabled int32, ok uintptr) *result.Adjustment {
		return adjustmentBy(func(to ...uintptr) (uintptr, uintptr, error) {
			require.Len(t, to, 3)
			*at[int64](to[0]), *at[int64](to[1]), *at[int32](to[2]) = adjusted, nominal, disabled
			return ok, 0, errors.New("refused")
		})
	}
	require.Equal(t, &result.Adjustment{AdjustedHz: 10_000_123, NominalHz: 10_000_000}, answer(10_000_123, 10_000_000, 0, 1))
	require.Nil(t, answer(10_000_123, 10_000_000, 1, 1), "no program sets the rate")
	require.Nil(t, answer(10_000_123, 10_000_000, 0, 0), "the call failed")
	require.Nil(t, answer(0, 0, 0, 1), "no rate")
}

// at returns the value at an address.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }
