package kernellog

import (
	"strings"

	"github.com/timebench/timebench/internal/show/words"
)

const (
	columns = 10 // of the table of ntpq
	// nearLines is the max number of lines between date and hwclock whose outputs are compared.
	nearLines = 8
	later     = " (later)" // the mark of an output that is farther from the one above
)

// A pastes names the output of commands that people paste: each line becomes a message that needs no line above it.
type pastes struct {
	// asked are what a command prints, a line each: files of sysfs, or the times of date and hwclock.
	asked   []string
	listing bool   // whether the line above belongs to ntpq's table of servers
	host    string // the machine in the last prompt; "" without one
	// line counts the lines, and timeAt is the number of the last one with a time of date or hwclock.
	line, timeAt int
	server       string // the line above, if it has only the name of a server, as in the wide table (ntpq -w)
}

var (
	// tableOfServers matches the head of the table of ntpq.
	tableOfServers = lazily(`\bremote +refid +st +t +when +poll +reach +delay +offset +(?:jitter|disp)$`)
	// peer matches a row of the table of ntpq: a server, its type, and which of the last eight queries it answered, in octal.
	peer = lazily(`^[*o+#x.-]?\S+ +\S+ +\d+ +[\w-] +\S+ +\d+[mhd]? +[0-7]{1,3} +[\d.]+(?:[mun]?s)? +[-+]?[\d.]+(?:[mun]?s)? +[\d.]+(?:[mun]?s)?$|={4,}$`)
	// namesHost matches the prompt of a shell, or what Ansible prints before the output of a machine.
	namesHost = lazily(`^(?:\[?[\w.-]{1,40}@([\w-]+)[\w.-]*(?:[: ~][^#$%]{0,60})?[#$%] |([\w-]+)[\w.-]* \| (?:CHANGED|SUCCESS|FAILED)\b)`)
	// unnamed matches the name of a machine that has none yet, and of a container of Docker.
	unnamed = lazily(`^(?:localhost|[0-9a-f]{12})$`)
	// asksTimes matches one or two commands that print the wall clock or the real-time clock, and timeAlone what they print.
	asksTimes = lazily(`(?:^|[#$%>] )(?:sudo )?(date|hwclock)(?: -r| --show)?(?: ?(?:;|&&) ?(?:sudo )?(date|hwclock)(?: -r| --show)?)?$`)
	timeAlone = lazily(`^\w{3} (?:\w{3} [ \d]?\d|\d{1,2} \w{3})(?: \d{4})? [\d:]{8}(?: [AP]M)?(?: [A-Z]{3,5}| [-+]\d\d)?(?: \d{4})?(?: ` +
		`+-?[.\d]+ seconds)?$|^\d{4}-\d\d-\d\d [\d:]{8}\.\d+[-+]\d\d:\d\d$`)
	// asksSources matches the files of sysfs in a command, also several at once: {available,current}_clocksource
	asksSources = lazily(`(\w+|\{[a-z,]+\}|\*)_clocksource\b`)
	// sourcesAlone matches the names of clock sources, which such a command prints.
	sourcesAlone = lazily(`^[\w.,@:-]+(?: [\w.,@:-]+)* ?$`)
	// printsFiles matches a command that prints files, or the name that head and tail print before a file.
	printsFiles = lazily(`(?:^|[ #$;` + "`" + `])(?:cat|head|tail|more) |^==> `)
)

// named returns a line with the name of the command or the file that printed it, if the lines above show it.
func (p *pastes) named(line string) string {
	p.line++
	if strings.Contains(line, "@") || strings.Contains(line, " | ") { // faster than the expression
		if found := namesHost().FindStringSubmatch(line); found != nil && !unnamed().MatchString(found[1]+found[2]) {
			p.host = found[1] + found[2]
		}
	}
	if len(p.asked) > 0 && (line == "" || strings.HasPrefix(line, "```")) {
		return line
	}
	if len(p.asked) > 0 && timeAlone().MatchString(line) && !strings.Contains(p.asked[0], "_") {
		command := p.asked[0] + words.Either(p.timeAt > 0 && p.line-p.timeAt > nearLines, later, "")
		p.asked, p.timeAt = p.asked[1:], p.line
		return command + ": " + line
	}
	if len(p.asked) > 0 && sourcesAlone().MatchString(line) {
		file := p.asked[0]
		if p.asked = p.asked[1:]; strings.HasPrefix(file, "available") || !strings.Contains(strings.TrimSpace(line), " ") {
			return file + ": " + line
		}
	}
	p.asked = nil
	if strings.Contains(line, "date") || strings.Contains(line, "hwclock") { // faster than the expression
		if found := asksTimes().FindStringSubmatch(line); found != nil {
			p.asked = words.Present(found[1:]...)
		}
	}
	if strings.Contains(line, "_clocksource") && printsFiles().MatchString(line) && Split(line).Stamp == "" {
		for _, found := range asksSources().FindAllStringSubmatch(line, -1) {
			which := strings.Split(strings.Trim(found[1], "{}"), ",")
			if found[1] == "*" {
				which = []string{"available", "current"}
			}
			for _, one := range which {
				p.asked = append(p.asked, one+"_clocksource")
			}
		}
	}
	return p.ofServers(line)
}

// ofServers names a row of the table of ntpq.
func (p *pastes) ofServers(line string) string {
	server := p.server
	p.server = ""
	if strings.Contains(line, " refid ") { // faster than the expression
		if head := tableOfServers().FindString(line); head != "" {
			p.listing = true
			return head
		}
	}
	row := line
	if fields := strings.Fields(line); p.listing && len(fields) > columns { // another program prints more before it
		row = strings.Join(fields[len(fields)-columns:], " ")
	}
	switch {
	case !p.listing || line == "":
	case peer().MatchString(row):
		return "ntpq: " + row
	case server != "" && peer().MatchString(server+" "+line):
		return "ntpq: " + server + " " + line
	case !strings.Contains(line, " "):
		p.server = line
	default:
		p.listing = false
	}
	return line
}
