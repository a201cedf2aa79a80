package render

import (
	"fmt"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// timeFacts returns the lines about the wall clock, and about calls that are refused.
func timeFacts(h result.Host) []table.Fact {
	var all []table.Fact
	if s := h.TimeSync; s != nil {
		all = append(all, table.Fact{Name: "Wall clock", Value: synchronisation(*s)})
	}
	for _, of := range h.WallOffsets {
		name := of.Against
		if of.Name != "" {
			name += " (" + of.Name + ")"
		}
		all = append(all, table.Fact{Name: "Wall clock against", Value: name + ": " + wallOffset(of)})
	}
	var services, refused []string
	for _, of := range h.TimeServices {
		services = append(services, strings.Join(words.Present(of.Name, of.Setting), " "))
	}
	if len(services) > 0 {
		all = append(all, table.Fact{Name: "Time services", Value: strings.Join(services, ", ")})
	}
	for _, of := range h.RefusedCalls {
		refused = append(refused, of.Call+" ("+of.Errno+")")
	}
	if len(refused) > 0 {
		all = append(all, table.Fact{Name: "Refused calls", Value: strings.Join(refused, ", ")})
	}
	return all
}

// synchronisation returns whether the wall clock is synchronised, and how the kernel corrects its rate.
func synchronisation(s result.TimeSync) string {
	text := "not synchronised"
	if s.Synchronised {
		text = "synchronised; the error is at most " + words.Duration(float64(s.MaxErrorNS))
	}
	if s.FrequencyPPM != 0 {
		text += fmt.Sprintf("; its rate is corrected by %+.3g ppm", s.FrequencyPPM)
		if s.FrequencyLimitPPM > 0 {
			text += fmt.Sprintf(" of at most %.3g", s.FrequencyLimitPPM)
		}
	}
	return text
}

// wallOffset returns how far the wall clock is from another clock.
func wallOffset(of result.WallOffset) string {
	if of.OffsetNS == nil {
		return of.Reason
	}
	offset, side := *of.OffsetNS, "behind"
	if offset < 0 {
		offset, side = -offset, "ahead"
	}
	text := fmt.Sprintf("%s by %s", side, words.BoundedNS(float64(offset), float64(of.BoundNS)))
	if offset <= of.BoundNS {
		text = "no difference within ±" + words.Duration(float64(of.BoundNS))
	}
	if of.ZoneNS != 0 {
		text += fmt.Sprintf("; it is in local time, UTC%+.4g h", float64(of.ZoneNS)/3600e9)
	}
	return text
}
