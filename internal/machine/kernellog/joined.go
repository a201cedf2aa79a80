package kernellog

import "strings"

const date = months + ` [ \d]\d (?:\d{4} )?[\d:]{8}(?:\.\d+)?|\d{4}-\d\d-\d\d[T ][\d:]{8}(?:[.,]\d+)?(?: ?(?:[A-Z]{1,5}|[+-]\d\d:?\d\d))?`

var (
	// stampInside matches the beginning of a line of dmesg, and dateInside the beginning of a line of a daemon's log.
	stampInside = lazily(`(?:<\d{1,3}>|kern *: ?[a-z]+ *: ?)?\[(?: *\d{1,15}\.\d{6}\](?:\[ *[CT]\d+\])?|\w{3} ` + months + ` [ \d]\d [\d:]{8} \d{4}\]) `)
	dateInside  = lazily(`(?:` + date + `) (?:\S+ )?(?:kern\.\w+ )?kernel(?:\[\d+\])?: `)
	beginsDated = lazily(`^(?:` + date + `) `)
	// color matches an escape sequence of dmesg --color.
	color = lazily("\x1b\\[[\\d;]*[mK]")
)

// Lines returns the lines of the kernel log in a line of a text, without colours. A text that lost its line ends has
// several: instead it has carriage returns, "\n" as in a program's source, or spaces before the next stamp. A text
// between two stamps stays with the first.
func Lines(line string) []string {
	line = WithoutColor(line)
	if strings.Count(line, "] ") < 2 && strings.Count(line, "kernel") < 2 && !strings.Contains(line, `\n`) || strings.HasPrefix(line, "{") { // faster than the expressions
		return []string{line}
	}
	var all []string
	begins := stampInside()
	if beginsDated().MatchString(line) {
		begins = dateInside()
	} else if at := stampInside().FindStringIndex(line); at == nil || at[0] > 0 {
		parts := strings.Split(line, `\n`)
		if len(parts) == 1 {
			return parts
		}
		for _, part := range parts {
			all = append(all, Lines(part)...)
		}
		return all
	}
	from := 0
	for _, at := range begins.FindAllStringIndex(line, -1) {
		if at[0] > 0 {
			all = append(all, withoutEnd(line[from:at[0]]))
			from = at[0]
		}
	}
	return append(all, line[from:])
}

// WithoutColor returns a line without the escape sequences of dmesg --color.
func WithoutColor(line string) string {
	if strings.IndexByte(line, '\x1b') < 0 {
		return line
	}
	return color().ReplaceAllString(line, "")
}

func withoutEnd(line string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(line, " \t"), `\n`), `\r`)
}
