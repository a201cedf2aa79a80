package kernellog

import (
	_ "embed"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/show/texts"
)

// A weight is how much a line decides: which lines a document keeps, if there are too many.
type weight int

const (
	weightFacts   weight = iota // kept in no document: only its facts are used
	weightNoise                 // says nothing about the clock that programs read
	weightContext               // what is there, what is in use, rates
	weightDecides               // why a clock is not in use, or is wrong
)

// A format is a message of the kernel that has figures, or that a rule uses. A new format is an entry of formats.txt,
// where its fields are described, and an example in docs/kernel-messages.md.
type format struct {
	kind       string
	has        []string // texts in lower case, of which every match has one: a fast filter
	pattern    string
	weight     weight
	program    bool
	anywhere   bool   // whether a program may write more before it, which no document keeps
	by         string // the only program that writes it; "" if others may
	clock      string
	expression func() *regexp.Regexp // the pattern
}

//go:embed formats.txt
var formatsFile string

var weights = map[string]weight{
	"facts": weightFacts, "noise": weightNoise, "context": weightContext, "decides": weightDecides,
}

// formats are all messages. The first that matches counts.
var formats = sync.OnceValue(func() []*format {
	names := strings.NewReplacer("{clock}", named("clock"), "{watchdog}", named("watchdog"), "{ptp}",
		`(?P<name>ptp4l|phc2sys|ts2phc)(?:\[[^\]]{1,20}\])?: (?:\[[^\]]{1,60}\] ){0,2}`,
		"{pid}", `(?:\[[^\]]{1,20}\])?`, "{peer}", `\S+ +\S+ +\d+ +`, "{polled}", `+\S+ +\d+[mhd]? +[1-7][0-7]{0,2}`)
	var all []*format
	for _, e := range texts.Entries(formatsFile) {
		pattern := names.Replace(e.Get("pattern"))
		f := &format{kind: e.Name, program: e.Get("by") != "", anywhere: e.Get("anywhere") != "",
			by: strings.TrimPrefix(e.Get("by"), "program"), clock: e.Get("clock"), pattern: pattern,
			expression: lazily("(?i)" + pattern)}
		for name, w := range weights {
			if has := e.Get(name); has != "" {
				f.has, f.weight = strings.Split(has, " | "), w
			}
		}
		all = append(all, f)
	}
	return all
})

// lazily returns an expression that is compiled when it is first needed: all of them take 2.5 ms and 3 MB, and most
// commands read no log.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// named returns the pattern for the name of a clock source, with or without quotation marks, as a named group.
func named(group string) string {
	return `['"‘’]?(?P<` + group + `>\d*[A-Za-z_][\w.:@-]*?)['"‘’]?`
}

// fields take what a named group of a pattern matched into the event. An impossible figure is unknown.
var fields = map[string]func(*Event, string){
	"clock":    func(e *Event, text string) { e.Clock = strings.ToLower(text) },
	"watchdog": func(e *Event, text string) { e.Watchdog = strings.ToLower(text) },
	"ns": func(e *Event, text string) {
		if ns, ok := number(text); ok && ns >= 0 {
			e.IntervalNS, e.Measured = ns, true
		}
	},
	"wdns": func(e *Event, text string) {
		ns, _ := number(text)
		e.WatchdogNS = max(ns, 0)
	},
	"skew":  func(e *Event, text string) { e.SkewNS, e.Measured = number(text) },
	"now":   func(e *Event, text string) { e.Now = hexadecimal(text) },
	"last":  func(e *Event, text string) { e.Last = hexadecimal(text) },
	"mask":  func(e *Event, text string) { e.Mask = hexadecimal(text) },
	"delay": func(e *Event, text string) { e.DelayNS, _ = number(text) },
	"us":    func(e *Event, text string) { e.DelayNS, _ = number(text); e.DelayNS *= 1e3 },
	"limit": func(e *Event, text string) { e.LimitNS, _ = number(text) },
	"of":    func(e *Event, text string) { e.Cycles = decimal(text) },
	// BogoMIPS are twice the rate, of all CPUs together. lpj is rate/HZ, so Cycles is HZ.
	"bogomips": func(e *Event, text string) {
		n, _ := number(text)
		e.Hz, e.Cycles = n*500e3/float64(max(e.Cycles, 1)), 0
	},
	"lpj": func(e *Event, text string) {
		if lpj, _ := number(text); lpj > 0 {
			e.Cycles = int64(math.Round(e.Hz / lpj))
			e.Hz = lpj * float64(e.Cycles)
		}
	},
	"mhz": func(e *Event, text string) { e.Hz, _ = number(text); e.Hz *= 1e6 },
	"before": func(e *Event, text string) {
		ms, _ := number(text)
		e.SkewNS = -min(ms, largest/1e6) * 1e6
	},
	"cycles": func(e *Event, text string) { e.Cycles = decimal(text) },
	"behind": func(e *Event, text string) { e.Last = uint64(decimal(text)) },
	"ahead":  func(e *Event, text string) { e.Now = uint64(decimal(text)) },
	"step": func(e *Event, text string) {
		seconds, _ := number(text)
		if e.Back {
			seconds = -math.Abs(seconds)
		}
		e.StepNS, e.Back = seconds*1e9, e.Back || seconds < 0
	},
	"local":  func(e *Event, text string) { e.StepNS -= secondsOf(text) * 1e9 },
	"remote": func(e *Event, text string) { e.StepNS += secondsOf(text) * 1e9 },
	"drift":  func(e *Event, text string) { e.StepNS, _ = number(strings.ReplaceAll(text, " ", "")) },
	"minutes": func(e *Event, text string) {
		minutes, _ := number(text)
		e.StepNS, e.Back = minutes*60e9, minutes < 0
	},
	"milliseconds": func(e *Event, text string) {
		ms, _ := number(text)
		e.StepNS = ms * 1e6
	},
	"back":   func(e *Event, _ string) { e.StepNS, e.Back = -math.Abs(e.StepNS), true },
	"cpu":    func(e *Event, text string) { e.CPUs = append(e.CPUs, cpuList(text)...) },
	"cpus":   func(e *Event, text string) { e.CPUs = append(e.CPUs, cpuList(text)...) },
	"reason": func(e *Event, text string) { e.Reason = strings.TrimRight(strings.TrimSpace(text), ".") },
	"invalid": func(e *Event, text string) { // of apt: 2d 0h 56min 20s
		days, rest, found := strings.Cut(text, "d ")
		if !found {
			days, rest = "0", text
		}
		n, _ := number(days)
		size, _ := time.ParseDuration(strings.NewReplacer("min", "m", " ", "").Replace(rest))
		e.Reason, e.StepNS = text, n*86400e9+float64(size)
	},
	"ppm":  func(e *Event, text string) { e.Reason = text + " ppm" },
	"name": func(e *Event, text string) { e.Name = strings.TrimSpace(text) },
	// The kernel allows for a correction of 11 %, and halves the result (clocks_calc_max_nsecs in
	// kernel/time/clocksource.c).
	"maxcycles": func(e *Event, text string) {
		if cycles := hexadecimal(text); cycles < math.MaxUint64 { // else the multiplier is 0 or 1: it has no rate
			e.Hz = float64(cycles) * (1 - 0.11) / 2 * 1e9
		}
	},
	"maxidle": func(e *Event, text string) {
		ns, ok := number(text)
		switch {
		case !ok:
			e.Hz /= largest
		case ns == 0:
			e.Hz = 0
		default:
			e.Hz /= ns
		}
	},
}

// largest is a bound on the figures of an event: 285 years in ns, which an int64 holds. A larger figure is impossible.
const largest = 9e18

// number returns a figure; 0 and false if it is impossible.
func number(text string) (float64, bool) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n > largest || n < -largest {
		return 0, false
	}
	return n, true
}

// secondsOf returns a time as of Go, S3 or Talos, in s since 1970; NaN if there is no such time.
func secondsOf(text string) float64 {
	for _, layout := range []string{time.RFC3339, "20060102T150405Z", "2006-01-02 15:04:05 -0700 MST"} {
		if at, err := time.Parse(layout, text); err == nil {
			return float64(at.UnixMicro()) / 1e6
		}
	}
	return math.NaN()
}

func hexadecimal(text string) uint64 {
	n, _ := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(text), "0x"), 16, 64)
	return n
}

// decimal returns a number of cycles; 0 if an int64 does not hold it.
func decimal(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

const (
	// maxCPUs is more than the number of any CPU of Linux (NR_CPUS in arch/x86/Kconfig).
	maxCPUs = 8192
	// unknownCPU stands for an impossible CPU.
	unknownCPU = -1
)

// cpuList returns the CPUs of a list as the kernel prints it, 0,2-3, or unknownCPU.
func cpuList(text string) []int {
	var cpus []int
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		low, err := strconv.Atoi(first)
		high, failed := strconv.Atoi(last)
		if err != nil || failed != nil || high >= maxCPUs || low > high || len(cpus)+high-low >= maxCPUs {
			return []int{unknownCPU}
		}
		for n := low; n <= high; n++ {
			cpus = append(cpus, n)
		}
	}
	return cpus
}

// aboutClocks matches a text that concerns clocks, in any case. tsc is also the name of a compiler, which the log names
// if it is killed. The name of the clock is the prefix of a message, or stands between spaces or quotes.
var aboutClocks = lazily(`(?i)\bclocksource\b|\bHypervisor detected\b|\bXen version\b|\bvmware: (?:using clock|tsc)|` +
	`(?:^|[^("\w/.=-])tsc(?:_\w+|-early)?(?:: |[ '",.;)\]]|$)|` +
	`\bhpet\d*\b|\bkvm-?clock\b|\bpvclock\b|\bhyper-?v.*(?:clock|timer)|\bsched_clock\b|\bacpi_pm\b|\bpm-timer\b|` +
	`\barch_timer\b|\barch_sys_counter\b|\bcp15 timer|\btimekeeping\b|\brtc(?:\d+|[-_]\w+)?\b|\bread-back ` +
	`delay\b|\bleap second\b|` +
	`\blost ticks\b|\btoo many ticks\b|\btime source\b|^Back to C!`)

// formatOf returns the format of a text; nil if it is no message, or only quotes one.
func formatOf(text string) *format {
	for _, f := range candidates(strings.ToLower(text)) {
		at := f.expression().FindStringIndex(text)
		if at == nil {
			continue
		}
		before, message := text[:at[0]], text[at[0]:]
		// Behind msg= or [ the mark begins a field of a log.
		ahead, marked := strings.CutSuffix(before, `"`)
		quoted := strings.Contains(before, "`") || marked && !strings.HasSuffix(ahead, "=") && !strings.HasSuffix(ahead, "[")
		if f.anywhere && !quoted || f.program && tagged(before, message) || !f.program && leads(before) {
			return f
		}
	}
	return nil
}

// writtenBy returns whether a message may be of this format: the kernel writes no message of a program, but quotes names
// that a device gives itself.
func (f *format) writtenBy(m Message) bool {
	at := f.expression().FindStringIndex(m.Text)
	quoted := f.anywhere && m.Kernel && !tagged(m.Text[:at[0]], m.Text[at[0]:])
	return (f.program || !m.Program) && !quoted
}

// tagged returns whether a text may stand before the message of a program: its stamps, its name with a colon, and one
// word more, such as a host or a level. Another program that quotes a message, and prose, have more before it.
func tagged(text, message string) bool {
	words, names := 0, 0
	isName := func(word string) bool { // "WARN:" and "CLOCK:" are none
		return strings.HasSuffix(word, ":") && word != strings.ToUpper(word)
	}
	first, _, _ := strings.Cut(message, " ")
	if isName(first) { // the pattern has the name
		names++
	}
	for i, word := range strings.Fields(text) {
		if isQuoting(word) && (i == 0 || word != "-" && word != "|") {
			return false
		}
		if isName(word) {
			names++
		} else if !strings.ContainsAny(word, digit+"[]<>|-:") {
			words++
		}
	}
	return words <= 1 && names <= 1 && (text == "" || strings.HasSuffix(text, " ")) && !strings.Contains(text+first, "`")
}

var quoting = lazily(`^(?:[^\pL\d]+|\d{1,3}[.)]|<[^>]*[^>\d][^>]*>)$`)

// isQuoting returns whether a word is the mark of a list, a comment, a difference or a quotation, or who says it in a
// chat. A syslog daemon writes "-" for what is unknown, and a container's tag ends in "|", behind other words.
func isQuoting(word string) bool { return quoting().MatchString(word) }

// mayHave returns whether a line, with its stamp and in lower case, may be a message with a format: a fast filter,
// since to split a line takes longer than to search it.
func mayHave(small string) bool {
	return len(candidates(small)) > 0
}
