package render

import (
	"io"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/exposition"
	"github.com/timebench/timebench/internal/show/words"
)

// Prometheus writes the figures of a document as metrics.
func Prometheus(w io.Writer, d *result.Document) error {
	return exposition.Write(w, metrics(d))
}

// DoctorPrometheus writes a diagnosis as metrics: the figures, and the findings.
func DoctorPrometheus(w io.Writer, d *result.Document) error {
	return exposition.Write(w, DoctorMetrics(d))
}

// DoctorMetrics returns the metrics of a diagnosis.
func DoctorMetrics(d *result.Document) []exposition.Family {
	unchecked := exposition.Family{Name: "timebench_not_checked", Type: exposition.Gauge,
		Help: "A question that timebench doctor could not answer; the value is 1."}
	for _, n := range d.NotChecked {
		unchecked.Samples = append(unchecked.Samples, exposition.Sample{Labels: []string{"what", n.What}, Value: 1})
	}
	return append(append(metrics(d), findingMetrics(d.Findings)...), unchecked)
}

func metrics(d *result.Document) []exposition.Family {
	all := []exposition.Family{{
		Name: "timebench_build_info", Type: exposition.Gauge, Help: "The version of timebench; the value is 1.",
		Samples: []exposition.Sample{{Labels: []string{"version", d.Tool.Version, "revision", d.Tool.Revision},
			Value: 1}},
	}}
	if c := d.Host.ClockSource; c != nil {
		all = append(all, exposition.Family{
			Name: "timebench_clocksource_info", Type: exposition.Gauge,
			Help:    "The kernel's current clock source; the value is 1.",
			Samples: []exposition.Sample{{Labels: []string{"current", c.Current}, Value: 1}},
		})
	}
	for _, s := range section.In(d) {
		if with, ok := s.(section.Metered); ok {
			all = append(all, with.Metrics()...)
		}
	}
	complete := words.Either(d.Interrupted, 0.0, 1)
	return append(all,
		exposition.One("timebench_last_run_complete", exposition.Gauge,
			"1 if the last run was complete, 0 if it was interrupted.", complete),
		exposition.One("timebench_last_run_timestamp_seconds", exposition.Gauge,
			"When the last run ended, in Unix time.", float64(d.GeneratedAt.UnixMilli())/1e3))
}

// findingMetrics returns the findings of a diagnosis. It has the number of each severity even without findings, so that
// an alert can distinguish no findings from no diagnosis.
func findingMetrics(findings []result.Finding) []exposition.Family {
	one := exposition.Family{Name: "timebench_finding", Type: exposition.Gauge,
		Help: "A finding of timebench doctor; the value is 1."}
	number := map[string]float64{}
	for _, f := range findings {
		number[f.Severity]++
		one.Samples = append(one.Samples, exposition.Sample{Labels: []string{"kind", f.Kind, "severity", f.Severity},
			Value: 1})
	}
	all := exposition.Family{Name: "timebench_findings", Type: exposition.Gauge,
		Help: "The number of findings of timebench doctor."}
	for _, severity := range result.Severities {
		all.Samples = append(all.Samples, exposition.Sample{Labels: []string{"severity", severity},
			Value: number[severity]})
	}
	return []exposition.Family{one, all}
}
