package kernellog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/show/printable"
)

const (
	// MaxLines bounds the lines of a log in a document.
	MaxLines = 80
	// maxCharacters bounds such a line.
	maxCharacters = 300
)

// Shown returns a line as a document has it: printable, and at most maxCharacters long.
func Shown(line string) string {
	line = strings.TrimRight(printable.Line(line), " ")
	if characters := []rune(line); len(characters) > maxCharacters {
		return string(characters[:maxCharacters-1]) + "…"
	}
	return line
}

var folded = lazily(` \(logged (\d{1,7}) times\)$`) // the end of a line that stands for several

// minFold is the min number of lines that are folded if they differ in numbers only. Fewer lines, as the clocks of two
// CPUs, are kept.
const minFold = 4

// unfold returns a line without the mark of Select, and how often it was logged.
func unfold(line string) (string, int) {
	if !strings.HasSuffix(line, " times)") { // faster than the expression
		return line, 1
	}
	found := folded().FindStringSubmatch(line)
	if found == nil {
		return line, 1
	}
	n, _ := strconv.Atoi(found[1])
	return line[:len(line)-len(found[0])], max(n, 1)
}

// Select returns the lines that a document keeps, in their order and at most limit of them, preferring lines that
// decide. Lines that differ in numbers only are folded into the first of them, which then ends in " (logged N times)";
// of lines that decide, the last is kept too. incomplete is whether lines are missing that were not folded.
func Select(lines []string, limit int) (kept []string, incomplete bool) {
	lines, weights := fold(lines)
	limit = max(limit, 0)
	if len(lines) <= limit {
		return lines, false
	}
	chosen := make([]bool, len(lines))
	free := limit
	for _, w := range []weight{weightDecides, weightContext, weightNoise} {
		var indexes []int
		for i := range lines {
			if weights[i] == w {
				indexes = append(indexes, i)
			}
		}
		for _, i := range firstAndLast(indexes, free) {
			chosen[i] = true
			free--
		}
	}
	for i, line := range lines {
		if chosen[i] {
			kept = append(kept, line)
		}
	}
	return kept, true
}

// alone matches the shapes of lines whose figures matter: the rates of several boots; the times that timedatectl and date
// print, which may jump; the nodes of talosctl time.
var alone = lazily(`detected #\.# mhz|^(?:universal time: |rtc time: |date: |date \(later\): )|` +
	`\+# utc +#.*\+# utc$`)

func fold(lines []string) ([]string, []weight) {
	weights := make([]weight, len(lines))
	groups := map[string][]int{}
	drop := make([]bool, len(lines))
	for i, line := range lines {
		text, _ := unfold(line)
		m := Split(text)
		text = m.Text
		s := shape(text)
		if alone().MatchString(s) {
			s = text
		}
		if group := groups[s]; len(group) > 0 {
			weights[i] = weights[group[0]]
			// each manager of systemd notices a step
			if strings.HasSuffix(s, "time has been changed") && m.isNear(Split(lines[group[len(group)-1]]), sameStepNS) {
				drop[i] = true
				continue
			}
		} else {
			weights[i] = weightNoise
			if f := formatOf(text); f != nil {
				weights[i] = max(f.weight, weightNoise)
			}
		}
		groups[s] = append(groups[s], i)
	}
	folded := slices.Clone(lines)
	for _, group := range groups {
		if len(group) < minFold {
			continue
		}
		last := len(group)
		if weights[group[0]] == weightDecides {
			last--
		}
		times := 0
		for _, i := range group[:last] {
			_, n := unfold(lines[i])
			times += n
			drop[i] = i != group[0]
		}
		text, _ := unfold(lines[group[0]])
		folded[group[0]] = fmt.Sprintf("%s (logged %d times)", text, times)
	}
	var kept []string
	var keptWeights []weight
	for i, line := range folded {
		if !drop[i] {
			kept, keptWeights = append(kept, line), append(keptWeights, weights[i])
		}
	}
	return kept, keptWeights
}

// shape returns a text without the parts that differ in repeated lines: numbers, decimal or with 0x.
func shape(text string) string {
	const decimals, hexadecimals = "0123456789", "0123456789abcdef"
	rest := strings.ToLower(text)
	var out strings.Builder
	for {
		i := strings.IndexAny(rest, decimals)
		if i < 0 {
			out.WriteString(rest)
			return out.String()
		}
		out.WriteString(rest[:i])
		out.WriteByte('#')
		rest = rest[i:]
		if hex, ok := strings.CutPrefix(rest, "0x"); ok {
			rest = strings.TrimLeft(hex, hexadecimals)
		} else {
			rest = strings.TrimLeft(rest, decimals)
		}
	}
}

// firstAndLast returns the indexes without the middle, if there are more than most: the beginning shows what is there,
// the end what failed.
func firstAndLast(indexes []int, most int) []int {
	if len(indexes) <= most {
		return indexes
	}
	return append(slices.Clone(indexes[:most-most/2]), indexes[len(indexes)-most/2:]...)
}
