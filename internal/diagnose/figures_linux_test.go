package diagnose

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
)

// A figure is a number that a log allows, with the text that must stand beside it: the rate from which it follows.
type figure struct {
	value float64
	needs string
}

// A computed log has the figures that arithmetic by hand gives from its text.
type computed struct {
	text    string
	figures []figure
}

func (c *computed) allow(needs string, values ...float64) {
	for _, v := range values {
		if v = math.Abs(v); v > 0 && !math.IsInf(v, 0) && !math.IsNaN(v) {
			c.figures = append(c.figures, figure{v, needs})
		}
	}
}

// matches returns the groups of an expression in the text as numbers, hexadecimal ones by 0x or hex.
func (c *computed) matches(expression string) [][]float64 {
	var all [][]float64
	for _, found := range regexp.MustCompile(expression).FindAllStringSubmatch(c.text, -1) {
		var row []float64
		for _, group := range found[1:] {
			n, err := strconv.ParseFloat(strings.TrimPrefix(group, "+"), 64)
			if whole, ok := new(big.Int).SetString(group, 0); ok && strings.HasPrefix(group, "0x") {
				n, _ = new(big.Float).SetInt(whole).Float64()
			} else if err != nil {
				n = math.NaN()
			}
			row = append(row, n)
		}
		all = append(all, row)
	}
	return all
}

// A counted interval is what a counter advanced, and what the kernel printed of it, in ns.
type counted struct {
	clock           string
	ticks, printed  float64
	last, now, upNS float64
}

var (
	counterLine = regexp.MustCompile(`(?m)^(?:.*?\[ *(\d+\.\d+)\])?.*'([\w-]+)' (?:(?:wd|cs)_nsec: (\d+) )?(wd|cs)_now: ([0-9a-f]+) (?:wd|cs)_last: ([0-9a-f]+) mask: ([0-9a-f]+)`)
	// numbers matches a number in an answer, with its sign and unit, but not within a name.
	numbers = regexp.MustCompile(`(^|[^\w.^/-])([-+]?\d[\d,]*(?:\.\d+)?)( ?%| ?(?:ns|µs|ms|s|h|days|ppm|GHz|MHz|Hz)\b)?`)
)

// counters returns the intervals of the watchdog's lines: the counters modulo their masks.
func (c *computed) counters() []counted {
	var all []counted
	for _, m := range counterLine.FindAllStringSubmatch(c.text, -1) {
		of := counted{clock: m[2]}
		up, _ := strconv.ParseFloat(m[1], 64)
		of.upNS = up * 1e9
		of.printed, _ = strconv.ParseFloat(m[3], 64)
		var values [3]*big.Int
		for i := range values {
			values[i], _ = new(big.Int).SetString(m[5+i], 16)
		}
		span := new(big.Int).Add(values[2], big.NewInt(1))
		forward := new(big.Int).Mod(new(big.Int).Sub(values[0], values[1]), span)
		if back := new(big.Int).Sub(span, forward); span.BitLen() > 48 && back.Cmp(forward) < 0 {
			forward = back
		}
		of.ticks, _ = new(big.Float).SetInt(forward).Float64()
		of.now, _ = new(big.Float).SetInt(values[0]).Float64()
		of.last, _ = new(big.Float).SetInt(values[1]).Float64()
		all = append(all, of)
	}
	return all
}

const (
	gigahertz, megahertz = 1e9, 1e6
	pmTimer              = 3579545
)

// ratesOf returns the rates that a clock may have by the log, by the text that an answer must have beside them.
func (c *computed) ratesOf(of counted) map[string]float64 {
	rates := map[string]float64{}
	known := func(hz float64) {
		switch {
		case hz >= gigahertz:
			rates[four(hz/gigahertz)+" GHz"] = hz
		case hz >= megahertz:
			rates[strconv.FormatFloat(hz/megahertz, 'g', 5, 64)+" MHz"] = hz
		default:
			rates[four(hz)+" Hz"] = hz
		}
	}
	switch {
	case of.clock == "acpi_pm":
		known(pmTimer)
	case of.clock == "kvm-clock" || of.clock == "xen":
		known(gigahertz)
	case strings.HasPrefix(of.clock, "tsc"):
		for _, m := range c.matches(`(\d+\.\d+) MHz (?:processor|TSC)|calibration: (\d+\.\d+) MHz|(\d+\.\d+) ?GHz|hypervisor : (\d+\.\d+)`) {
			known(m[0] * megahertz)
			known(m[1] * megahertz)
			known(m[2] * gigahertz)
			known(m[3] * megahertz)
		}
		for _, m := range c.matches(`(\d+\.\d+) BogoMIPS \(lpj=(\d+)\)`) {
			known(m[1] * math.Round(m[0]*500e3/m[1]))
		}
		for _, m := range c.matches(`Total of (\d+) processors activated \((\d+\.\d+) BogoMIPS\)`) {
			known(m[1] / m[0] / 2 * megahertz)
		}
		known(of.last / of.upNS * 1e9)
	case strings.HasSuffix(of.clock, "jiffies"):
		for _, hz := range []float64{100, 250, 300, 1000} {
			known(hz)
		}
	case of.clock == "hpet":
		for _, m := range c.matches(`comparators, \d+-bit (\d+\.\d+) MHz`) {
			known(m[0] * megahertz)
		}
		for _, hz := range []float64{14318180, 19.2e6, 24e6, 25e6, 16777216, 62.5e6, 100e6} {
			known(hz)
		}
	}
	for _, m := range regexp.MustCompile(`clocksource:? ([\w-]+): mask: 0x[0-9a-f]+ max_cycles: (0x[0-9a-f]+), max_idle_ns: (\d+)`).FindAllStringSubmatch(c.text, -1) {
		if strings.TrimSuffix(m[1], "-early") == strings.TrimSuffix(of.clock, "-early") {
			most, _ := new(big.Int).SetString(m[2], 0)
			idle, _ := new(big.Int).SetString(m[3], 10)
			hz, _ := new(big.Rat).SetFrac(new(big.Int).Mul(most, big.NewInt(445e6)), idle).Float64() // 0.445 × 1e9
			known(hz)
		}
	}
	return rates
}

// four returns a number with four digits.
func four(value float64) string {
	n, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 4, 64), 64)
	if value >= 1000 {
		n = math.Round(value)
	}
	return grouped(strconv.FormatFloat(n, 'f', -1, 64))
}

func grouped(digits string) string {
	whole, rest, _ := strings.Cut(digits, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		return whole + "." + rest
	}
	return whole
}

// compared allows what two intervals show together, in ns: both, their difference, how late the check was, whole rounds
// of a narrow watchdog, and the deviation in ppm.
func (c *computed) compared(needs string, watchdogNS, clockNS float64) {
	const due, limit = 5e8, 62.5e6
	skew := clockNS - watchdogNS
	c.allow(needs, watchdogNS, clockNS, skew, skew/watchdogNS*1e6, skew/watchdogNS*100, limit, watchdogNS-due)
	for _, round := range []float64{math.Pow(2, 24) / pmTimer * 1e9, math.Pow(2, 32) / 14318180 * 1e9} {
		if n := math.Round(skew / round); n >= 1 {
			c.allow(needs, round, n*round, n)
		}
	}
}

// allowed returns the figures of a log: of its counters, of the lines with intervals, and of steps and stamps.
func allowed(text string) *computed {
	c := &computed{text: text}
	var watchdog *counted
	for _, of := range c.counters() {
		c.allow("", of.ticks, of.printed, of.ticks/of.printed*1e9, of.now, of.now*of.printed/of.ticks)
		rates := c.ratesOf(of)
		for by, hz := range rates {
			c.allow(by, hz, of.ticks/hz*1e9, of.now/hz*1e9)
		}
		if !strings.HasPrefix(of.clock, "tsc") {
			watchdog = &of
			continue
		}
		c.allow("", of.upNS)
		if watchdog == nil {
			continue
		}
		watchdogRates := c.ratesOf(*watchdog)
		if watchdog.printed > 0 {
			watchdogRates[""] = watchdog.ticks / watchdog.printed * 1e9
		}
		if of.printed > 0 {
			rates[""] = of.ticks / of.printed * 1e9
		}
		for by, hz := range watchdogRates {
			watchdogNS := watchdog.ticks / hz * 1e9
			c.allow(by, of.ticks/watchdogNS*1e9, watchdogNS-5e8)
			if watchdog.clock == "acpi_pm" {
				c.allow(by, of.ticks/(watchdogNS+math.Pow(2, 24)/pmTimer*1e9)*1e9, math.Pow(2, 24)/pmTimer*1e9)
			}
			for clockBy, clockHz := range rates {
				c.compared(clockBy, watchdogNS, of.ticks/clockHz*1e9)
			}
		}
		watchdog = nil
	}
	for _, m := range c.matches(`skewed (-?\d+) ns \(.*interval of (\d+) ns`) {
		c.compared("", m[1], m[1]+m[0])
	}
	for _, m := range c.matches(`(?s)Watchdog +[\w-]+ interval: +(\d+)ns.*Clocksource +tsc interval: +(\d+)ns`) {
		c.compared("", m[0], m[1])
	}
	for _, m := range c.matches(`(?m)wd_nsec: (\d+)\n.*cs_nsec: (\d+)$`) { // without the counters
		c.compared("", m[0], m[1])
	}
	for _, m := range c.matches(`t=(\d+) jiffies`) {
		c.allow("at 1000 Hz", 1000, m[0]/1000*1e9)
		c.allow("at 100 Hz", 100, m[0]/100*1e9)
	}
	for _, m := range c.matches(`(-?\d+\.\d) ppm`) {
		c.allow("", m[0]/1e4)
	}
	for by, hz := range c.ratesOf(counted{clock: "MIPS"}) {
		c.allow(by, hz)
	}
	for _, m := range c.matches(`(?m)cs_nsec: (\d+) wd_nsec: (\d+)$`) {
		c.compared("", m[1], m[0])
	}
	for _, m := range c.matches(`delta = (-?\d+) ns`) {
		c.compared("", math.Abs(m[0]), 0)
		c.compared("", 1, math.Abs(m[0])) // of an unknown watchdog, whose rounds may be in the difference
		c.allow("", pmTimer)
		c.allow("MHz", math.Abs(m[0])*pmTimer/1e9, math.Round(math.Log2(math.Abs(m[0])*pmTimer/1e9)))
	}
	for _, m := range c.matches(`(\d+) cycles TSC warp|CPU\d+ +(\d+) < CPU`) {
		for by, hz := range c.ratesOf(counted{clock: "tsc"}) {
			c.allow(by, hz, m[0]/hz*1e9)
		}
	}
	for _, m := range c.matches(`CPU\d+ +(\d+) < CPU\d+ +(\d+) \(cycles\)`) {
		for by, hz := range c.ratesOf(counted{clock: "tsc"}) {
			c.allow(by, m[1]-m[0], (m[1]-m[0])/hz*1e9)
		}
	}
	for _, m := range c.matches(`freq: +(\d+\.\d+) MHz[^~]*\]: +(\d+\.\d+) MHz`) {
		c.allow("", (m[0]/m[1]-1)*100, (m[0]/m[1]-1)*1e6)
	}
	for _, m := range c.matches(`more than 11% \((\d+) vs (\d+)\)`) { // the limit is the nominal multiplier and 11 %
		nominal := m[1] / 1.11
		c.allow("", nominal, (m[0]/nominal-1)*100)
	}
	for _, m := range c.matches(`(?:took|delay of) (\d+) ?ns|delta=(-?\d+) `) {
		c.allow("", m...)
	}
	for _, m := range c.matches(`limit of (\d+)ns`) {
		c.allow("", m[0])
	}
	for _, hz := range c.ratesOf(counted{clock: "tsc"}) {
		c.allow("", hz)
	}
	c.steps()
	return c
}

// steps allows the time between lines of a kind, and their number.
func (c *computed) steps() {
	var first, last, number float64
	for _, m := range c.matches(`(?m)(?:was stepped by|time reset|offset|time stepped by) ([-+]?\d+\.\d+)(?: s|$)`) {
		c.allow("", m[0]*1e9)
	}
	for _, m := range c.matches(`(?m)^.*?\[ *(\d+\.\d+)\].*(?:jumped backwards|was stepped|time reset)`) {
		if number++; number == 1 {
			first = m[0]
		}
		last = m[0]
	}
	c.allow("", (last-first)/(number-1)*1e9)
	for _, counted := range []string{`jumped backwards|was stepped|time reset|time stepped by|Time has been changed`, `rtc interrupts`} {
		c.allow("", float64(len(regexp.MustCompile(counted).FindAllString(c.text, -1))))
	}
	for _, m := range regexp.MustCompile(`from CPU \d+ to CPUs ([\d,-]+)`).FindAllStringSubmatch(c.text, -1) {
		others := 0.0
		for part := range strings.SplitSeq(m[1], ",") {
			low, high, isRange := strings.Cut(part, "-")
			others++
			if isRange {
				a, _ := strconv.ParseFloat(low, 64)
				b, _ := strconv.ParseFloat(high, 64)
				others += b - a
			}
		}
		c.allow("", others)
	}
}

// general are figures of sentences that are true of every log: limits of the kernel and of NTP, versions, years, dates.
var general = regexp.MustCompile(`500 ppm|10 %|11 %|a factor of|Linux (?:before )?\d+\.\d+(?:\.\d+)?|Athlon 64|2018 to 2020|\b(?:19|20)\d\d(?:-\d\d-\d\d)?\b|HWCR bit 24|(?:32|64)-bit|PC10|1 to 10 ms|RHEL \d|2\^\d+|62\.5 ms|an advance of 0 ns|as 0\b|100 MHz|i\d-\d+\w*`)

var units = map[string]float64{"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "h": 3600e9, "days": 86400e9, "GHz": 1e9, "MHz": 1e6, "": 1, "Hz": 1, "%": 1, "ppm": 1}

// invented returns the numbers of a text that neither stand in the log nor follow from it.
func (c *computed) invented(answer string) []string {
	var wrong []string
	for _, found := range numbers.FindAllStringSubmatch(general.ReplaceAllString(answer, "…"), -1) {
		digits, unit := strings.TrimLeft(strings.ReplaceAll(found[2], ",", ""), "+-"), strings.TrimSpace(found[3])
		value, err := strconv.ParseFloat(digits, 64)
		if err != nil || c.has(digits, value, unit, answer) {
			continue
		}
		wrong = append(wrong, found[2]+" "+unit)
	}
	return wrong
}

func (c *computed) has(digits string, value float64, unit, answer string) bool {
	if regexp.MustCompile(`(?:^|[^\d.])0*` + regexp.QuoteMeta(digits) + `0*(?:[^\d]|$)`).MatchString(c.text) {
		return true
	}
	size := value * units[unit]
	_, decimals, _ := strings.Cut(digits, ".")
	tolerance := math.Pow10(-len(decimals)) * units[unit] * 0.51 // of the last digit
	for _, f := range c.figures {
		if math.Abs(f.value-size) <= tolerance+f.value*1e-12 && strings.Contains(answer, f.needs) {
			return true
		}
	}
	return false
}

// Each number in what doctor says of a log stands in the log, or follows from it by arithmetic that this test does
// in another way. A figure from a rate has the rate beside it.
func TestNoFigureIsInvented(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("testdata", "cases", "logs", "*"))
	require.NoError(t, err)
	trees, err := filepath.Glob(filepath.Join("testdata", "cases", "*", "tree"))
	require.NoError(t, err)
	require.NotEmpty(t, trees)
	judge := func(name, text string, d *result.Document) {
		c := allowed(text)
		for _, cause := range situation.Of(d).Causes() {
			assert.Empty(t, c.invented(cause.Text), "%s: %s", name, cause.Text)
			assert.Empty(t, c.invented(cause.Title), "%s: %s", name, cause.Title)
		}
	}
	for _, folder := range folders {
		log, err := os.ReadFile(filepath.Join(folder, "dmesg.txt"))
		require.NoError(t, err)
		facts, err := os.ReadFile(filepath.Join(folder, "facts.json"))
		require.NoError(t, err)
		d, err := logDocument(t, folder)
		if err != nil { // a log of another system
			continue
		}
		judge(folder, string(log), d)
		var host struct {
			Host json.RawMessage `json:"host"`
		}
		require.NoError(t, json.Unmarshal(facts, &host))
		addFacts(t, d, host.Host)
		judge(folder+" with facts", string(log)+string(facts), d)
	}
	for _, tree := range trees {
		d := caseDocument(t, filepath.Join("cases", filepath.Base(filepath.Dir(tree))))
		if d.Host.KernelLog != nil {
			judge(tree, strings.Join(d.Host.KernelLog.Lines, "\n")+fmt.Sprintf(" %.3f MHz TSC", d.Host.CPU.KernelTSCHz/1e6), d)
		}
	}
}

// An invented figure is found.
func TestInventedFiguresAreFound(t *testing.T) {
	const log = "tsc: Detected 2500.000 MHz processor\nclocksource: 'hpet' wd_now: 763877 wd_last: 0 mask: ffffffff\nclocksource: 'tsc' cs_now: 41eb9e5e cs_last: 0 mask: ffffffffffffffff"
	c := allowed(log)
	require.Empty(t, c.invented("hpet advanced 541.1 ms at 14.318 MHz, the TSC 442.4 ms at 2.5 GHz (1105960542 cycles): -18.2 %"))
	for _, text := range []string{
		"the TSC advanced 368.7 ms at 3 GHz", "hpet advanced 541.1 ms", "the TSC advanced 442.4 ms", "hpet advanced 77.48 ms at 14.318 MHz", "1105960543 cycles", "-19.2 %, 14.318 MHz, 2.5 GHz",
	} {
		require.NotEmpty(t, c.invented(text), text)
	}
}
