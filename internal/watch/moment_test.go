package watch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/instrument/observe"
)

// pass lets time pass on each of the clocks.
func (m *moment) pass(wall, boot, monotonic time.Duration) {
	m.wall.Value += int64(wall)
	for _, ns := range []*int64{&m.wall.Low, &m.wall.High, &m.boot.Value} {
		*ns += int64(boot)
	}
	m.boot.Low, m.boot.High = m.boot.Low+int64(monotonic), m.boot.High+int64(monotonic)
}

// after returns a moment that much later, by all clocks alike.
func after(m moment, passed time.Duration) moment {
	m.at = m.at.Add(passed)
	m.pass(passed, passed, passed)
	m.sleptNS, m.lateNS = int64(beat), 0
	return m
}

var first = moment{
	at: time.Unix(1e9, 0), countsSuspend: true,
	wall: observe.Bracket{Low: 5e12, Value: 1e18, High: 5e12 + 2000}, boot: observe.Bracket{Low: 4e12, Value: 5e12, High: 4e12 + 2000},
}

func TestBetween(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*moment)
		want   []Event
	}{
		"nothing":                              {func(*moment) {}, nil},
		"a slewed clock":                       {func(m *moment) { m.pass(5e5, 5e5, 5e5) }, nil},
		"a late beat":                          {func(m *moment) { *m = after(*m, 5*time.Second) }, nil},
		"a tiny step":                          {func(m *moment) { m.pass(time.Millisecond, 0, 0) }, nil},
		"a step":                               {func(m *moment) { m.pass(1.5e9, 0, 0) }, []Event{{Kind: WallClockStep, OffsetNS: 1.5e9, Message: "the wall clock was set forward by 1.5 s"}}},
		"a step within what the readings took": {func(m *moment) { m.pass(2*time.Second, 0, 0); m.wall.High += 4e9; m.wall.Low -= 4e9 }, nil},
		"a step back":                          {func(m *moment) { m.pass(-3.6e12, 0, 0) }, []Event{{Kind: WallClockStep, OffsetNS: -3.6e12, Message: "the wall clock was set back by 3,600 s"}}},
		"a stall":                              {func(m *moment) { m.lateNS = 5e9 }, []Event{{Kind: Stall, DurationNS: 5e9, Message: "a sleep of 500 ms took 5 s longer, and not because it waited for a CPU: the machine was paused or migrated, or this process was stopped or waited for memory"}}},
		"a short stall":                        {func(m *moment) { m.lateNS = 4e8 }, nil},
		"thawed late":                          {func(m *moment) { m.pass(60e9, 60e9, 0); m.lateNS = 8e8 }, []Event{{Kind: Suspend, DurationNS: 60e9, Message: "the machine was suspended for 60 s: " + suspendSeenBy}}},
		"suspended":                            {func(m *moment) { m.pass(60e9, 60e9, 0) }, []Event{{Kind: Suspend, DurationNS: 60e9, Message: "the machine was suspended for 60 s: " + suspendSeenBy}}},
		"suspended and set":                    {func(m *moment) { m.pass(61e9, 60e9, 0) }, []Event{{Kind: Suspend, DurationNS: 60e9, Message: "the machine was suspended for 60 s: " + suspendSeenBy}, {Kind: WallClockStep, OffsetNS: 1e9, Message: "the wall clock was set forward by 1 s"}}},
		"a marker seen first":                  {func(m *moment) { m.marker = "8" }, nil},
		"no clock of suspend":                  {func(m *moment) { m.countsSuspend = false; m.pass(60e9, 0, 0) }, []Event{{Kind: WallClockStep, OffsetNS: 60e9, Message: "the wall clock was set forward by 60 s, or the machine was suspended"}}},
	} {
		m := after(first, beat)
		c.change(&m)
		got := between(first, m)
		for i := range got {
			require.Equal(t, m.at, got[i].Time, name)
			got[i].Time = time.Time{}
		}
		require.Equal(t, c.want, got, name)
	}
}

// A hypervisor that changes its marker is an event, and the cause of a stall.
func TestBetweenOfAVirtualMachine(t *testing.T) {
	for name, c := range map[string]struct{ from, fromGeneration, to, toGeneration, says string }{
		"the same":              {"7", "", "7", "", ""},
		"no longer readable":    {"7", "", "", "", ""},
		"QEMU":                  {"7", "", "8", "", "the virtual machine was restored or migrated"},
		"Firecracker, restored": {"7", "7", "8", "8", "the virtual machine was restored from a snapshot"},
		"moved":                 {"7", "2", "8", "2", "the virtual machine was migrated or paused, and not restored from a snapshot"},
	} {
		before, now := first, after(first, beat)
		before.marker, before.generation, now.marker, now.generation = c.from, c.fromGeneration, c.to, c.toGeneration
		now.lateNS = 5e9
		got := between(before, now)
		if c.says == "" {
			require.Len(t, got, 1, name)
			require.Contains(t, got[0].Message, "or this process was stopped", name)
			continue
		}
		require.Len(t, got, 2, name)
		require.Equal(t, []string{VMDisruption, c.from, c.to}, []string{got[0].Kind, got[0].From, got[0].To}, name)
		require.Contains(t, got[0].Message, c.says+": ", name)
		require.Equal(t, Stall, got[1].Kind, name)
		require.Contains(t, got[1].Message, "not because it waited for a CPU: "+c.says, name)
	}
}

// The clocks of this machine agree over a sleep, and the sleep is at least as long as it should be.
func TestSleeper(t *testing.T) {
	before, after := now(), new(sleeper).sleep(t.Context(), 20*time.Millisecond)
	require.Greater(t, after.boot.Low-before.boot.Low, int64(19*time.Millisecond), "the sleep of Windows ends with a tick")
	require.Equal(t, int64(20*time.Millisecond), after.sleptNS)
	require.Positive(t, after.wall.Value)
	require.GreaterOrEqual(t, after.boot.Value, before.boot.Value)
	require.Less(t, after.wall.Width(), int64(time.Hour))
}

// A sleep is late by the time for which no thread can have waited for a CPU; 0 if that time is unknown.
func TestLateBy(t *testing.T) {
	for test, want := range map[[3]int64]int64{ // late, waited before, waited now
		{5, 90, 90}: 5, {5, 90, 95}: 0, {5, 90, 92}: 3, {5, 90, 97}: -2, {5, -1, -1}: 0, {5, 90, -1}: 0, {5, 90, 80}: 0,
	} {
		require.Equal(t, want, lateBy(test[0], test[1], test[2]), test)
	}
}
