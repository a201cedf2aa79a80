package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/watch"
	"github.com/timebench/timebench/test/memory"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

var watched = flag.Duration("watched", time.Minute, "how long BenchmarkWatch watches")

// A watching is a running timebench watch.
type watching struct {
	*exec.Cmd
	address string
	mutex   sync.Mutex
	events  []watch.Event
	stderr  bytes.Buffer // complete after end
	readers sync.WaitGroup
}

// startWatch starts a watch with --listen and --format json by this command line before its own arguments, and waits
// until it reports where it listens.
func startWatch(t testing.TB, start []string, args ...string) *watching {
	t.Helper()
	args = slices.Concat(start[1:], []string{"watch", "--listen", ":0", "--format", "json", "--every", "1s"}, args)
	command := exec.Command(start[0], args...)
	w := &watching{Cmd: command}
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	stderr, err := command.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() { // after a failure
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	lines := bufio.NewReader(stderr)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	address := regexp.MustCompile(`http://(127\.0\.0\.1:\d+)/metrics`).FindStringSubmatch(line)
	require.NotNil(t, address, line)
	w.address = address[1]
	w.readers.Go(func() { _, _ = lines.WriteTo(&w.stderr) })
	w.readers.Go(func() {
		for events := json.NewDecoder(stdout); ; {
			var e watch.Event
			if events.Decode(&e) != nil {
				return
			}
			w.mutex.Lock()
			w.events = append(w.events, e)
			w.mutex.Unlock()
		}
	})
	return w
}

// end ends the watch by a signal, whose exit status is 0.
func (w *watching) end(t *testing.T, signal syscall.Signal) {
	t.Helper()
	require.NoError(t, w.Process.Signal(signal))
	need.Ends(t, "watch after the signal "+signal.String(), w.readers.Wait) // Wait closes what they read
	require.NoError(t, w.Wait(), "%v: %s", signal, &w.stderr)
}

// waitFor waits until the watch has reported an event of this kind whose message has this text.
func (w *watching) waitFor(t *testing.T, kind, text string) {
	t.Helper()
	need.Until(t, "an event "+kind+" "+text, func() bool {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		return slices.ContainsFunc(w.events, func(e watch.Event) bool {
			return e.Kind == kind &&
				strings.Contains(e.Message, text)
		})
	})
}

// page returns a page of the watch, once it is there.
func (w *watching) page(t testing.TB, path string) (text string) {
	t.Helper()
	need.Until(t, path, func() bool {
		answer, err := http.Get("http://" + w.address + path)
		require.NoError(t, err)
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		text = string(body)
		return answer.StatusCode == http.StatusOK
	})
	return text
}

// Each signal ends a watch with status 0, and leaves the metrics and no other file. Prometheus can read them.
func TestWatch(t *testing.T) {
	t.Parallel()
	promtool := need.Program(t, "promtool")
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			file := filepath.Join(folder, "timebench.prom")
			w := startWatch(t, []string{"timebench"}, "--textfile", file)
			metrics := w.page(t, "/metrics")
			require.Equal(t, "ok\n", w.page(t, "/healthz"))
			for _, name := range []string{
				"timebench_clock_read_seconds{clock=", "timebench_clock_enters_kernel{clock=", "timebench_clocksource_info{current=",
				"timebench_findings{severity=", `timebench_watch_events_total{event="clock_source"} 0`,
				"timebench_stall_seconds_total", "timebench_last_run_timestamp_seconds ", `timebench_build_info{version="0.1.0-dev"`,
			} {
				require.Contains(t, metrics, name)
			}
			need.Until(t, "the textfile", func() bool { content, _ := os.ReadFile(file); return len(content) > 0 })
			w.end(t, signal)
			require.Empty(t, w.stderr.String())
			require.Len(t, need.FilesIn(t, folder), 1)
			written, err := os.ReadFile(file)
			require.NoError(t, err)
			for name, content := range map[string]string{"the page": metrics, "the file": string(written)} {
				command := exec.Command(promtool, "check", "metrics")
				command.Stdin = strings.NewReader(content)
				said, err := command.CombinedOutput()
				require.NoError(t, err, "%s: %s", name, said)
				require.Empty(t, string(said), name)
			}
		})
	}
}

// A watch that nohup(1) starts goes on after SIGHUP. Another one cannot have its port: one line, and status 1.
func TestWatchUnderNohup(t *testing.T) {
	t.Parallel()
	w := startWatch(t, []string{need.Program(t, "nohup"), "timebench"})
	w.page(t, "/metrics")
	require.NoError(t, w.Process.Signal(syscall.SIGHUP))
	turns := regexp.MustCompile(`timebench_watch_turns_total \d+`)
	before := turns.FindString(w.page(t, "/metrics"))
	require.NotEmpty(t, before)
	need.Until(t, "the next turn", func() bool { return turns.FindString(w.page(t, "/metrics")) != before })
	status, stdout, stderr := ran(t, "timebench", "watch", "--listen", w.address)
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Equal(t, "timebench: --listen "+w.address+": bind: address already in use\n", stderr)
	w.end(t, syscall.SIGTERM)
	require.Empty(t, w.stderr.String())
}

// Metrics that cannot be written are an event, and so is the first file after that. The others are served.
func TestWatchFullDisk(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "64k")
	file := filepath.Join(disk, "timebench.prom")
	w := startWatch(t, []string{"timebench"}, "--textfile", file)
	need.Until(t, "the textfile", func() bool { _, err := os.Stat(file); return err == nil })
	fill(t, disk, 0)
	w.waitFor(t, watch.Textfile, "metrics are not written: "+file+" cannot be written: no space left on device")
	require.Contains(t, w.page(t, "/metrics"), `timebench_watch_events_total{event="textfile"}`)
	require.Equal(t, "ok\n", w.page(t, "/healthz"))
	last, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(last), "timebench_watch_turns_total", "the last file that could be written")
	require.NoError(t, os.Remove(filepath.Join(disk, "ballast")))
	w.waitFor(t, watch.Textfile, "metrics are written into "+file+" again")
	w.end(t, syscall.SIGTERM)
	require.Len(t, need.FilesIn(t, disk), 1)
}

// The reader of standard output or standard error may end, or stop reading: the watch goes on, and ends at the first
// signal.
func TestWatchWithoutAReader(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ stderr, closed bool }{
		"standard output ended":         {closed: true},
		"standard output reads no more": {},
		"standard error ended":          {stderr: true, closed: true},
		"standard error reads no more":  {stderr: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "textfiles")
			require.NoError(t, os.Mkdir(folder, 0o700))
			file := filepath.Join(folder, "timebench.prom")
			command := exec.Command("timebench", "watch", "--every", "1s", "--textfile", file)
			read, write, err := os.Pipe()
			require.NoError(t, err)
			_, err = unix.FcntlInt(write.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize())
			require.NoError(t, err)
			_, err = write.Write(make([]byte, os.Getpagesize())) // full
			require.NoError(t, err)
			command.Stdout = write
			if c.stderr {
				command.Stdout, command.Stderr = nil, write
			}
			running := requireStart(t, command)
			require.NoError(t, write.Close())
			defer func() { _ = read.Close() }()
			if c.closed {
				require.NoError(t, read.Close())
			}
			appears := func() bool { _, err := os.Stat(file); return err == nil }
			require.NoError(t, running.until("the textfile", appears))
			// Each of these causes an event that stays unread.
			require.NoError(t, os.Rename(folder, folder+".away"))
			time.Sleep(2 * time.Second)
			require.NoError(t, os.RemoveAll(folder+".away"))
			require.NoError(t, os.Mkdir(folder, 0o700))
			require.NoError(t, running.until("the next textfile", appears))
			require.NoError(t, running.Process.Signal(syscall.SIGTERM))
			require.Zero(t, running.status())
			if stderr := running.stderr.String(); c.closed && !c.stderr {
				require.Equal(t, 1,
					strings.Count(stderr, "timebench: standard output cannot be written: broken pipe\n"), stderr)
			}
		})
	}
}

// BenchmarkWatch reports the share of a CPU and the memory of a watch with its default settings. Prometheus asks every
// 15 s.
func BenchmarkWatch(b *testing.B) {
	binary := need.Timebench(b) // without the tests, which take memory too
	for range b.N {
		command := exec.Command(binary, "watch", "--listen", "127.0.0.1:0", "--textfile",
			filepath.Join(b.TempDir(), "timebench.prom"))
		stderr, err := command.StderrPipe()
		require.NoError(b, err)
		require.NoError(b, command.Start())
		line, err := bufio.NewReader(stderr).ReadString('\n')
		require.NoError(b, err)
		url := regexp.MustCompile(`http://\S+/metrics`).FindString(line)
		for end := time.Now().Add(*watched); time.Now().Before(end); time.Sleep(min(15*time.Second, time.Until(end))) {
			if answer, err := http.Get(url); err == nil {
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
			}
		}
		peak, ok := memory.PeakBytes(command.Process.Pid)
		require.True(b, ok)
		require.NoError(b, command.Process.Signal(syscall.SIGTERM))
		require.NoError(b, command.Wait())
		used := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
		b.ReportMetric(used.Seconds()/watched.Seconds()*100, "%CPU")
		b.ReportMetric(float64(peak)/1e6, "MB")
	}
}
