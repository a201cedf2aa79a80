package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// maxSize bounds a document in bytes. One of 100 clocks, 1,024 thread counts
// and 1,000 rounds has about 20 MiB.
const maxSize = 64 << 20

// Load reads the document in the named file. It refuses what is not a whole and
// possible document, and says in which file and where.
func Load(name string) (*Document, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	document, err := Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return document, nil
}

// Read reads one document, which must be all that r holds.
func Read(r io.Reader) (*Document, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxSize {
		return nil, fmt.Errorf("is larger than %d MiB, which no document is", maxSize>>20)
	}
	// The schema comes first: a newer document may well have other types.
	var head struct {
		Schema *string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, place(data, err)
	}
	if head.Schema == nil {
		return nil, errors.New("has no schema: not a timebench document")
	}
	if *head.Schema != Schema {
		return nil, fmt.Errorf("schema is %q; this timebench reads %q", *head.Schema, Schema)
	}
	var document Document
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, place(data, err)
	}
	return &document, document.check()
}

// place adds line and column to an error of the JSON decoder.
func place(data []byte, err error) error {
	var offset int64
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	default:
		return err
	}
	before := data[:min(offset, int64(len(data)))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n') - 1
	return fmt.Errorf("line %d, column %d: %w", line, column, err)
}

// check refuses values that cannot be.
func (d *Document) check() error {
	c := checker{}
	c.positive("settings.rounds", float64(d.Settings.Rounds))
	c.notNegative("settings.time_ns", float64(d.Settings.TimeNS))
	for i, threads := range d.Settings.Threads {
		c.positive(fmt.Sprintf("settings.threads[%d]", i), float64(threads))
	}
	c.notNegative("host.cpu.logical", float64(d.Host.CPU.Logical))
	c.notNegative("host.cpu.usable", float64(d.Host.CPU.Usable))
	c.notNegative("host.cpu.physical", float64(d.Host.CPU.Physical))
	c.notNegative("host.cpu.packages", float64(d.Host.CPU.Packages))
	c.notNegative("floor_ns", d.FloorNS)
	c.notNegative("host.cpu.tsc_hz", d.Host.CPU.TSCHz)
	c.notNegative("host.cpu.quota_cpus", d.Host.CPU.Quota)
	c.notNegative("host.cpu.quota_period_ns", float64(d.Host.CPU.QuotaPeriodNS))
	seen := map[string]bool{}
	for i, clock := range d.Clocks {
		at := fmt.Sprintf("clocks[%d] (%s)", i, clock.ID)
		if clock.ID == "" {
			c.fail(at, "has no id")
		}
		if seen[clock.ID] {
			c.fail(at, "stands twice")
		}
		seen[clock.ID] = true
		clock.check(&c, at)
	}
	return c.err
}

func (clock *Clock) check(c *checker, at string) {
	c.notNegative(at+".ticks_per_second", clock.TicksPerSecond)
	if l := clock.Latency; l != nil {
		c.notNegative(at+".latency.median_ns", l.MedianNS)
		c.notNegative(at+".latency.low_ns", l.LowNS)
		c.notNegative(at+".latency.high_ns", l.HighNS)
		c.notNegative(at+".latency.min_ns", l.MinNS)
		if l.Confidence < 0 || l.Confidence > 1 {
			c.fail(at+".latency.confidence", fmt.Sprintf("is %v, not between 0 and 1", l.Confidence))
		}
		for i, sample := range l.SamplesNS {
			c.notNegative(fmt.Sprintf("%s.latency.samples_ns[%d]", at, i), sample)
		}
	}
	if r := clock.Resolution; r != nil {
		c.notNegative(at+".resolution.tick_ns", r.TickNS)
		c.notNegative(at+".resolution.reported_ns", r.ReportedNS)
		c.notNegative(at+".resolution.watched_ns", float64(r.WatchedNS))
		c.notNegative(at+".resolution.ticks", float64(r.Ticks))
		c.notNegative(at+".resolution.backwards", float64(r.Backwards))
		c.notNegative(at+".resolution.worst_backwards_ns", r.WorstBackwardsNS)
	}
	for i, t := range clock.Throughput {
		at := fmt.Sprintf("%s.throughput[%d]", at, i)
		c.positive(at+".threads", float64(t.Threads))
		c.notNegative(at+".reads_per_second", t.ReadsPerSecond)
		c.notNegative(at+".ns_per_read", t.NSPerRead)
		if t.Fairness < 0 || t.Fairness > 1 {
			c.fail(at+".fairness", fmt.Sprintf("is %v, not between 0 and 1", t.Fairness))
		}
		for j, sample := range t.SamplesReadsPerSecond {
			c.notNegative(fmt.Sprintf("%s.samples_reads_per_second[%d]", at, j), sample)
		}
	}
}

// A checker keeps the first fault.
type checker struct{ err error }

func (c *checker) fail(at, what string) {
	if c.err == nil {
		c.err = fmt.Errorf("%s %s", at, what)
	}
}

func (c *checker) notNegative(at string, value float64) {
	if value < 0 || math.IsNaN(value) || math.IsInf(value, 0) {
		c.fail(at, fmt.Sprintf("is %v, which cannot be", value))
	}
}

func (c *checker) positive(at string, value float64) {
	if value <= 0 {
		c.fail(at, fmt.Sprintf("is %v, which cannot be", value))
	}
}
