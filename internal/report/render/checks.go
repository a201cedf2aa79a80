package render

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/printable"
	"github.com/timebench/timebench/internal/show/words"
)

// nagiosStates are the states of a plugin by the severity of its worst finding: Nagios Plugin
// Development Guidelines, "Plugin Return Codes".
var nagiosStates = map[string]string{result.Error: "CRITICAL", result.Warn: "WARNING"}

// A Check is the output of a health check: one line, and an exit status that decides.
type Check struct {
	// Error is the exit status for an error; the exit status for a warning is 1.
	Error int
	// Refuse writes why the check failed to standard output; nil if the program shows standard error.
	Refuse func(io.Writer, error) error
}

// nagiosUnknown writes an error as a status line, since Nagios does not show the standard error of a plugin.
func nagiosUnknown(w io.Writer, err error) error {
	_, unwritten := fmt.Fprintln(w, "UNKNOWN - "+strings.ReplaceAll(printable.OneLine(err.Error()), "|", "/"))
	return unwritten
}

// Line writes a diagnosis as one line.
func Line(w io.Writer, d *result.Document) error {
	severity, unchecked := "", ""
	if f := worst(d.Findings); f != nil {
		severity = f.Severity + ": "
	}
	if n := len(d.NotChecked); n > 0 {
		unchecked = fmt.Sprintf("; %d not checked", n)
	}
	_, err := fmt.Fprintln(w, severity+summary(d, d.Findings)+unchecked)
	return err
}

// Nagios writes a diagnosis as a status line with performance data: the latency of each everyday clock.
func Nagios(w io.Writer, d *result.Document) error {
	state, shown := "OK", d.Findings
	findings, told := diagnose.Conclusive(d)
	if f := worst(findings); f != nil {
		state, shown = nagiosStates[f.Severity], findings
	} else if !told {
		state = "UNKNOWN"
	}
	parts := []string{state + " - " + summary(d, shown)}
	for _, n := range diagnose.Unchecked(d) {
		parts = append(parts, "not checked: "+n.String())
	}
	// A bar begins the performance data.
	text := strings.ReplaceAll(strings.Join(parts, "; "), "|", "/")
	var data []string
	for _, c := range diagnose.Timed(d) {
		// The guidelines have no nanoseconds; us are microseconds.
		data = append(data, fmt.Sprintf("'%s'=%sus;;;0", strings.NewReplacer("'", "", "=", "").Replace(c.ID),
			strconv.FormatFloat(math.Round(situation.CostNS(c.Latency)*100)/1e5, 'f', -1, 64)))
	}
	if len(data) > 0 {
		text += " | " + strings.Join(data, " ")
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

// worst returns the first finding that is more than a note, or nil. Findings are sorted, the worst first.
func worst(findings []result.Finding) *result.Finding {
	i := slices.IndexFunc(findings, func(f result.Finding) bool { return f.Severity != result.Note })
	if i < 0 {
		return nil
	}
	return &findings[i]
}

// summary returns a diagnosis in one sentence: the worst finding and the number of others, or the latency of the clock
// of doctor's first line.
func summary(d *result.Document, findings []result.Finding) string {
	serious := slices.DeleteFunc(slices.Clone(findings),
		func(f result.Finding) bool { return f.Severity == result.Note })
	switch n := len(serious); n {
	case 0:
	case 1:
		return serious[0].Kind + ": " + serious[0].Title
	default:
		return fmt.Sprintf("%s (and %d more): %s", serious[0].Kind, n-1, serious[0].Title)
	}
	const none = "nothing at or above --fail-on"
	if c := diagnose.Answering(d); c != nil {
		return fmt.Sprintf("%s; %s %s ns/read", none, c.ID, words.NS(situation.CostNS(c.Latency)))
	}
	if !diagnose.Measured(d) {
		return "nothing was measured, so the cost of the clocks is unknown"
	}
	return none
}
