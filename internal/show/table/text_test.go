package table

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A long name leaves room for its value. Names of wide letters stand above each other as others do.
func TestNamesOfFacts(t *testing.T) {
	var out strings.Builder
	WriteFacts(&out, []Fact{{Name: "a", Value: "1"}, {Name: strings.Repeat("n", 200),
		Value: "a value of " + strings.Repeat("word ", 30)}, {Name: "bcd", Value: "2"}}, 0, Width)
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, len(line), Width+1)
	}
	require.Contains(t, out.String(), "a    1\n")
	require.Contains(t, out.String(), "     a value of word")
	require.Contains(t, out.String(), "bcd  2\n")
	facts := Facts{Lines: []Fact{{Name: "web1", Value: "1"}, {Name: "時計-a", Value: "2"}, {Name: "köln", Value: "3"}}}
	require.Equal(t, []string{"web1    1\n", "時計-a  2\n", "köln    3\n"}, facts.Brief(Narrowest))
}

// A name breaks where a reader expects it; without such a place, anywhere.
func TestNamesBreakAfterTheirParts(t *testing.T) {
	for _, test := range []struct {
		cell string
		most int
		want string
	}{
		{"ThreadMXBean.getCurrentThreadCpuTime", 24, "ThreadMXBean.\ngetCurrentThreadCpuTime"},
		{"CLOCK_THREAD_CPUTIME_ID@vdso", 20, "CLOCK_THREAD_\nCPUTIME_ID@vdso"},
		{"Time::HiRes::clock_gettime(CLOCK_MONOTONIC)", 28, "Time::HiRes::clock_gettime(\nCLOCK_MONOTONIC)"},
		{"CLOCK_MONOTONIC mostly", 18, "CLOCK_MONOTONIC\nmostly"},
		{"short", 12, "short"},
		{"namewithoutparts", 12, "namewithoutp\narts"},
		{"LFENCE+RDTSC-like@cpu", 18, "LFENCE+RDTSC-like@\ncpu"},
		{"haltpoll.guest_halt_poll_ns=0 mitigations=auto,no_guest_host", 40,
			"haltpoll.guest_halt_poll_ns=0\nmitigations=auto,no_guest_host"},
		{"10:30:00 https://a", 12, "10:30:00\nhttps://a"},
		{"twelve chars", 12, "twelve chars"},
		{"世界", 1, "世\n界"},
	} {
		require.Equal(t, test.want, inLines(test.cell, test.most))
	}
}

// A command or an address in a sentence stays in one line, so that people can copy it.
func TestCopiedPartsOfSentencesStayWhole(t *testing.T) {
	for text, want := range map[string]string{
		"$ echo tsc | sudo tee /sys/x":            "$ echo tsc | sudo tee /sys/x\n",
		"then `timebench skew --cpus 0,1`, again": "then\n`timebench skew --cpus 0,1`,\nagain\n",
		"see https://example.org/a_b_c_d/e now":   "see\nhttps://example.org/a_b_c_d/e\nnow\n",
		"in (/etc/default/grub) add it":           "in\n(/etc/default/grub)\nadd it\n",
	} {
		require.Equal(t, want, Indented(text, 0, 12))
	}
}

// A text that a file decides takes time in proportion to its length: with its square, this test would take an hour.
func TestLongTextsWrapInTime(t *testing.T) {
	for _, part := range []string{"a ", "a", "/path ", "`a` ", "a.b/"} {
		of := strings.Repeat(part, 1<<20/len(part))
		require.GreaterOrEqual(t, strings.Count(Indented(of, 2, Narrowest), "\n"), 1<<20/Width, part)
	}
}

// The names in a page break after their parts; other text does not.
func TestNamesOfAPageBreakAfterTheirParts(t *testing.T) {
	g := Grid{texts: 2, Header: []string{"Call", "reads", "ns/call"},
		Rows: [][]string{{"Time::HiRes::time", "CLOCK_REALTIME@<vdso>", "1.35"}, {"a. b (c)", "c@", "2"}, {"a", "1.5 ms, 6.18", "3"}}}
	html := g.HTML()
	for _, cell := range []string{">Time::<wbr>HiRes::<wbr>time<", ">CLOCK_<wbr>REALTIME@<wbr>&lt;vdso&gt;<", ">1.35<",
		">a. b (c)<", ">c@<", ">1.5 ms, 6.18<"} {
		require.Contains(t, html, cell)
	}
}

// The id of a clock stays whole, so that people can copy it, as long as another text can wrap.
func TestFirstColumnWrapsLast(t *testing.T) {
	const id = "QueryUnbiasedInterruptTimePrecise@winapi"
	g := Of("", []string{id}, []Column[string]{
		{Name: "Clock", Left: true, Text: func(id string) string { return id }},
		{Name: "Available", Left: true, Text: func(string) string { return "no: this Windows has no " + id }},
	})
	require.Contains(t, g.Text(Narrowest), id+" ")
}
