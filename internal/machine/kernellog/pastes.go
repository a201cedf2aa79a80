package kernellog

import "strings"

// A pastes names the output of commands that people paste: each line becomes a message that needs no line above it.
type pastes struct {
	// asked are the files of sysfs that a command prints, a line each.
	asked   []string
	listing bool   // whether the line above belongs to ntpq's table of servers
	server  string // the line above, if it has only the name of a server, as in the wide table (ntpq -w)
}

var (
	// peer matches a row of the table of ntpq: a server, its type, and which of the last eight queries it answered, in octal.
	peer = lazily(`^[*o+#x.-]?\S+ +\S+ +\d+ +\w +\S+ +\d+[mhd]? +[0-7]{1,3} +[\d.]+(?:[mun]?s)? +[-+]?[\d.]+(?:[mun]?s)? +[\d.]+(?:[mun]?s)?$|^=+$`)
	// asksSources matches the files of sysfs in a command, also several at once: {available,current}_clocksource
	asksSources = lazily(`(\w+|\{[a-z,]+\}|\*)_clocksource\b`)
	// sourcesAlone matches the names of clock sources, which such a command prints.
	sourcesAlone = lazily(`^[\w.,@:-]+(?: [\w.,@:-]+)* ?$`)
	// printsFiles matches a command that prints files, or the name that head and tail print before a file.
	printsFiles = lazily(`(?:^|[ #$;` + "`" + `])(?:cat|head|tail|more) |^==> `)
)

// named returns a line with the name of the command or the file that printed it, if the lines above show it.
func (p *pastes) named(line string) string {
	if len(p.asked) > 0 && (line == "" || strings.HasPrefix(line, "```")) {
		return line
	}
	if len(p.asked) > 0 && sourcesAlone().MatchString(line) {
		file := p.asked[0]
		if p.asked = p.asked[1:]; strings.HasPrefix(file, "available") || !strings.Contains(strings.TrimSpace(line), " ") {
			return file + ": " + line
		}
	}
	p.asked = nil
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
	switch {
	case strings.HasPrefix(line, "remote ") && strings.Contains(line, " refid "):
		p.listing = true
	case !p.listing || line == "":
	case peer().MatchString(line):
		return "ntpq: " + line
	case server != "" && peer().MatchString(server+" "+line):
		return "ntpq: " + server + " " + line
	case !strings.Contains(line, " "):
		p.server = line
	default:
		p.listing = false
	}
	return line
}
