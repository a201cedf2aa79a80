package kernellog

import "strings"

const date = day + ` (?:\d{4} )?[\d:]{8}(?:\.\d+)?|\d{4}-\d\d-\d\d[T ][\d:]{8}(?:[.,]\d+)?(?: ` +
	`?(?:[A-Z]{1,5}|[+-]\d\d:?\d\d))?`

var (
	// stampInside matches the beginning of a line of dmesg, and dateInside the beginning of a line of a daemon's log.
	stampInside = lazily(`(?:<\d{1,3}>|kern *: ?[a-z]+ *: ?)?\[(?: *\d{1,15}\.\d{6}\](?:\[ ` +
		`*[CT]\d+\])?|\w{3} ` + day + ` [\d:]{8} \d{4}\]) `)
	dateInside  = lazily(`(?:` + date + `) (?:\S+ )?(?:kern\.\w+ )?kernel(?:\[\d+\])?: `)
	beginsDated = lazily(`^(?:` + date + `) `)
	// color matches an escape sequence of dmesg --color.
	color = lazily("\x1b\\[[\\d;]*[mK]")
)

// Lines returns the lines of the kernel log in a line of a text, [Plain]. A text that lost its line ends has
// several: instead it has carriage returns, "\n" as in a program's source, or spaces before the next stamp. A text
// between two stamps stays with the first.
func Lines(line string) []string {
	line = Plain(line)
	// faster than the expressions
	if strings.Count(line, "] ") < 2 && strings.Count(line, "kernel") < 2 && !strings.Contains(line, `\n`) ||
		strings.HasPrefix(line, "{") {
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

// pasted are characters as pages, mails and cat -A write them.
var pasted = strings.NewReplacer("&gt;", ">", "&lt;", "<", "&quot;", `"`, "&#39;", "'", "&nbsp;", " ",
	"\u00a0", " ", "&amp;", "&", "=3D", "=", "=\u2013", "=-", "^M", "", "<br>", "", "<br/>", "", "<br />", "",
	"<pre>", "", "</pre>", "", "<code>", "", "</code>", "", "<p>", "", "</p>", "")

var environment = lazily(`^\w+=`) // matches a line of the environment of init, which the kernel indents

// Plain returns a line without the escape sequences of dmesg --color, the quotation marks of mails and of Markdown, and
// an indentation, and with the characters that HTML or a mail writes by name. It drops tags and marks of line ends.
func Plain(line string) string {
	if strings.IndexByte(line, '\x1b') >= 0 {
		line = color().ReplaceAllString(line, "")
	}
	if strings.ContainsAny(line, "&=^<") || strings.Contains(line, "\u00a0") {
		line = pasted.Replace(line)
	}
	line = strings.TrimSuffix(line, "$")
	if code := strings.Trim(line, "`"); len(line) == len(code)+2 && line[0] == '`' && !strings.Contains(code, "`") {
		line = code // Markdown
	}
	if bare := strings.TrimLeft(line, " \t>"); len(bare) < len(line) && !environment().MatchString(bare) {
		return bare
	}
	return line
}

const (
	// MaxWrapped is the largest number of lines that a mail program makes from a message.
	MaxWrapped = 3
	// minWrapped is shorter than a line that a mail program wrapped, in bytes.
	minWrapped = 40
)

// Unwrap returns the first line of a text, joined with the next lines if a mail program or a terminal wrapped it: then
// they are a message together, and no messages alone. It also returns how many lines it joined.
func Unwrap(lines []string) (line string, joined int) {
	line = lines[0]
	if len(lines) == 1 || len(line) < minWrapped || len(line) > maxCharacters || !continues(lines[1]) {
		return line, 1
	}
	if most := min(len(lines), MaxWrapped); !mayBeOne(lines[:most]) {
		return line, 1
	}
	most := 1
	for most < len(lines) && continues(lines[most]) && formatOf(lines[most]) == nil {
		most++
	}
	first := Split(line)
	alone := formatOf(first.Text)
	for _, between := range []string{" ", ""} { // a mail program breaks a line between words, and a terminal anywhere
		for n := most; n > 1 && (alone == nil || between != ""); n-- {
			rest := strings.TrimSpace(strings.Join(lines[1:n], between))
			whole := strings.TrimRight(line, " \t") + between + rest
			if len(whole) > maxLine {
				continue
			}
			text := Split(whole).Text
			f := formatOf(text)
			switch {
			case f == nil || first.Program && !f.program || formatOf(rest) != nil ||
				f.expression().FindStringIndex(text)[0] >= len(first.Text):
			case alone == nil, alone.kind != f.kind, alone.kind == "tsc-unstable" && !strings.Contains(rest, " "):
				return whole, n
			}
		}
	}
	return line, 1
}

// mayBeOne returns whether lines may be a message together: a fast filter, since to split them takes longer. Without a
// space between two lines, only their ends can have what the lines do not have with it.
func mayBeOne(lines []string) bool {
	const longest = 80 // more than the text of any filter
	if mayHave(strings.ToLower(strings.Join(lines, " "))) {
		return true
	}
	for i, next := range lines[1:] {
		line := lines[i]
		if mayHave(strings.ToLower(line[max(len(line)-longest, 0):] + next[:min(len(next), longest)])) {
			return true
		}
	}
	return false
}

// beginsAnew matches the beginning of a line that is no rest of another: a message, JSON, the fence of a code block.
var beginsAnew = lazily("^(?:kernel|\\{|clocksource: |tsc: |```)")

// continues returns whether a line may be the rest of another.
func continues(line string) bool {
	_, prefix := matchingPrefix(line)
	return line != "" && prefix == nil && !beginsAnew().MatchString(line) && !fromFile().MatchString(line)
}

func withoutEnd(line string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(line, " \t"), `\n`), `\r`)
}
