package render

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/test/made"
)

// wide is a terminal of so many columns.
type wide struct {
	bytes.Buffer
	columns int
}

func (w *wide) Show(text string) error { _, err := w.WriteString(text); return err }
func (w *wide) Width() int             { return w.columns }

// Every report fits any terminal, and no name breaks but after one of its parts.
func TestReportsFitTerminals(t *testing.T) {
	reports := map[string]Report{}
	for name, d := range map[string]*result.Document{"fixed": fixed(), "hpet": onHPET(), "sparse": sparse(), "trusted": trusted(), "mistrusted": mistrusted(), "both": both()} {
		reports[name], reports["doctor "+name] = OfDocument(d), OfDiagnosis(d)
	}
	reports["diff"] = OfDiff(demoted())
	reports["diff of parts"] = OfDiff(diff.Compare(diff.Read("old", trusted()), diff.Read("new", mistrusted()), section.Usual))
	documents, _ := made.Fleet(60, 3, 1)
	var machines []fleet.Machine
	for i, d := range documents {
		machines = append(machines, fleet.MachineOf(fmt.Sprint("web", i), d, nil))
	}
	reports["fleet"] = OfFleet(fleet.Of(machines, nil, time.Time{}))
	for name, r := range reports {
		for _, columns := range []int{table.Narrowest, 80, 100, 120} {
			out := &wide{columns: columns}
			require.NoError(t, r.Text(out))
			for line := range strings.Lines(out.String()) {
				require.LessOrEqual(t, text.StringWidth(strings.TrimRight(line, "\n")), columns, "%s at %d columns: %s", name, columns, line)
			}
		}
	}
}
