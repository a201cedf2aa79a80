package clock

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// alarms are the alarm clocks, with the clocks whose value they return.
var alarms = map[string]int32{"CLOCK_REALTIME_ALARM": unix.CLOCK_REALTIME, "CLOCK_BOOTTIME_ALARM": unix.CLOCK_BOOTTIME}

// An alarm clock returns the value of its base clock, or the reason is a missing RTC.
func TestAlarmClocksHaveTheValuesOfTheirBase(t *testing.T) {
	for name, base := range alarms {
		clocks, err := Select(Catalog(), []string{name})
		require.NoError(t, err)
		if err := Use(clocks[0], func(reader Reader) {
			requireBetween(t, reader, base, name)
			require.Positive(t, clocks[0].ReportedNS(), name)
		}); err != nil {
			require.EqualError(t, err,
				"there is no real-time clock (RTC) that can wake this machine: invalid argument", name)
			need.Missing(t, "rtc", err.Error())
		}
	}
}

// An error explains only an errno that the table knows.
func TestAClockThatLacksADeviceTellsWhich(t *testing.T) {
	needing := clockID{name: "CLOCK_X", needs: "clock X device"}
	for _, test := range []struct {
		id    clockID
		errno unix.Errno
		want  string
	}{
		{needing, unix.EINVAL, "there is no clock X device: invalid argument"},
		{needing, unix.EPERM, "operation not permitted (EPERM)"},
		{needing, unix.ENOSYS, "function not implemented (ENOSYS)"},
		{needing, unix.ENODEV, "no such device"},
		{clockID{name: "CLOCK_Y"}, unix.EINVAL, "invalid argument"},
	} {
		require.EqualError(t, test.id.because(refusal(test.errno)), test.want)
	}
}

// A clock that no vDSO supports is a system call, and not in the default set.
func TestClocksOfTheKernelAlone(t *testing.T) {
	has := func(clocks []Clock, id string) bool {
		return slices.ContainsFunc(clocks, func(c Clock) bool { return c.ID == id })
	}
	for _, c := range clockIDs {
		require.NotEqual(t, c.kernelOnly, has(Catalog(), c.name+"@vdso"), c.name)
		require.True(t, has(Catalog(), c.name+"@syscall"), c.name)
		if _, alarm := alarms[c.name]; alarm {
			require.True(t, c.kernelOnly, c.name)
			require.False(t, has(Default(), c.name+"@syscall"), c.name)
		}
	}
}

func TestTheDocumentHasEveryClock(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "clocks.md"))
	require.NoError(t, err)
	for _, c := range Catalog() {
		call, _, _ := strings.Cut(c.ID, "@")
		device := strings.TrimRight(call, "0123456789") + "N" // ptp0 is ptpN
		names := regexp.MustCompile("`(" + regexp.QuoteMeta(call) + "|" + regexp.QuoteMeta(device) + ")[`@]")
		require.True(t, names.Match(text) || c.Path == Go, "add %s to docs/clocks.md", call)
	}
}
