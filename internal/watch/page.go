package watch

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/show/printable"
	"github.com/timebench/timebench/internal/show/words"
)

// Show replaces the state that the page / shows.
func (s *Server) Show(state *State) { s.state.Store(state) }

func (s *Server) home(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	_, _ = w.Write([]byte(pageOf(s.state.Load())))
}

// pageOf returns the page of a state; nil before the end of the first turn.
func pageOf(state *State) string {
	lines := []string{"The first turn is not over."}
	if state != nil {
		lines = state.lines()
	}
	var out strings.Builder
	out.WriteString(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="30">
<title>timebench watch</title><style>:root{color-scheme:light dark}body{font-family:sans-serif;margin:2em}</style></head>
<body><h1>timebench watch</h1><ul>
`)
	for _, line := range lines {
		out.WriteString("<li>" + html.EscapeString(printable.Line(line)) + "</li>\n")
	}
	out.WriteString("</ul>\n<p><a href=\"/metrics\">/metrics</a> <a href=\"/healthz\">/healthz</a></p></body></html>\n")
	return out.String()
}

// lines returns the state in lines: the clock source, the costs, the findings and what was counted.
func (s *State) lines() []string {
	var lines []string
	if source := s.Document.Host.ClockSource; source != nil {
		lines = append(lines, "Clock source: "+source.Current)
	}
	for _, id := range slices.Sorted(maps.Keys(s.QuietNS)) {
		lines = append(lines, fmt.Sprintf("%s: %s ns/read", id, words.NS(s.QuietNS[id])))
	}
	if s.TimeSync != nil {
		state := "not synchronised"
		if s.TimeSync.Synchronised {
			state = "synchronised"
		}
		lines = append(lines, "Wall clock: "+state)
	}
	for _, f := range s.Document.Findings {
		lines = append(lines, f.Severity+": "+f.Title)
	}
	if s.Examined && len(s.Document.Findings) == 0 {
		lines = append(lines, "No finding")
	}
	return append(lines,
		fmt.Sprintf("Since %s: %s, %s of the clock source, %s of the wall clock", s.Started.UTC().Format(time.RFC3339),
			words.Plural(int(s.Turns), "turn"), words.Plural(int(s.Events[ClockSource]), "change"), words.Plural(int(s.Events[WallClockStep]), "step")),
		"Last turn: "+s.LastTurn.UTC().Format(time.RFC3339))
}
