package kernellog

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/timebench/timebench/internal/show/printable"
	"github.com/timebench/timebench/internal/show/words"
)

// A Message is a line of a log, with its prefixes taken apart.
type Message struct {
	Text  string // the text as the kernel logged it
	Stamp string // the time stamp as printed: "[    0.000089]", "Sep 11 07:03:06"; "" without one
	AtNS  int64  // the time since boot in ns, if Timed
	Timed bool   // whether the line has a time since boot
	// whether the line shows that the kernel wrote it: by a priority, a time since boot or the name "kernel"
	Kernel  bool
	Program bool   // whether the line shows that a program wrote it: "host ntpd[3517]: "
	Host    string // the name before the program; "" without one
}

// A prefix stands before the text of a line.
type prefix struct {
	begins          string                // the characters that it may begin with: a fast filter
	pattern         func() *regexp.Regexp // the first group is the stamp, if it has one
	kernel, program bool                  // whether it shows that the kernel, or a program, wrote the line
	uptime, micro   bool                  // whether the group is a time since boot, in seconds or, if micro, in µs
	date            bool                  // whether it is a date: a host and a program may follow
	structured      bool                  // whether the parts of RFC 5424 follow
	service         bool                  // whether a program wrote the line, unless the kernel's stamp follows
}

const digit = "0123456789"

// letters has the first bytes of the names of months, also in Cyrillic
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\xc3\xc5\xd0\xd1"

const months = `(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)`

// anyMonth is the name of a month in any language: journalctl and dmesg -e use the language of the user.
const anyMonth = `(?:\pL{3,5}\.?|\d{1,2} ?[月월])`

// day is a date without the year. Pages and mails lose one of two spaces.
const day = months + ` {1,2}\d{1,2}`

// prefixes are what people's logs have before the text, with an example of each in stamp_test.go. The text is what
// remains when no prefix matches.
var prefixes = []prefix{
	{begins: "<", pattern: lazily(`^<[0-7]>`), kernel: true},             // dmesg -r
	{begins: "<", pattern: lazily(`^<\d{1,3}>`), program: true},          // the same of a program that wrote to /dev/kmsg
	{begins: "k", pattern: lazily(`^kern *: ?[a-z]+ *: `), kernel: true}, // dmesg -x
	{begins: "udsac", pattern: lazily(`^(?:user|daemon|syslog|auth|cron) *: ?[a-z]+ *: `), program: true},
	{begins: digit, pattern: lazily(`^[0-7],\d+,(\d+),[^;]*;`), kernel: true, uptime: true, micro: true}, // /dev/kmsg
	{begins: digit, pattern: lazily(`^\d+,\d+,(\d+),[^;]*;`), program: true, uptime: true, micro: true},
	{begins: "[", pattern: lazily(`^\[ *(\d{1,15}\.\d{1,9})\] ?`), kernel: true, uptime: true},
	// who selects text with the mouse misses the first character
	{begins: digit, pattern: lazily(`^(\d{1,15}\.\d{6})\] `), kernel: true, uptime: true},
	// CONFIG_PRINTK_CALLER
	{begins: "[", pattern: lazily(`^\[ *[CT]\d+\] ?`), kernel: true},
	// dmesg -e, dmesg -d
	{begins: "[", pattern: lazily(`^\[ *\+\d+\.\d+\] ?|^\[ *\d+\.\d+ *< *\d+\.\d+>\] ?`), kernel: true},
	{begins: "[", pattern: lazily(`^\[(\w{3} ` + day + ` [\d:]{8}(?:[.,]\d+)? \d{4})\] ?`), kernel: true}, // dmesg -T
	// dmesg -e, dmesg -H with the sum of a [sums]
	{begins: "[", pattern: lazily(`^\[(` + anyMonth + ` {0,2}\d{1,2} [\d:]{5}(?: \+\d+\.\d+)?)\] ?`), kernel: true},
	// MediaTek's kernels: the CPU, the process
	{begins: "-( ", pattern: lazily(`^ ?-?\([0-9a-f]{1,2}\)\[\d+:[^\]]{1,20}\] ?`)},
	// glog: a program with a console
	{begins: letters, pattern: lazily(`^[IWEF]\d{4} [\d:.]{8,15} +\d+ [\w.-]+:\d+\] (?:[\w-]+\[[^\]]*\] )?`)},
	{begins: digit, pattern: lazily(`^[\d:]{8} [IWEF]\d{4} [\d:.]{8,15} +\d+ [\w.-]+:\d+\] (?:[\w-]+\[[^\]]*\] )?`)},
	// netconsole, and whoever shortens a log: the time, and the time since boot in whole seconds
	{begins: digit, pattern: lazily(`^[\d:]{8} \[ *(\d{1,9})\+?\] `), kernel: true, uptime: true},
	{begins: letters, pattern: lazily(`^[\w.-]{1,60} +\| `), service: true}, // docker compose logs
	{begins: digit, pattern: lazily(`^([\d:]{8}) {1,2}`), service: true},    // chronyd in a terminal, with the time alone
	// anaconda
	{begins: digit, pattern: lazily(`^[\d:]{8},\d{3} [A-Z]{3,9} kernel:`), kernel: true},
	{begins: digit, pattern: lazily(`^[\d:]{8},\d{3} [A-Z]{3,9} [\w.@-]{1,60}:`), program: true},
	// containerd and CRI-O, before the program's own stamp
	{begins: digit, pattern: lazily(`^(\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d)) std(?:out|err) [FP] `), service: true},
	// syslog, journalctl
	{begins: letters + digit, pattern: lazily(`^((?:\d{4} )?` + anyMonth + ` {1,2}\d{1,2}(?: ?[日일])? (?:\d{4} ` +
		`)?[\d:]{8}(?:\.\d+)?) `), date: true},
	{begins: digit, pattern: lazily(`^(\d{1,2} ` + anyMonth + `,? [\d:]{8}) `), date: true},           // ntpd's own log
	{begins: "[", pattern: lazily(`^\[(\d{4}-\d\d-\d\d[T ][\d:]{8}(?:[.,]\d+)?Z?)\]\s+`), date: true}, // of a console's server
	// OpenWrt's logread
	{begins: "FMSTW", pattern: lazily(`^(\w{3} ` + day + ` [\d:]{8} \d{4}) `), date: true},
	{begins: digit + "ADFJMNOSTW", pattern: lazily(`^((?:\w{3} )?\d{4}-\d\d-\d\d[T ][\d:]{8}(?:[.,]\d+)?(?: ` +
		`?(?:[A-Z]{1,5}|[+-]\d\d:?\d\d))?) `), date: true},
	{begins: digit, pattern: lazily(`^(\d{9,11}\.\d{6}) `), date: true},                                     // journalctl -o short-unix
	{begins: digit, pattern: lazily(`^1 (\d{4}-\d\d-\d\dT[\d:.]{8,15}\S*) `), date: true, structured: true}, // RFC 5424
}

var (
	// fromKernel is the name of the kernel's log: "kernel: ", behind the host and the priority of some daemons, and the
	// host and the date of a relay; in the format of RFC 5424, "kernel - - - ".
	fromKernel = lazily(`^(?:(?:` + date + `|[^\s:\[]+) ){0,4}kernel(?:\[\d+\])?(?:: ?| - (?:- )*)`)
	// fromFile is the name of a file that grep puts before a line, with its number.
	fromFile = lazily(`^(?:\S*/)?(?:[\w-]+\.(?:log|txt|out)|messages|syslog|dmesg)[\w.-]*[:-](?:\d+[:-])?`)
	// beforeStamp is what else may stand before a line of dmesg: the name of a host, the date of a serial console.
	beforeStamp  = lazily(`^([^"{]{1,120}?)\[ *\d{1,15}\.\d{6}\]`)
	stampAtStart = lazily(`^\[ *\d{1,15}\.\d{6}\] `)
	// leveled is a host, a level that some daemons write, and a program.
	leveled = lazily(`^(\S+ )?(?:CRIT|DEBUG|ERR|ERROR|INFO|NOTICE|WARN|WARNING|(?:auth|cron|daemon|local\d|syslog|user)\.\w+) ` +
		`([\w.@/-]+\[\d+\]: )`)
	// structured is a host, a program, its number, and data, in the format of RFC 5424. The kernel has no number.
	structured = lazily(`^\S+ ([\w.@/-]+) (\d+) \S+ (?:- |\[[^\]]{1,400}\] )`)
	// fromProgram is a host and a program.
	fromProgram = lazily(`^\S*[^\s:] [\w.@/()-]+\[\d+\]: |^\S*[^\s:] [\w.@/()-]+: |^[\w.@/-]+\[\d+\]: `)
)

const (
	// commented are the marks of a comment, as in a configuration that quotes the log.
	commented = "#/*; "
	// maxPrefixes bounds what is removed from a line.
	maxPrefixes = 6
	// maxLooked bounds the inspected part of a line, in bytes. The kernel's own lines are shorter (PRINTKRB_RECORD_MAX
	// is 1024).
	maxLooked = 2 << 10
)

// cut returns the beginning of a line that may be longer than any of the kernel. The expressions take seconds for a
// megabyte. A line of journald's JSON has its message anywhere.
func cut(line string) string {
	if len(line) <= maxLooked || strings.HasPrefix(strings.TrimSpace(line[:maxLooked]), "{") {
		return line
	}
	return line[:maxLooked]
}

// Split returns a line's text and what its stamp says.
func Split(line string) Message {
	if m, ok := splitJSON(line); ok {
		return m
	}
	var m Message
	rest := strings.TrimRight(cut(line), " \t\r\n")
	if word, _, _ := strings.Cut(rest, " "); strings.ContainsAny(word, ":-") { // faster than the expression
		rest = rest[len(fromFile().FindString(rest)):]
	}
	dated, service := false, false
	for range maxPrefixes {
		ahead := ""
		if strings.Contains(rest, "kernel") { // faster than the expression
			ahead = fromKernel().FindString(rest)
		}
		if ahead != "" && (dated || m.Timed || strings.HasPrefix(strings.TrimLeft(ahead, commented), "kernel") ||
			stampAtStart().MatchString(rest[len(ahead):])) { // the date was cut off
			rest, m.Kernel = rest[len(ahead):], true
			continue
		}
		p, found := matchingPrefix(rest)
		if found == nil && !m.Timed && !m.Program && strings.Contains(rest, "] ") {
			if before := beforeStamp().FindStringSubmatch(rest); before != nil && !strings.Contains(
				strings.TrimSuffix(before[1], " login: "), ": ") && !strings.Contains(before[1], "`") &&
				(!dated || strings.TrimSpace(before[1]) == "") {
				rest = rest[len(before[1]):]
				continue
			}
		}
		if found == nil || p.date && (dated || m.Timed) || p.uptime && m.Timed { // a second one is of the text
			break
		}
		m.note(p, found)
		rest = rest[len(found[0]):]
		if parts := structured().FindStringSubmatch(rest); p.structured && parts != nil {
			rest, m.Program = signed(parts[1], parts[2], rest[len(parts[0]):]), true
		}
		dated, service = dated || p.date, service || p.service
	}
	if strings.Contains(rest, "]: ") { // faster than the expression
		rest = leveled().ReplaceAllString(rest, "$1$2")
	}
	if dated && !m.Kernel && !m.Program {
		host, after, _ := strings.Cut(fromProgram().FindString(rest), " ")
		// else it is a device: rtc-pl031 9010000.pl031
		if m.Program = host != "" && !aboutClocks().MatchString(host); m.Program && after != "" {
			rest, m.Host = rest[len(host)+1:], host
		}
	}
	m.Text, m.Program = rest, m.Program || service && !m.Kernel
	return m
}

func matchingPrefix(line string) (prefix, []string) {
	if line == "" {
		return prefix{}, nil
	}
	for _, p := range prefixes {
		if strings.IndexByte(p.begins, line[0]) < 0 {
			continue
		}
		if found := p.pattern().FindStringSubmatch(line); found != nil {
			return p, found
		}
	}
	return prefix{}, nil
}

func (m *Message) note(p prefix, found []string) {
	m.Kernel, m.Program = m.Kernel || p.kernel, m.Program || p.program
	if len(found) < 2 || found[1] == "" {
		return
	}
	switch {
	case m.Stamp == "" && p.service:
		m.Stamp = found[1]
	case m.Stamp == "" || p.uptime:
		m.Stamp = strings.TrimSpace(found[0])
	}
	if !p.uptime {
		return
	}
	if p.micro {
		micro, _ := strconv.ParseInt(found[1], 10, 64) // the largest one if it is out of range
		micro = min(micro, largestNS/1000)
		m.Stamp, m.AtNS, m.Timed = uptimeStamp(micro), micro*1000, true
		return
	}
	if seconds, err := strconv.ParseFloat(found[1], 64); err == nil {
		m.AtNS, m.Timed = int64(min(seconds*1e9, largestNS)), true
	}
}

// uptimeFirst matches a time since boot that the kernel or its daemon wrote, and no program within its text.
var uptimeFirst = lazily(`^(?:<\d{1,3}>|kern *:\w+ *: |(?:[^:\[]|:\S)* kernel: )?\[ *(\d{1,9}\.\d+)\]`)

// stamps finds times since boot that go back: a CPU stamped its line by a clock that is behind the clocks of others.
type stamps struct {
	last         float64 // in s; 0 at first
	rises, falls int
}

// Add adds a line. If its time since boot is before the time of the line above, it returns a line for the document,
// without the text: "[ 4711.123456] (168 ms before the line above)". Else it returns "". The CPUs come up in the first
// 2 s, each with a clock of its own; ticks make steps of up to 10 ms; a file may have two logs; and old kernels stamp by
// ticks, in whole milliseconds, once they have given up the TSC.
func (s *stamps) Add(line string) string {
	const booted, least, most = 2, 0.05, 10 // in s
	line = line[:min(len(line), maxLooked)]
	if strings.IndexByte(line, '[') < 0 { // faster than the expression
		return ""
	}
	found := uptimeFirst().FindStringSubmatch(line)
	if found == nil {
		return ""
	}
	at, _ := strconv.ParseFloat(found[1], 64)
	back, ascends := s.last-at, s.rises > s.falls
	switch s.last = at; {
	case back > 0:
		s.falls++
	case back < 0 && back != -at: // not the first
		s.rises++
	}
	if !ascends || at < booted || back < least || back > most || strings.HasSuffix(found[1], "000") {
		return ""
	}
	return fmt.Sprintf("%s (%.0f ms before the line above)", uptimeStamp(int64(math.Round(at*1e6))), back*1e3)
}

// dates finds a wall clock that was set back by hours, as after a boot with a real-time clock in local time: systemd-timesyncd
// says nothing of it.
type dates struct{ above string }

// Add adds a line, and returns a line for the document if the date went back by whole quarters of an hour within a boot; else
// "". Unless systemd-timesyncd wrote the line, the time zone may be new.
func (d *dates) Add(line string) string {
	const quarter, near, most = 900, 30, 14.5 * 3600 // s
	above := d.above
	from, old := dateAtStart(above)
	to, stamp := dateAtStart(line)
	if stamp != "" {
		d.above = line[:min(len(line), maxLooked)]
	}
	jump := to.Sub(from).Seconds()
	if above == "" || stamp == "" || jump > near-quarter || jump < -most ||
		zone().FindString(above[len(old):]) != zone().FindString(d.above[len(stamp):]) {
		return ""
	}
	sure := strings.Contains(line, "systemd-timesyncd[") && strings.Contains(line, "ynchroni")
	before, after := uptimeFirst().FindStringSubmatch(above), uptimeFirst().FindStringSubmatch(d.above)
	switch {
	case before != nil && after != nil:
		up, _ := strconv.ParseFloat(before[1], 64)
		now, _ := strconv.ParseFloat(after[1], 64)
		passed := now - up
		if passed < 0 || passed > quarter {
			return ""
		}
		jump -= passed
	case !sure:
		return ""
	}
	if summer := to.Hour() < 4 && jump > -3600-near; summer || math.Abs(math.Remainder(jump, quarter)) > near {
		return ""
	}
	if !sure {
		return fmt.Sprintf("%s (the dates of the lines go back by %s)", stamp, span(-jump*1e9))
	}
	return fmt.Sprintf("%s (the dates of the lines jump by %.0f s)", stamp, jump)
}

// turns finds a wall clock that is set back and forward in turn. Select drops the second of two lines on one step.
type turns struct {
	above       time.Time
	back, forth int
	largest     time.Duration
}

// add adds a line on a step, and returns a line for the document at the third step back.
func (t *turns) add(m Message) string {
	const near = time.Minute
	at, known := dateOf(m.Stamp)
	if !known || !strings.HasSuffix(m.Text, "Time has been changed") {
		return ""
	}
	moved := at.Sub(t.above)
	t.above = at
	switch {
	case moved < 0 && moved >= -near:
		t.back++
		t.largest = max(t.largest, -moved)
	case moved > 0 && moved <= near:
		t.forth++
	}
	if t.back < minSteps || t.forth < minSteps-1 {
		return ""
	}
	t.back = math.MinInt // once in a boot
	return fmt.Sprintf("%s (the dates of the lines go back and forth, by %s)", m.Stamp, span(float64(t.largest)))
}

var zone = lazily(`^[.,\d]*(?:Z|[+-]\d\d:?\d\d)`) // matches the rest of a stamp as of ISO 8601

// dateAtStart returns the date at the beginning of a line, as of syslog or in ISO 8601, and its text.
func dateAtStart(line string) (at time.Time, stamp string) {
	layout := time.Stamp
	if line != "" && strings.IndexByte(digit, line[0]) >= 0 {
		layout = "2006-01-02T15:04:05"
	}
	if n := len(layout); len(line) > n && (line[3] == ' ' || line[4] == '-') { // faster than to parse each line
		if at, err := time.Parse(layout, line[:n]); err == nil {
			return at, line[:n]
		}
	}
	return time.Time{}, ""
}

// A sums adds up the stamps of `dmesg -H`, which count from the line above and have a date once a minute.
type sums struct {
	date    string // the last one; "" at first
	seconds float64
}

// dated returns a line, with the date before it and the sum since then if its stamp counts from the line above:
// "[Dec 3 09:00 +26.911234] ".
func (s *sums) dated(line string) string {
	stamp, text, ended := strings.Cut(line, "] ")
	stamp, begun := strings.CutPrefix(stamp, "[")
	if stamp = strings.TrimSpace(stamp); !begun || !ended || stamp == "" {
		return line
	}
	const most = 1e9 // s
	if more, err := strconv.ParseFloat(stamp, 64); stamp[0] == '+' && err == nil && more < most && s.date != "" {
		s.seconds = min(s.seconds+more, most)
		return fmt.Sprintf("[%s +%f] %s", s.date, s.seconds, text)
	}
	if strings.IndexByte(letters, stamp[0]) >= 0 {
		if _, is := dateOf(stamp); is {
			s.date, s.seconds = stamp, 0
		}
	}
	return line
}

// corrected returns a line for the document if the date of a message is later than the date of an offset of the wall
// clock by this offset: a service stepped the clock, in a line that the log lacks.
func (off Event) corrected(m Message) string {
	const least, tolerance = 3600e9, 60e9 // ns
	from, known := dateOf(off.Stamp)
	to, also := dateOf(m.Stamp)
	jump := float64(to.Sub(from))
	if !known || !also || math.Abs(off.StepNS) < least || math.Abs(jump-off.StepNS) > tolerance {
		return ""
	}
	return fmt.Sprintf("%s (the dates of the lines jump by %.0f s)", m.Stamp, jump/1e9)
}

const largestNS = 1 << 62 // a bound on a time since boot, in ns: 146 years

// uptimeStamp returns a time since boot in µs as dmesg prints it.
func uptimeStamp(micro int64) string { return fmt.Sprintf("[%5d.%06d]", micro/1e6, micro%1e6) }

// splitJSON reads a line of `journalctl -o json`.
func splitJSON(line string) (Message, bool) {
	line = strings.TrimSpace(line)
	const longest = 80 // of the name of a container, in docker compose logs
	if at := strings.Index(line, "| {"); at > 0 && at < longest && !strings.ContainsAny(line[:at], `{"`) {
		line = line[at+len("| "):]
	}
	if !strings.HasPrefix(line, "{") {
		return Message{}, false
	}
	if !strings.Contains(line, `"MESSAGE"`) {
		return splitCollected(line)
	}
	var entry struct { // its keys are unique, and in this case
		Message    string `json:"MESSAGE"`
		Transport  string `json:"_TRANSPORT"`
		Identifier string `json:"SYSLOG_IDENTIFIER"`
		PID        string `json:"_PID"`
		Realtime   string `json:"__REALTIME_TIMESTAMP"`
		Monotonic  string `json:"_SOURCE_MONOTONIC_TIMESTAMP"`
	}
	if json.Unmarshal([]byte(line), &entry, jsontext.AllowInvalidUTF8(true)) != nil {
		return Message{}, false
	}
	m := Message{Kernel: entry.Transport == "kernel" || entry.Transport == "" && entry.Identifier == "kernel"}
	m.Program = !m.Kernel && (entry.Transport != "" || entry.Identifier != "")
	text := entry.Message
	if m.Program {
		text = signed(entry.Identifier, entry.PID, text)
	}
	m.Text = printable.Line(text[:min(len(text), maxLooked)])
	if micro, err := strconv.ParseInt(entry.Realtime, 10, 64); err == nil && micro > 0 && micro < 1e16 {
		m.Stamp = time.UnixMicro(micro).UTC().Format(time.RFC3339)
	}
	if micro, err := strconv.ParseInt(entry.Monotonic, 10, 64); err == nil && micro >= 0 && micro < 1e15 {
		m.Stamp, m.AtNS, m.Timed = uptimeStamp(micro), micro*1000, true
	}
	return m, true
}

// signed returns a message with the name and the number of the program that wrote it, as syslog has them.
func signed(program, pid, text string) string {
	switch {
	case program == "" || strings.HasPrefix(text, program):
		return text
	case pid == "":
		return program + ": " + text
	}
	return program + "[" + pid + "]: " + text
}

// splitCollected reads a line of a log collector, as of Elastic, Loki, Fluentd, Logstash or Vector: a JSON object whose
// message is the line that the collector read.
func splitCollected(line string) (Message, bool) {
	var entry map[string]any
	if json.Unmarshal([]byte(line), &entry, jsontext.AllowInvalidUTF8(true)) != nil {
		return Message{}, false
	}
	first := func(keys ...string) string {
		for _, key := range keys {
			if text, _ := entry[key].(string); text != "" {
				return text
			}
		}
		return ""
	}
	text := strings.Join(words.Present(first("message", "msg", "log", "line"), first("error", "err")), ": ")
	if text == "" || strings.HasPrefix(strings.TrimSpace(text), "{") {
		return Message{}, false
	}
	m := Split(text)
	program := first("program", "appname", "ident", "syslog_identifier")
	if program != "kernel" && !m.Kernel && !m.Program {
		m.Text = signed(program, "", m.Text)
	}
	m.Text = printable.Line(m.Text)
	if m.Stamp == "" {
		m.Stamp = first("@timestamp", "timestamp", "time")
	}
	m.Kernel = m.Kernel || program == "kernel"
	m.Program = m.Program || program != "" && program != "kernel"
	return m, true
}
