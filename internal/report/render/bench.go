package render

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/words"
	"golang.org/x/perf/benchfmt"
)

// errNoSamples is returned instead of a file in which benchstat finds nothing.
var errNoSamples = errors.New("the result has no samples of latency or throughput, and Go benchmark text holds nothing else; write json, which holds all")

// Bench writes Go benchmark text, one line for each sample, for benchstat and similar tools
// (https://go.dev/design/14313-benchmark-format). The configuration lines have the facts of the
// host.
func Bench(w io.Writer, d *result.Document) error {
	all := samples(d)
	if len(all) == 0 {
		return errNoSamples
	}
	return writeBench(benchfmt.NewWriter(w), all, benchConfig(d))
}

func samples(d *result.Document) []section.Sample {
	var all []section.Sample
	for _, s := range section.In(d) {
		if with, ok := s.(section.Sampled); ok {
			all = append(all, with.Samples(d)...)
		}
	}
	return all
}

// DiffBench writes the samples of both documents, with the key "run": `benchstat -col run`
// compares them. It leaves out facts that differ, because benchstat compares only results with
// equal facts.
func DiffBench(w io.Writer, d *diff.Diff) error {
	old, new := samples(d.Old.Document), samples(d.New.Document)
	if len(old)+len(new) == 0 {
		return errNoSamples
	}
	writer := benchfmt.NewWriter(w)
	common := alike(benchConfig(d.Old.Document), benchConfig(d.New.Document))
	if err := writeBench(writer, old, append(slices.Clip(common), setting("run", "old"))); err != nil {
		return err
	}
	return writeBench(writer, new, append(slices.Clip(common), setting("run", "new")))
}

func writeBench(w *benchfmt.Writer, samples []section.Sample, config []benchfmt.Config) error {
	// benchstat knows that shorter times are better, but not that more reads/s are.
	better := &benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: "reads/s", Key: "better"},
		OrigUnit: "reads/s", Value: "higher"}
	if err := w.Write(better); err != nil {
		return err
	}
	for _, sample := range samples {
		// In the unit of the text; benchfmt itself uses seconds.
		values := []benchfmt.Value{{Value: sample.NSPerRead / 1e9, Unit: "sec/op", OrigValue: sample.NSPerRead, OrigUnit: "ns/op"}}
		if sample.ReadsPerSecond > 0 {
			values = append(values, benchfmt.Value{Value: sample.ReadsPerSecond, Unit: "reads/s"})
		}
		if err := w.Write(&benchfmt.Result{Config: config, Name: benchfmt.Name(sample.Name), Iters: 1,
			Values: values}); err != nil {
			return err
		}
	}
	return nil
}

func alike(a, b []benchfmt.Config) []benchfmt.Config {
	return slices.DeleteFunc(a, func(of benchfmt.Config) bool {
		return !slices.ContainsFunc(b, func(other benchfmt.Config) bool {
			return other.Key == of.Key && bytes.Equal(other.Value, of.Value)
		})
	})
}

// benchConfig returns the facts by which benchstat can group. `go test -bench` writes goos, goarch
// and cpu too.
func benchConfig(d *result.Document) []benchfmt.Config {
	h := d.Host
	all := []benchfmt.Config{
		setting("goos", h.OS), setting("goarch", h.Arch), setting("cpu", h.CPU.Model),
		setting("kernel", h.Kernel), setting("distribution", h.Distribution), setting("container", h.Container),
		setting("cpus", strconv.Itoa(h.CPU.Usable)),
		setting("timebench", strings.Join(words.Present(d.Tool.Version, d.Tool.Revision), " ")),
		setting("pin", d.Settings.Pin), setting("workers", d.Settings.Workers),
	}
	if h.Virtualization != nil {
		all = append(all, setting("virtualization", h.Virtualization.System+" "+h.Virtualization.Role))
	}
	if h.ClockSource != nil {
		all = append(all, setting("clocksource", h.ClockSource.Current))
	}
	return slices.DeleteFunc(all, func(c benchfmt.Config) bool { return len(c.Value) == 0 })
}

// setting returns a configuration line, with the value on one line.
func setting(key, value string) benchfmt.Config {
	return benchfmt.Config{Key: key, Value: []byte(strings.Join(strings.Fields(value), " ")), File: true}
}
