package published

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

var update = flag.Bool("update", false, "write docs/reference.md anew")

const (
	page = "../../../docs/reference.md"
	made = "<!-- Made from internal/diagnose/published/figures.csv by: go test ./internal/diagnose/published -update -->\n"
)

// shown are the columns of the page.
var shown = []table.Column[Figure]{
	{Name: "call", Left: true, Text: func(f Figure) string { return f.Call }},
	{Name: "CPU", Left: true, Text: func(f Figure) string { return f.CPU }},
	{Name: "system", Left: true, Text: func(f Figure) string { return f.System }},
	{Name: "published at", Left: true, Text: func(f Figure) string { return f.Address }},
	{Name: "year", Text: func(f Figure) string {
		if f.Year == 0 {
			return ""
		}
		return strconv.Itoa(f.Year)
	}},
	{Name: "ns/read", Text: func(f Figure) string {
		if f.Deduced {
			return words.Number(f.NS) + " (d)"
		}
		return words.Number(f.NS)
	}},
}

func TestThePageHasEachFigure(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	head, _, found := strings.Cut(string(text), made)
	require.True(t, found, made)
	var want strings.Builder
	rows := 0
	for _, source := range sources {
		for _, path := range order {
			group := slices.DeleteFunc(slices.Clone(figures()),
				func(f Figure) bool { return f.Source != source || f.Path != path })
			if len(group) == 0 {
				continue
			}
			rows += len(group)
			slices.SortStableFunc(group, func(a, b Figure) int { return int(10*a.NS) - int(10*b.NS) })
			table.Of(rangeOf(source+" "+paths[path], group).String(), group, shown).WriteMarkdown(&want)
		}
	}
	require.Len(t, figures(), rows, "a path has no place on the page")
	tsc, _ := Of("tsc", "vdso", "none of these")
	head = regexp.MustCompile(`\d+ figures that`).ReplaceAllString(head, fmt.Sprintf("%d figures that", rows))
	head = regexp.MustCompile(`tsc: .* figures\)`).ReplaceAllString(head, tsc.String())
	whole := head + made + want.String()
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(whole), 0o644))
		return
	}
	require.Equal(t, whole, string(text), "go test ./internal/diagnose/published -update writes it anew")
}

// order are the paths in the order of the page.
var order = []string{"vdso", "syscall", "winapi", "libc", "go", "cpu", "mmio"}

func TestABadRowIsRefusedWithItsLine(t *testing.T) {
	first := strings.Join(columns, ",") + "\n"
	good := "tsc,vdso,,20,clock_gettime,Zen 3,Linux,2024,stated,https://example.org/a\n"
	all, err := parse(strings.NewReader(first + good))
	require.NoError(t, err)
	require.Len(t, all, 1)
	for _, c := range []struct{ of, to, want string }{
		{"tsc", "rtc", `:3: source is "rtc"; write one of tsc, kvm-clock, `},
		{"vdso", "fast", `:3: path is "fast"; write vdso, syscall, `},
		{",,", ",qemu,", `:3: hypervisor is "qemu"; write empty, kvm, `},
		{",20,", ",0.2,", `:3: ns is "0.2"; write a number from 1 to 100000`},
		{",20,", ",NaN,", `:3: ns is "NaN"; `},
		{",20,", ",20 ns,", `:3: ns is "20 ns"; `},
		{"2024", "24", `:3: year is "24"; write empty, or a year from 2000 to 2099`},
		{"stated", "guessed", `:3: basis is "guessed"; write stated or deduced`},
		{"https", "http", `:3: address is "http://example.org/a"; write an address `},
		{"https://", "https:/", `:3: address is "https:/example.org/a"; `},
		{"clock_gettime", "", `:3: call is ""; write what was read`},
		{",Linux", ",", `:3: system is ""; write the system`},
		{",Linux", "", `: record on line 3: wrong number of fields`},
		{"Zen 3", `Zen "3"`, `: parse error on line 3`},
		{"", "", `:3: the row is there twice`},
	} {
		_, err := parse(strings.NewReader(first + good + strings.Replace(good, c.of, c.to, 1)))
		require.ErrorContains(t, err, "figures.csv"+c.want)
	}
	_, err = parse(strings.NewReader(good))
	require.ErrorContains(t, err, "figures.csv:1: the columns are not source,path,")
}

// A figure counts for its clock source, path and hypervisor alone.
func TestFiguresOfDifferentPathsNeverMix(t *testing.T) {
	total := 0
	for _, source := range sources {
		for path := range paths {
			r, found := Of(source, path, "none of these")
			require.Equal(t, found, r.Count > 0)
			for _, f := range figures() {
				if f.Source == source && f.Path == path {
					require.LessOrEqual(t, r.LowNS, f.NS)
					require.GreaterOrEqual(t, r.HighNS, f.NS)
					total++
				}
			}
		}
	}
	require.Len(t, figures(), total)
	user, _ := Of("tsc", "vdso", "")
	kernel, _ := Of("tsc", "syscall", "")
	require.Less(t, user.HighNS, kernel.LowNS, "a system call takes longer than a read in user mode")
	all, _ := Of("tsc", "vdso", "none of these")
	require.Greater(t, all.Count, user.Count, "a guest without figures is beside all figures")
	for _, unknown := range [][2]string{{"jiffies", "vdso"}, {"", "vdso"}, {"tsc", ""}, {"kvm-clock", "syscall"}} {
		_, found := Of(unknown[0], unknown[1], "")
		require.False(t, found, unknown)
	}
}

func TestARangeInWords(t *testing.T) {
	for _, c := range []struct {
		want string
		of   Range
	}{
		{"tsc: 11.7 to 56.7 ns (26 figures)", Range{"tsc", 11.7, 56.7, 26}},
		{"kvm-clock: 28.5 ns (1 figure)", Range{"kvm-clock", 28.5, 28.5, 1}},
		{"hpet: 527 ns to 1.23 µs (2 figures)", Range{"hpet", 527, 1230, 2}},
	} {
		require.Equal(t, c.want, c.of.String())
	}
}

func FuzzParse(f *testing.F) {
	f.Add(file)
	f.Add(strings.Join(columns, ",") + "\n\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parse(strings.NewReader(text))
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		for _, each := range all {
			require.Contains(t, sources, each.Source)
			require.True(t, each.NS >= minNS && each.NS <= maxNS)
		}
	})
}
