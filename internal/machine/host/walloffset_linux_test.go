package host

import (
	"cmp"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"golang.org/x/sys/unix"
)

// rooted makes files with these texts below a root, and returns it.
func rooted(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		writeFile(t, root, name, []byte(text))
	}
	return root
}

func after(span time.Duration) string {
	return strconv.FormatInt(time.Now().Add(span).Unix(), 10) + "\n"
}

func TestWallOffsetsFromTheRTC(t *testing.T) {
	const (
		restored             = 75 * time.Hour
		rtc0, rtc1           = "sys/class/rtc/rtc0/", "sys/class/rtc/rtc1/"
		epoch, adjust, local = rtc0 + "since_epoch", "etc/adjtime", "0.0 0 0.0\n0\nLOCAL\n"
	)
	type has = map[string]string
	for name, c := range map[string]struct {
		files                  has
		behind, zone           time.Duration
		against, reason, clock string
	}{
		"right":        {files: has{epoch: after(0), rtc0 + "name": "rtc_cmos rtc_cmos\n"}, clock: "rtc_cmos rtc_cmos"},
		"restored":     {files: has{epoch: after(restored)}, behind: restored},
		"local time":   {files: has{epoch: after(-5 * time.Hour)}, zone: -5 * time.Hour},
		"Nepal":        {files: has{epoch: after(345 * time.Minute)}, zone: 345 * time.Minute},
		"Los Angeles":  {files: has{epoch: after(-8 * time.Hour)}, zone: -8 * time.Hour},
		"Kiritimati":   {files: has{epoch: after(14 * time.Hour)}, zone: 14 * time.Hour},
		"no zone":      {files: has{epoch: after(121 * time.Minute)}, behind: 121 * time.Minute},
		"LOCAL":        {files: has{epoch: after(181 * time.Minute), adjust: local}, zone: 3 * time.Hour, behind: time.Minute},
		"beyond LOCAL": {files: has{epoch: after(restored), adjust: local}, zone: 14 * time.Hour, behind: 61 * time.Hour},
		"of the kernel": {files: has{epoch: after(restored), rtc0 + "hctosys": "0\n", rtc1 + "since_epoch": after(0),
			rtc1 + "hctosys": "1\n"}, against: "rtc1"},
		"no number":    {files: has{epoch: "yesterday"}, reason: `strconv.ParseInt: parsing "yesterday": invalid syntax`},
		"out of range": {files: has{epoch: "9999999999999"}, reason: "rtc0: its time is 9999999999999 s after 1970"},
	} {
		all := wallOffsets(rooted(t, c.files))
		require.Len(t, all, 1, name)
		of := all[0]
		require.Equal(t, cmp.Or(c.against, "rtc0"), of.Against, name)
		require.Equal(t, c.clock, of.Name, name)
		require.Equal(t, c.reason, of.Reason, name)
		require.Equal(t, int64(c.zone), of.ZoneNS, name)
		if c.reason != "" {
			require.Nil(t, of.OffsetNS, name)
			continue
		}
		// The text of the file was made up to a second before, or many on a busy machine.
		require.InDelta(t, float64(c.behind), float64(*of.OffsetNS), float64(9*time.Second), name)
		require.GreaterOrEqual(t, of.BoundNS, int64(time.Second/2), name)
	}
	require.Empty(t, wallOffsets(t.TempDir()))
	unreadable := wallOffsets(rooted(t, map[string]string{"sys/class/rtc/rtc0/name": "rtc-efi rtc-efi.0"}))
	require.Contains(t, unreadable[0].Reason, "since_epoch: no such file or directory")
}

func TestWallOffsetsFromPTP(t *testing.T) {
	root := rooted(t, map[string]string{
		"sys/class/ptp/ptp0/clock_name": "KVM virtual PTP\n",
		"sys/class/ptp/ptp1/clock_name": "mlx5_ptp\n", // a network card
		"sys/class/ptp/ptp2/clock_name": "hyperv\n",
		"dev/ptp2":                      "no device",
		"sys/class/ptp/ptp3/clock_name": "ena-ptp-05\n",
	})
	require.Equal(t, []result.WallOffset{
		{Against: "ptp0", Name: "KVM virtual PTP", Reason: filepath.Join(root, "dev/ptp0") + ": no such file or directory"},
		{Against: "ptp2", Name: "hyperv", Reason: filepath.Join(root, "dev/ptp2") + ": clock_gettime: invalid argument"},
		{Against: "ptp3", Name: "ena-ptp-05", Reason: filepath.Join(root, "dev/ptp3") + ": no such file or directory"},
	}, wallOffsets(root))
}

func ptpAt(ns int64) unix.PtpClockTime {
	return unix.PtpClockTime{Sec: ns / 1e9, Nsec: uint32(ns % 1e9)}
}

// The tightest reading counts, and an impossible one does not. Two clocks that a driver read at once have no bound.
func TestPTPReadings(t *testing.T) {
	const at = 1_800_000_000_000_000_000
	impossible := unix.PtpClockTime{Sec: 8_000_000_000}
	for name, test := range map[string]struct {
		readings      [][3]unix.PtpClockTime
		offset, bound int64
		err           string
	}{
		"at once": {readings: [][3]unix.PtpClockTime{{ptpAt(at), ptpAt(at + 2_000_000_123), ptpAt(at)}}, offset: 2_000_000_123},
		"several": {readings: [][3]unix.PtpClockTime{
			{ptpAt(at), ptpAt(at - 5000), ptpAt(at + 9000)}, {ptpAt(at), ptpAt(at - 100), ptpAt(at + 600)},
			{ptpAt(at), impossible, ptpAt(at)}, {ptpAt(at), ptpAt(at - 5000), ptpAt(at + 7000)},
		}, offset: -400, bound: 300},
		"the wall was stepped": {readings: [][3]unix.PtpClockTime{{ptpAt(at + 1000), ptpAt(at + 100), ptpAt(at + 50)}}, offset: -900},
		"beyond the limit":     {readings: [][3]unix.PtpClockTime{{ptpAt(at), ptpAt(0), ptpAt(at)}}, offset: -1e18},
		"none":                 {err: "no reading"},
		"impossible":           {readings: [][3]unix.PtpClockTime{{ptpAt(at), impossible, ptpAt(at)}}, err: "ptp0: its time is 8000000000 s after 1970"},
	} {
		of := result.WallOffset{Against: "ptp0"}
		if err := tightest(&of, test.readings); test.err != "" {
			require.EqualError(t, err, test.err, name)
			require.Nil(t, of.OffsetNS, name)
			continue
		}
		require.Equal(t, []int64{test.offset, test.bound}, []int64{*of.OffsetNS, of.BoundNS}, name)
	}
}

// A step of the wall clock is judged by the same clock as its offset.
func TestRTCSeconds(t *testing.T) {
	const rtc0, rtc1 = "sys/class/rtc/rtc0/", "sys/class/rtc/rtc1/"
	for chosen, want := range map[string]int64{"0": 5, "1": 7} {
		seconds, ok := rtcSecondsIn(rooted(t, map[string]string{
			rtc0 + "since_epoch": "5", rtc1 + "since_epoch": "7", rtc1 + "hctosys": chosen,
		}))
		require.True(t, ok)
		require.Equal(t, want, seconds)
	}
	for _, files := range []map[string]string{{}, {rtc0 + "name": "rtc-efi"}} {
		_, ok := rtcSecondsIn(rooted(t, files))
		require.False(t, ok)
	}
}
