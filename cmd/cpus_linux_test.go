package cmd

import (
	"bytes"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/machine/thread"
	faults "github.com/timebench/timebench/test/planted"
)

// A CPU that taskset(1) took away is refused, and so is a CPU that does not exist.
func TestCPUOutsideOfTheAffinity(t *testing.T) {
	cpus := faults.TwoCPUs(t)
	away, left := strconv.Itoa(cpus[0]), strconv.Itoa(cpus[1])
	for _, args := range [][]string{
		{"compare", "time.Now@go", "--threads", "1", "--throughput-time", "1ms", "--rounds", "1", "--pin"},
		{"verify", "time.Now@go", "--duration", "10ms", "--cpus"},
		{"skew", "time.Now@go", "--duration", "10ms", "--cpus"},
	} {
		flag := args[len(args)-1]
		for _, list := range []string{away, left + "," + away, "65535"} {
			outside := away
			if list == "65535" {
				outside = list
			}
			status, stdout, stderr := ranOn(t, cpus[1], append(args, list)...)
			require.Equal(t, 2, status, args)
			require.Empty(t, stdout)
			require.Equal(t, "timebench: "+flag+": CPU "+outside+
				" does not exist or is not allowed to this process; it may use CPU "+left+"\n", stderr)
		}
	}
	status, _, stderr := ranOn(t, cpus[1], "compare", "time.Now@go", "--threads", "1", "--throughput-time", "1ms",
		"--rounds", "1",
		"--pin", left)
	require.Zero(t, status, stderr)
}

// ranOn runs timebench with one CPU as its affinity, which it inherits from a thread.
func ranOn(t *testing.T, cpu int, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out bytes.Buffer
	command := exec.Command("timebench", args...)
	command.Stdout = &out
	var running *started
	var err error
	require.NoError(t, thread.Run(cpu, func() { running, err = start(command) }))
	require.NoError(t, err)
	return running.status(), out.String(), running.stderr.String()
}
