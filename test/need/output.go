package need

import (
	"bytes"
	"fmt"
	"os/exec"
	"testing"
	"time"
)

// Output runs a command, which must succeed, and returns its standard output. The failure shows all that it printed.
func Output(t testing.TB, command *exec.Cmd) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := Run(command); err != nil {
		t.Fatalf("%q: %v\n%s%s", command.Args, err, &stdout, &stderr)
	}
	return stdout.Bytes()
}

// Run runs a command, and kills it after a [Long] time, so that a hang fails the test instead of all tests of the
// package. A child that outlives the command may keep its output open for ten more seconds.
func Run(command *exec.Cmd) error {
	command.WaitDelay = 10 * time.Second
	if err := command.Start(); err != nil {
		return err
	}
	end := time.AfterFunc(Long, func() { _ = command.Process.Kill() })
	err := command.Wait()
	if !end.Stop() {
		return fmt.Errorf("it did not end in %v: %w", Long, err)
	}
	return err
}
