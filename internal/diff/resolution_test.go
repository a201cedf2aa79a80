package diff

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

func TestAnotherTickIsNamed(t *testing.T) {
	of := func(r *compare.Resolution) *result.Document {
		return document(compare.Clock{ID: "c", Available: true, Resolution: r})
	}
	coarse, finer := compare.Resolution{TickNS: 4e6, ReportedNS: 4e6}, compare.Resolution{TickNS: 1, FinerThanRead: true, ReportedNS: 1}
	for name, c := range map[string]struct {
		old, new *compare.Resolution
		want     []Difference
	}{
		"the same":            {&coarse, &coarse, nil},
		"no resolution":       {&coarse, nil, nil},
		"finer":               {&coarse, &finer, []Difference{{"Resolution of c", "4 ms", "< one read"}, {"Reported resolution of c", "4 ms", "1 ns"}}},
		"coarser":             {&coarse, &compare.Resolution{TickNS: 10e6, ReportedNS: 4e6}, []Difference{{"Resolution of c", "4 ms", "10 ms"}}},
		"seen late":           {&coarse, &compare.Resolution{TickNS: 8e6, ReportedNS: 4e6}, nil},
		"uneven":              {&coarse, &compare.Resolution{TickNS: 40e6, TickLowNS: 1e6, TickHighNS: 50e6, ReportedNS: 4e6}, nil},
		"never ticked":        {&coarse, &compare.Resolution{ReportedNS: 4e6}, nil},
		"finer, a tick of ns": {&finer, &compare.Resolution{TickNS: 100, ReportedNS: 1}, nil},
		"stated no more":      {&coarse, &compare.Resolution{TickNS: 4e6}, []Difference{{"Reported resolution of c", "4 ms", ""}}},
	} {
		require.Equal(t, c.want, resolutions(of(c.old), document(compare.Clock{ID: "c", Resolution: c.new})), name)
	}
}
