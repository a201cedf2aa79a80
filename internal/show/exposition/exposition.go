// Package exposition writes metrics in the text format of Prometheus, which its server, the
// textfile collector of node_exporter and most other collectors read:
// https://prometheus.io/docs/instrumenting/exposition_formats/.
//
// The format is small, and the libraries that write it add between 1 and 8 MB to the program. The
// tests hold it against promtool and the parser of Prometheus.
package exposition

import (
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
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

// A Family is a metric: all samples of one name.
type Family struct {
	// Name ends with its unit, in base units: timebench_clock_read_seconds. That of a counter ends
	// with _total.
	Name string
	// Help is one sentence.
	Help string
	// Type is Gauge or Counter.
	Type string
	// Samples have different labels. A Family without one is left out.
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
	nameOf  = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)
	labelOf = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
)

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	valueEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// Write writes the families in their order, all or nothing. It returns an error for a name that the format
// does not allow, for two samples with the same labels, and what w returns.
func Write(w io.Writer, families []Family) error {
	var out strings.Builder
	names := map[string]bool{}
	for _, f := range families {
		if len(f.Samples) == 0 {
			continue
		}
		if !nameOf.MatchString(f.Name) || names[f.Name] {
			return fmt.Errorf("metric %q: the name is not allowed, or stands twice", f.Name)
		}
		names[f.Name] = true
		fmt.Fprintf(&out, "# HELP %s %s\n# TYPE %s %s\n", f.Name, helpEscapes.Replace(valid(f.Help)), f.Name, f.Type)
		seen := map[string]bool{}
		for _, s := range f.Samples {
			labels, err := labelsOf(s.Labels)
			if err == nil && seen[labels] {
				err = errors.New("two samples have the same labels")
			}
			if err != nil {
				return fmt.Errorf("metric %s: %w", f.Name, err)
			}
			seen[labels] = true
			fmt.Fprintf(&out, "%s%s %s\n", f.Name, labels, number(s.Value))
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func labelsOf(pairs []string) (string, error) {
	if len(pairs) == 0 {
		return "", nil
	}
	if len(pairs)%2 != 0 {
		return "", fmt.Errorf("label %q has no value", pairs[len(pairs)-1])
	}
	var all []string
	names := map[string]bool{}
	for i := 0; i < len(pairs); i += 2 {
		if !labelOf.MatchString(pairs[i]) || strings.HasPrefix(pairs[i], "__") || names[pairs[i]] {
			return "", fmt.Errorf("label %q: the name is not allowed, or stands twice", pairs[i])
		}
		names[pairs[i]] = true
		all = append(all, pairs[i]+`="`+valueEscapes.Replace(valid(pairs[i+1]))+`"`)
	}
	return "{" + strings.Join(all, ",") + "}", nil
}

// valid returns a text that is UTF-8, which the format asks for.
func valid(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// digits are those of a value: as many as a float64 always keeps.
const digits = 15

func number(value float64) string {
	switch {
	case math.IsNaN(value):
		return "NaN"
	case math.IsInf(value, 1):
		return "+Inf"
	case math.IsInf(value, -1):
		return "-Inf"
	default:
		return strconv.FormatFloat(value, 'g', digits, 64)
	}
}
