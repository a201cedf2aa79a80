// Package deploy tests the files of the folder deploy with the programs that they are for.
package deploy

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/report/render"
	"github.com/timebench/timebench/internal/show/exposition"
	"github.com/timebench/timebench/internal/watch"
	"github.com/timebench/timebench/test/need"
)

const rules = "../../deploy/prometheus/timebench.rules.yml"

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(content)
}

// The alerts fire, do not fire and resolve as their tests say.
func TestAlertRules(t *testing.T) {
	promtool := need.Program(t, "promtool")
	for _, args := range [][]string{
		{"check", "rules", "timebench.rules.yml"}, {"check", "config", "prometheus.yml"},
		{"test", "rules", "timebench.test.yml"},
	} {
		command := exec.Command(promtool, args...)
		command.Dir = "../../deploy/prometheus"
		need.Output(t, command)
	}
	tests := read(t, "../../deploy/prometheus/timebench.test.yml")
	for _, alert := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(read(t, rules), -1) {
		fires := regexp.MustCompile(`alertname: ` + alert[1] + `\s+exp_alerts:\s+- exp_labels`)
		require.Regexp(t, fires, tests, "a test in which the alert fires")
		require.Contains(t, tests, "alertname: "+alert[1]+", exp_alerts: []", "a test in which it does not")
	}
}

// exported returns the metrics of a machine with this latency and kernel entry of reads of the time.
func exported(t *testing.T, readNS float64, entry string, findings ...result.Finding) string {
	t.Helper()
	const id = "CLOCK_MONOTONIC@vdso"
	samples := []float64{readNS, readNS, readNS, readNS, readNS, readNS}
	d := &result.Document{
		GeneratedAt: time.Now(), Tool: result.Tool{Version: "test"}, Findings: findings,
		Host: result.Host{ClockSource: &result.ClockSource{Current: "tsc"}},
	}
	compare.Into(d).Clocks = []compare.Clock{{
		ID: id, Path: "vdso", Available: true, KernelEntry: entry, Latency: compare.LatencyOf(samples, samples),
		Resolution: &compare.Resolution{TickNS: 1},
	}}
	state := &watch.State{QuietNS: map[string]float64{id: readNS}, TimeSync: &result.TimeSync{Synchronised: true},
		Started: time.Now()}
	var out bytes.Buffer
	require.NoError(t, exposition.Write(&out, append(render.DoctorMetrics(d), state.Metrics()...)))
	return out.String()
}

var slow = result.Finding{Kind: "kernel-entry", Severity: result.Error}

// Every metric that an alert or the dashboard names exists.
func TestMetricsExist(t *testing.T) {
	all := exported(t, 22, result.Never, slow)
	for _, name := range []string{rules, "../../deploy/prometheus/timebench.test.yml",
		"../../deploy/grafana/timebench.json"} {
		found := regexp.MustCompile(`\btimebench_[a-z_]+\b`).FindAllString(read(t, name), -1)
		require.NotEmpty(t, found, name)
		for _, metric := range found {
			require.Contains(t, all, "\n# TYPE "+metric+" ", "of %s", name)
		}
	}
}

// address returns an address of the loopback on which no program listens now.
func address(t *testing.T) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, free.Close())
	return free.Addr().String()
}

// start starts a server, and waits until it answers at the path. The test ends it.
func start(t *testing.T, address, path, program string, args ...string) {
	t.Helper()
	said := daemon(t, os.Environ(), program, args...)
	need.Until(t, program+" answers", func() bool {
		answer, err := http.Get("http://" + address + path)
		if err == nil {
			_ = answer.Body.Close()
		}
		return err == nil && answer.StatusCode == http.StatusOK
	}, said.String)
}

// get returns the body of a page.
func get(t *testing.T, page string) []byte {
	t.Helper()
	answer, err := http.Get("http://" + page)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode, "%s: %s", page, body)
	return body
}

// A demotion that a machine exports reaches Alertmanager through node_exporter and Prometheus, and is resolved
// when the machine is well again. The durations of the alerts are shorter than in deploy.
func TestAlertReachesAlertmanager(t *testing.T) {
	need.Minutes(t)
	prometheus, manager, exporter := need.Program(t, "prometheus"), need.Program(t,
		"prometheus-alertmanager"), need.Program(t, "prometheus-node-exporter")
	folder := t.TempDir()
	textfile := filepath.Join(folder, "textfiles", "timebench.prom")
	require.NoError(t, os.Mkdir(filepath.Dir(textfile), 0o700))
	put := func(metrics string) {
		require.NoError(t, os.WriteFile(textfile+".new", []byte(metrics), 0o600))
		require.NoError(t, os.Rename(textfile+".new", textfile))
	}
	put(exported(t, 22, result.Never))

	atExporter, atManager, atPrometheus := address(t), address(t), address(t)
	config := strings.NewReplacer("127.0.0.1:9093", atManager, "127.0.0.1:9100", atExporter, "scrape_interval: 30s",
		"scrape_interval: 1s").
		Replace(read(t, "../../deploy/prometheus/prometheus.yml"))
	config = "global: {scrape_interval: 1s, evaluation_interval: 1s}\n" + config
	quick := regexp.MustCompile(`for: \w+`).ReplaceAllString(read(t, rules), "for: 1s")
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	write("timebench.rules.yml", quick)
	start(t, atExporter, "/metrics", exporter, "--web.listen-address="+atExporter,
		"--collector.disable-defaults", "--collector.textfile", "--collector.textfile.directory="+filepath.Dir(textfile))
	start(t, atManager, "/-/ready", manager, "--web.listen-address="+atManager, "--cluster.listen-address=",
		"--storage.path="+filepath.Join(folder, "alertmanager"),
		"--config.file="+write("alertmanager.yml", "route: {receiver: none}\nreceivers: [{name: none}]\n"))
	start(t, atPrometheus, "/-/ready", prometheus, "--web.listen-address="+atPrometheus, "--storage.tsdb.path="+
		filepath.Join(folder, "prometheus"),
		"--config.file="+write("prometheus.yml", config))

	firing := func() (names []string) {
		body := get(t, atManager+"/api/v2/alerts?active=true")
		var alerts []struct {
			Labels map[string]string
			EndsAt time.Time
		}
		require.NoError(t, json.Unmarshal(body, &alerts), "%s", body)
		for _, a := range alerts {
			if a.EndsAt.After(time.Now()) && a.Labels["instance"] == atExporter {
				names = append(names, a.Labels["alertname"])
			}
		}
		return names
	}
	query := func(expression string) string {
		return string(get(t, atPrometheus+"/api/v1/query?query="+url.QueryEscape(expression)))
	}
	need.Until(t, "Prometheus has metrics", func() bool {
		return strings.Contains(query("timebench_clock_enters_kernel"), "CLOCK_MONOTONIC@vdso")
	})
	// Prometheus accepts the queries of the dashboard.
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, "../../deploy/grafana/timebench.json")), &board))
	for _, p := range board.Panels {
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			query(strings.NewReplacer("$instance", ".*", "$__rate_interval", "1m").Replace(target.Expr))
		}
	}
	require.Empty(t, firing())

	put(exported(t, 1600, result.Always, slow))
	state := func() string { return strings.Join(firing(), " ") }
	need.Until(t, "the alerts", func() bool {
		text := state()
		return strings.Contains(text, "ClockReadsEnterKernel") && strings.Contains(text,
			"ClockReadsAreSlow") && strings.Contains(text, "ClockFinding")
	}, state)
	put(exported(t, 22, result.Never))
	need.Until(t, "the alerts are resolved", func() bool { return len(firing()) == 0 }, state)
}
