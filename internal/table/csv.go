package table

import (
	"encoding/csv"
	"io"
	"regexp"

	"github.com/timebench/timebench/internal/printable"
)

// WriteCSV writes lines as RFC 4180 has them, with every cell harmless. It is made with
// encoding/csv, since go-pretty escapes a quote with a backslash, which spreadsheets do
// not read.
func WriteCSV(w io.Writer, lines [][]string) error {
	writer := csv.NewWriter(w)
	for _, line := range lines {
		cells := make([]string, len(line))
		for i, cell := range line {
			cells[i] = CSVCell(cell)
		}
		_ = writer.Write(cells) // Flush keeps the error
	}
	writer.Flush()
	return writer.Error()
}

var (
	// formula is how a text begins that spreadsheets calculate (OWASP, "CSV Injection"),
	// also in the wide forms of East Asian scripts.
	formula = regexp.MustCompile(`^\s*[=+@\-＝＋＠－]`)
	numeral = regexp.MustCompile(`^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$`)
)

// CSVCell is a cell that neither a terminal nor a spreadsheet obeys. CSV has no escapes as
// JSON has. But no name and no reason that timebench writes steers a terminal or begins
// like a formula, so programs lose nothing; JSON holds what there is.
func CSVCell(text string) string {
	text = printable.Lines(text)
	if formula.MatchString(text) && !numeral.MatchString(text) {
		return "'" + text
	}
	return text
}
