package result

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func example() *Document {
	yes := true
	return &Document{
		Schema: Schema, GeneratedAt: time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC),
		Tool: Tool{Version: "0.1.0", Revision: "abc1234", Go: "go1.26.8"},
		Host: Host{
			OS: "linux", Arch: "amd64", Kernel: "6.18.44",
			CPU:            CPU{Model: "AMD EPYC", Logical: 2, Usable: 2, Physical: 2, Packages: 1, InvariantTSC: &yes, TSCHz: 2596122000},
			Virtualization: &Virtualization{System: "kvm", Role: "guest"},
			ClockSource:    &ClockSource{Current: "tsc", Available: []string{"tsc", "kvm-clock"}},
		},
		Settings: Settings{Threads: []int{1, 2}, Rounds: 10, TimeNS: 1e8, Pin: "none", Workers: "threads"},
		FloorNS:  1.66,
		Clocks: []Clock{
			{
				ID: "CLOCK_MONOTONIC@vdso", Call: "clock_gettime(CLOCK_MONOTONIC)", Path: "vdso", Kind: "monotonic", Available: true, TicksPerSecond: 1e9,
				Latency:    &Latency{MedianNS: 20.2, LowNS: 20.1, HighNS: 20.3, Confidence: 0.95, MinNS: 20, SamplesNS: []float64{20.2, 20, 20.4}},
				Resolution: &Resolution{TickNS: 1, FinerThanRead: true, ReportedNS: 1, WatchedNS: 2e6, Ticks: 1e5},
				Throughput: []Throughput{{Threads: 1, ReadsPerSecond: 4.9e7, NSPerRead: 20.3, Fairness: 1, SamplesReadsPerSecond: []float64{4.9e7}}},
			},
			{ID: "hpet@mmio", Call: "hpet main counter", Path: "mmio", Reason: "/dev/hpet: no such file or directory"},
		},
	}
}

func TestRoundTrip(t *testing.T) {
	var saved bytes.Buffer
	require.NoError(t, example().Write(&saved))
	loaded, err := Read(bytes.NewReader(saved.Bytes()))
	require.NoError(t, err)
	require.Equal(t, example(), loaded)
}

// The document of the design, word for word, loads: it is the contract.
func TestContractLoads(t *testing.T) {
	document, err := Load("testdata/contract.json")
	require.NoError(t, err)
	require.Equal(t, "CLOCK_MONOTONIC@vdso", document.Clocks[0].ID)
	require.Equal(t, 20.2, document.Clocks[0].Latency.MedianNS)
	require.True(t, document.Clocks[0].Resolution.FinerThanRead)
	require.Equal(t, "/dev/hpet: no such file or directory", document.Clocks[1].Reason)
}

func TestReadRefuses(t *testing.T) {
	var saved bytes.Buffer
	require.NoError(t, example().Write(&saved))
	whole := saved.String()
	replace := func(from, to string) string {
		require.Contains(t, whole, from)
		return strings.Replace(whole, from, to, 1)
	}
	for name, bad := range map[string]struct{ text, want string }{
		"empty":                {"", "line 1, column 0: unexpected end of JSON input"},
		"not JSON":             {"timebench", "line 1, column 2: invalid character"},
		"truncated":            {whole[:len(whole)/2], "unexpected end of JSON input"},
		"concatenated":         {whole + whole, "after top-level value"},
		"no schema":            {`{}`, "has no schema: not a timebench document"},
		"an array":             {`[]`, "cannot unmarshal array"},
		"unknown schema":       {replace("timebench/1", "timebench/2"), `schema is "timebench/2"; this timebench reads "timebench/1"`},
		"wrong type":           {replace(`"median_ns": 20.2`, `"median_ns": "20.2"`), "line 55, column 27: "},
		"negative":             {replace(`"median_ns": 20.2`, `"median_ns": -20.2`), "clocks[0] (CLOCK_MONOTONIC@vdso).latency.median_ns is -20.2, which cannot be"},
		"negative sample":      {replace(`20.4`, `-20.4`), "latency.samples_ns[2] is -20.4"},
		"beyond a float":       {replace(`"median_ns": 20.2`, `"median_ns": 1e999`), "cannot unmarshal number 1e999"},
		"NaN":                  {replace(`"median_ns": 20.2`, `"median_ns": NaN`), "invalid character 'N'"},
		"zero threads":         {replace(`"threads": 1,`, `"threads": 0,`), "throughput[0].threads is 0, which cannot be"},
		"unfair":               {replace(`"fairness": 1`, `"fairness": 1.5`), "throughput[0].fairness is 1.5, not between 0 and 1"},
		"overconfident":        {replace(`"confidence": 0.95`, `"confidence": 95`), "latency.confidence is 95, not between 0 and 1"},
		"no rounds":            {replace(`"rounds": 10`, `"rounds": 0`), "settings.rounds is 0, which cannot be"},
		"duplicate clock":      {replace("hpet@mmio", "CLOCK_MONOTONIC@vdso"), "clocks[1] (CLOCK_MONOTONIC@vdso) stands twice"},
		"thread count of zero": {strings.Replace(whole, "\"threads\": [\n      1,", "\"threads\": [\n      0,", 1), "settings.threads[0] is 0, which cannot be"},
		"negative CPUs":        {replace(`"usable": 2`, `"usable": -2`), "host.cpu.usable is -2"},
		"negative ticks":       {replace(`"ticks": 100000`, `"ticks": -1`), "resolution.ticks is -1"},
		"clock without id":     {replace("hpet@mmio", ""), "clocks[1] () has no id"},
	} {
		_, err := Read(strings.NewReader(bad.text))
		require.ErrorContains(t, err, bad.want, name)
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "bad.json")
	require.NoError(t, os.WriteFile(name, []byte(`{"schema": 3}`), 0o600))
	_, err := Load(name)
	require.ErrorContains(t, err, name+": line 1, column 12: ")
	_, err = Load(filepath.Join(t.TempDir(), "absent.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

type zeros struct{ read int64 }

func (z *zeros) Read(p []byte) (int, error) {
	clear(p)
	z.read += int64(len(p))
	return len(p), nil
}

func TestReadStopsAtTheLargestDocument(t *testing.T) {
	var endless zeros
	_, err := Read(&endless)
	require.EqualError(t, err, "is larger than 64 MiB, which no document is")
	require.Less(t, endless.read, int64(4*maxSize))
}

func TestWriteRefusesWhatReadWouldRefuse(t *testing.T) {
	document := example()
	document.Clocks[0].Latency.HighNS = math.Inf(1)
	var saved bytes.Buffer
	require.ErrorContains(t, document.Write(&saved), "latency.high_ns is +Inf")
	require.Empty(t, saved.Bytes())
}

// What a run on this very machine left must load; CI names the file.
func TestRealDocumentLoads(t *testing.T) {
	name := os.Getenv("TIMEBENCH_DOCUMENT")
	if name == "" {
		t.Skip("TIMEBENCH_DOCUMENT names no file")
	}
	document, err := Load(name)
	require.NoError(t, err)
	require.NotEmpty(t, document.Clocks)
	for _, clock := range document.Clocks {
		if clock.Available {
			require.NotNil(t, clock.Latency, clock.ID)
			require.NotEmpty(t, clock.Throughput, clock.ID)
		}
	}
}

func FuzzRead(f *testing.F) {
	whole, err := json.Marshal(example())
	require.NoError(f, err)
	f.Add(whole)
	f.Add([]byte(`{"schema":"timebench/1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		document, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		require.NoError(t, document.Write(&again), "what was read cannot be written")
	})
}
