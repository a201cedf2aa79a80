package diff

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
)

func TestAnotherTickIsNamed(t *testing.T) {
	of := func(r *result.Resolution) *result.Document {
		return document(result.Clock{ID: "c", Available: true, Resolution: r})
	}
	coarse, finer := result.Resolution{TickNS: 4e6, ReportedNS: 4e6}, result.Resolution{TickNS: 1, FinerThanRead: true, ReportedNS: 1}
	for name, c := range map[string]struct {
		old, new *result.Resolution
		want     []Difference
	}{
		"the same":            {&coarse, &coarse, nil},
		"no resolution":       {&coarse, nil, nil},
		"finer":               {&coarse, &finer, []Difference{{"c ticks", "every 4ms", "under a read"}, {"c states", "4ms", "1ns"}}},
		"coarser":             {&coarse, &result.Resolution{TickNS: 10e6, ReportedNS: 4e6}, []Difference{{"c ticks", "every 4ms", "every 10ms"}}},
		"seen late":           {&coarse, &result.Resolution{TickNS: 8e6, ReportedNS: 4e6}, nil},
		"uneven":              {&coarse, &result.Resolution{TickNS: 40e6, TickLowNS: 1e6, TickHighNS: 50e6, ReportedNS: 4e6}, nil},
		"never ticked":        {&coarse, &result.Resolution{ReportedNS: 4e6}, nil},
		"finer, a tick of ns": {&finer, &result.Resolution{TickNS: 100, ReportedNS: 1}, nil},
		"stated no more":      {&coarse, &result.Resolution{TickNS: 4e6}, []Difference{{"c states", "4ms", ""}}},
	} {
		require.Equal(t, c.want, resolutions(of(c.old), document(result.Clock{ID: "c", Resolution: c.new})), name)
	}
}
