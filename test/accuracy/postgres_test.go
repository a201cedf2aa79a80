package accuracy

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/measured"
	"github.com/timebench/timebench/test/need"
)

// longNS is the min time of a long read. pg_test_timing up to version 17 takes the difference of whole microseconds,
// which is wrong by up to one either way, so longNS is far above that.
const longNS = 8000

// seconds is the time that pg_test_timing runs.
const seconds = 3

// A figure is the result of one of the instruments.
type figure struct {
	// typicalNS is pg_test_timing's average turn, timebench's median read.
	typicalNS float64
	// longPerSecond is the number of reads per second that took longNS or more.
	longPerSecond float64
}

var (
	loopTime = regexp.MustCompile(`(?i)loop time including overhead: ([\d.]+) ns`)
	unit     = regexp.MustCompile(`< us`)
	bar      = regexp.MustCompile(`(?m)^ *(\d+) +[\d.]+ +(\d+)$`)
)

// parse reads the output of pg_test_timing of version 17 or older.
func parse(out string) (f figure, err error) {
	loop := loopTime.FindStringSubmatch(out)
	if loop == nil || !unit.MatchString(out) {
		return f, fmt.Errorf("this is not what pg_test_timing up to version 17 says:\n%s", out)
	}
	f.typicalNS, _ = strconv.ParseFloat(loop[1], 64)
	for _, b := range bar.FindAllStringSubmatch(out, -1) {
		below, _ := strconv.ParseFloat(b[1], 64)
		count, _ := strconv.ParseFloat(b[2], 64)
		if below*1000 > longNS {
			f.longPerSecond += count / seconds
		}
	}
	return f, nil
}

func byPostgres(t testing.TB) figure {
	t.Helper()
	program, err := exec.LookPath("pg_test_timing")
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_test_timing"); err != nil && len(found) > 0 {
		program, err = found[0], nil
	}
	if err != nil {
		need.Missing(t, "pg_test_timing", err.Error())
	}
	f, err := parse(string(need.Output(t, exec.Command(program, "-d", strconv.Itoa(seconds)))))
	require.NoError(t, err)
	return f
}

// distribution also returns the latency that the same run measured.
func distribution(t testing.TB, timebench string) (f figure, latencyNS float64) {
	t.Helper()
	c := compare.Of(measured.Document(t, timebench, "compare", "CLOCK_MONOTONIC@vdso", "--threads", "1",
		"--throughput-time", "1ms", "--distribution")).Clocks[0]
	d := c.Distribution
	require.NotNil(t, d)
	var spentNS, long float64
	for _, b := range d.Buckets {
		spentNS += b.UpToNS * float64(b.Reads)
		if b.UpToNS >= longNS {
			long += float64(b.Reads)
		}
	}
	return figure{d.P50NS - d.BracketNS, long * 1e9 / spentNS}, c.Latency.MedianNS
}

// BenchmarkAgainstPgTestTiming compares the distribution of single reads with PostgreSQL's pg_test_timing, which reads
// the clock in a loop for seconds and has a histogram of the loop times in powers of two:
//
//	go test ./test/accuracy -run '^$' -bench AgainstPgTestTiming -benchtime 9x
//
// runs both in turn, nine times. The program is in Debian's package postgresql.
func BenchmarkAgainstPgTestTiming(b *testing.B) {
	timebench := need.Timebench(b)
	found := measured.Medians{}
	for b.Loop() {
		theirs := byPostgres(b)
		ours, latency := distribution(b, timebench)
		found.Add("ns-pg-loop", theirs.typicalNS)
		found.Add("ns-timebench", latency)
		found.Add("ns-timebench-p50-less-bracket", ours.typicalNS)
		found.Add("long-reads/s-pg", theirs.longPerSecond)
		found.Add("long-reads/s-timebench", ours.longPerSecond)
	}
	found.Report(b)
}
