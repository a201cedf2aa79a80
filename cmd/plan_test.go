package cmd

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/report/files"
	"github.com/timebench/timebench/internal/report/render"
	"github.com/timebench/timebench/test/need"
)

// By default there are no more threads than CPUs, or than CPUs to pin them to. Explicit settings are measured in full,
// also a long list of --threads; a run of the defaults adapts to a busy machine.
func TestPlans(t *testing.T) {
	pin, upTo24 := strconv.Itoa(thread.Usable()[0]), slices.Collect(func(yield func(int) bool) {
		for n := 1; n <= 24 && yield(n); n++ {
		}
	})
	times := map[string]time.Duration{}
	for name, c := range map[string]struct {
		flags   compareFlags
		threads []int
		limited bool
	}{
		"no flags": {compareFlags{}, []int{1, 2, 4}, true}, "pinned": {compareFlags{pin: pin}, []int{1}, true},
		"one thread": {compareFlags{threads: "1"}, []int{1}, false}, "many threads": {compareFlags{threads: "1..24"}, upTo24, false},
		"rounds": {compareFlags{rounds: 1000}, []int{1, 2, 4}, false}, "time": {compareFlags{time: time.Second}, []int{1, 2, 4}, false},
		"limit": {compareFlags{limit: time.Hour}, []int{1, 2, 4}, false},
	} {
		c.flags.pin, c.flags.workers, c.flags.repeat = cmp.Or(c.flags.pin, "none"), "threads", 1
		plan, err := planComparison(c.flags, nil, result.Host{CPU: result.CPU{Logical: 4, Usable: 4}})
		require.NoError(t, err, name)
		require.Len(t, plan.clocks, len(clock.Default()), name)
		require.Equal(t, c.threads, plan.settings.Threads, name)
		require.Equal(t, c.limited, plan.settings.Limit > 0, name)
		require.Zero(t, plan.settings.Distribution, name)
		require.Empty(t, plan.otherSources, name)
		require.Equal(t, result.Settings{Threads: c.threads, ThreadsChosen: c.flags.threads != "",
			Rounds: cmp.Or(c.flags.rounds, plan.settings.DefaultRounds(len(plan.clocks))), TimeNS: int64(plan.settings.Time),
			Pin: c.flags.pin, Workers: "threads"}, plan.recorded, name)
		times[name] = plan.settings.Time
	}
	require.Equal(t, time.Second, times["time"])
	require.Equal(t, times["one thread"], times["many threads"])
}

// On a machine without a vDSO the runtimes are compared with system calls.
func TestSystemClocksWithoutVDSO(t *testing.T) {
	there, err := clock.Select(clock.Catalog(), []string{"time.Now@go"})
	require.NoError(t, err)
	of := func(id string, path clock.Path, open func() (clock.Reader, error)) clock.Clock {
		return clock.Clock{ID: id + "@" + string(path), Path: path, Open: open}
	}
	absent := func() (clock.Reader, error) { return nil, errors.New("no vDSO") }
	all := []clock.Clock{of("time", clock.VDSO, absent), of("time", clock.Syscall, there[0].Open),
		of("CLOCK_REALTIME", clock.VDSO, absent)}
	require.Equal(t, "time@syscall", systemClocks(all)[0].ID)
	all[2].Open = there[0].Open
	require.Equal(t, "CLOCK_REALTIME@vdso", systemClocks(all)[0].ID)
	require.NotEmpty(t, systemClocks(nil))
}

func TestTrustworthy(t *testing.T) {
	good := verify.VerifiedClock{ID: "a", Verdict: verify.IsMonotonic}
	bad := verify.VerifiedClock{ID: "b", Verdict: verify.Backwards,
		Faults: []verify.ClockFault{{Kind: verify.FaultBackwards, Count: 1}}}
	missed := verify.VerifiedClock{ID: "d", Verdict: verify.Unverified, Reason: "it had no time"}
	absent := verify.VerifiedClock{ID: "c", Verdict: verify.Unverified, Reason: "there is none"}
	entries := []compare.Clock{{ID: "a", Available: true}, {ID: "b", Available: true}, {ID: "c"},
		{ID: "d", Available: true}}
	for _, test := range []struct {
		v    verify.Verification
		want string
	}{
		{verify.Verification{Clocks: []verify.VerifiedClock{good, absent}}, ""},
		{verify.Verification{Clocks: []verify.VerifiedClock{good, bad}}, "exit status 1"},
		{verify.Verification{Clocks: []verify.VerifiedClock{good, missed, absent}},
			"1 of 3 clocks could not be verified; d: it had no time"},
		{verify.Verification{Clocks: []verify.VerifiedClock{bad, missed}}, "exit status 1"},
		{verify.Verification{Clocks: []verify.VerifiedClock{missed}}, "no clock could be verified; d: it had no time"},
		{verify.Verification{Clocks: []verify.VerifiedClock{absent}}, "no clock could be verified; c: there is none"},
	} {
		err := trustworthy(&result.Document{Sections: []result.Section{&compare.Costs{Clocks: entries}, &test.v}})
		if test.want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, test.want)
		var f *failure
		require.ErrorAs(t, err, &f)
		require.Equal(t, 1, f.status)
	}
}

// A run prints and writes its complete results, also if a part failed, and prints them if they cannot be written. No
// control character of a document reaches a format, or a file of --out.
func TestRun(t *testing.T) {
	failed := errors.New("a worker ended")
	const clean = " [2Ja  b\ufffd"
	for name, test := range map[string]struct {
		part, unwritten error
		want            string
		written         map[string]string
	}{
		"whole":  {written: map[string]string{"report/model.txt": clean}},
		"a part": {part: failed, want: "a worker ended", written: map[string]string{"report/model.txt": clean}},
		"files that are not written": {unwritten: failed, want: "--out: model.txt: a worker ended",
			written: map[string]string{}},
	} {
		var out strings.Builder
		above := need.Folder(t)
		write := func(w io.Writer, d *result.Document) error {
			_, err := io.WriteString(w, d.Host.CPU.Model)
			return err
		}
		to := report[*result.Document]{stdout: &out, stderr: io.Discard,
			format: render.Format[*result.Document]{Write: write},
			files: func(d *result.Document) []files.File {
				model := func(w io.Writer) error { return cmp.Or(test.unwritten, write(w, d)) }
				return []files.File{{Name: "model.txt", Write: model}}
			},
			target: files.NewTarget(filepath.Join(above, "report"), files.Results("compare"))}
		_, err := run(to, func(context.Context) (*result.Document, error) {
			return &result.Document{Host: result.Host{CPU: result.CPU{Model: "\x1b[2Ja\r\nb\u202e"}}}, test.part
		})
		if test.want != "" {
			require.EqualError(t, err, test.want, name)
			require.Equal(t, 1, statusOfError(err), name)
		} else {
			require.NoError(t, err, name)
		}
		require.Equal(t, clean, out.String(), name)
		require.Equal(t, test.written, need.FilesIn(t, above), name)
	}
}
