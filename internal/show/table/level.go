package table

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// A Level is how good or bad a line is; 0 is neither. Text shows it in colour, which only helps the eye: the words are
// complete without.
type Level int

// The levels.
const (
	OK Level = iota + 1
	Warn
	Error
)

// colours are those of the levels.
var colours = map[Level]text.Colors{OK: {text.FgGreen}, Warn: {text.FgYellow}, Error: {text.FgRed}}

// Paint returns lines in the colour of the level; unchanged if NO_COLOR or TERM=dumb forbid it (go-pretty checks them).
func (l Level) Paint(lines string) string {
	colour, ok := colours[l]
	if !ok {
		return lines
	}
	painted := strings.TrimRight(lines, "\n")
	return colour.Sprint(painted) + lines[len(painted):]
}

// painted returns the grid with the last cell of each row in the colour of its level.
func (g Grid) painted() Grid {
	if g.Levels == nil {
		return g
	}
	rows := make([][]string, len(g.Rows))
	for i, row := range g.Rows {
		last := len(row) - 1
		rows[i] = append(row[:last:last], g.Levels[i].Paint(row[last]))
	}
	g.Rows = rows
	return g
}
