// Package exposition writes metrics in the text format of Prometheus, which its server, the textfile collector of
// node_exporter and most other collectors read: https://prometheus.io/docs/instrumenting/exposition_formats/.
//
// The format is small, and the libraries that write it add between 1 and 8 MB to the program. The tests compare it with
// promtool and the parser of Prometheus.
package exposition

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// ContentType is the media type of the text.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// The types of a metric.
const (
	Gauge   = "gauge"   // a value that goes up and down
	Counter = "counter" // a value that only goes up, from 0 at the start of the program
)

// A Family is a metric: all samples with the same name.
type Family struct {
	// Name ends with its unit, in base units: timebench_clock_read_seconds. The name of a counter ends with _total.
	Name string
	// Help is one sentence.
	Help string
	// Type is Gauge or Counter.
	Type string
	// Samples have different labels. A Family without samples is left out.
	Samples []Sample
}

// A Sample is one value.
type Sample struct {
	// Labels are pairs of a name and a value. The values may hold any text.
	Labels []string
	Value  float64
}

// One returns a Family with one sample, which has no labels.
func One(name, kind, help string, value float64) Family {
	return Family{name, help, kind, []Sample{{Value: value}}}
}

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	valueEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// Write writes the families in their order, all or nothing. Of samples with the same labels it writes the first.
func Write(w io.Writer, families []Family) error {
	var out strings.Builder
	for _, f := range families {
		if len(f.Samples) == 0 {
			continue
		}
		fmt.Fprintf(&out, "# HELP %s %s\n# TYPE %s %s\n", f.Name, helpEscapes.Replace(valid(f.Help)), f.Name, f.Type)
		seen := map[string]bool{}
		for _, s := range f.Samples {
			if labels := labelsOf(s.Labels); !seen[labels] {
				seen[labels] = true
				fmt.Fprintf(&out, "%s%s %s\n", f.Name, labels, number(s.Value))
			}
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func labelsOf(pairs []string) string {
	var all []string
	for pair := range slices.Chunk(pairs, 2) {
		all = append(all, pair[0]+`="`+valueEscapes.Replace(valid(pair[1]))+`"`)
	}
	if len(all) == 0 {
		return ""
	}
	return "{" + strings.Join(all, ",") + "}"
}

// valid returns the text as valid UTF-8, which the format requires.
func valid(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// number returns a value with as many digits as a float64 always keeps.
func number(value float64) string { return strconv.FormatFloat(value, 'g', 15, 64) }
