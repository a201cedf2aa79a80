package runtimes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// The calls of a language stand together, its fastest on top, and the language of the fastest call on top of all.
func TestPictureGroupsLanguages(t *testing.T) {
	var calls []MeasuredCall
	for _, c := range []struct {
		id string
		ns float64
	}{{"now@slow", 30}, {"now@quick", 20}, {"date@quick", 90}, {"date@slow", 40}} {
		calls = append(calls, MeasuredCall{ID: c.id, Latency: &compare.Latency{MedianNS: c.ns}})
	}
	var ids []string
	for _, m := range byLanguage(calls) {
		ids = append(ids, m.ID)
	}
	require.Equal(t, []string{"date@slow", "now@slow", "date@quick", "now@quick"}, ids, "from the bottom to the top")
}
