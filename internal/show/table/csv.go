package table

import (
	"encoding/csv"
	"io"
	"regexp"
)

// WriteCSV writes lines as in RFC 4180, with every cell made safe by CSVCell. It uses encoding/csv,
// because go-pretty escapes a quote with a backslash, which spreadsheets do not understand.
func WriteCSV(w io.Writer, lines [][]string) error {
	writer := csv.NewWriter(w)
	for _, line := range lines {
		cells := make([]string, len(line))
		for i, cell := range line {
			cells[i] = CSVCell(cell)
		}
		_ = writer.Write(cells) // Error returns it after Flush
	}
	writer.Flush()
	return writer.Error()
}

var (
	// formula matches the start of a text that spreadsheets evaluate (OWASP, "CSV Injection"), also
	// in the full-width forms of East Asian scripts.
	formula = regexp.MustCompile(`^\s*[=+@\-＝＋＠－]`)
	numeral = regexp.MustCompile(`^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$`)
)

// CSVCell returns a cell that a spreadsheet does not evaluate. CSV has no escapes, so this changes the text. The names
// and reasons of timebench itself need no change, and JSON has the original of others.
func CSVCell(text string) string {
	if formula.MatchString(text) && !numeral.MatchString(text) {
		return "'" + text
	}
	return text
}

// WriteTables writes tables as CSV, with an empty line between two of them.
func WriteTables(w io.Writer, tables [][][]string) error {
	for i, lines := range tables {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := WriteCSV(w, lines); err != nil {
			return err
		}
	}
	return nil
}
