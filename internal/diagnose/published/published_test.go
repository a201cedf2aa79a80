package published

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/show/words"
)

var update = flag.Bool("update", false, "write docs/reference.md anew")

const (
	page = "../../../docs/reference.md"
	made = "<!-- Made from internal/diagnose/published/figures.csv by: go test ./internal/diagnose/published -update -->\n"
)

// sources are the clock sources, and order the paths, in the order of the page. paths has the words of the paths.
var (
	sources = []string{"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "xen", "hpet", "acpi_pm", "arch_sys_counter",
		"timebase", "tod", "mach"}
	order = []string{"vdso", "syscall", "winapi", "libc", "go", "cpu", "mmio"}
	paths = map[string]string{"vdso": "in user mode", "syscall": "by system call", "go": "by time.Now of Go",
		"winapi": "by QueryPerformanceCounter", "libc": "by the C library", "cpu": "by instruction",
		"mmio": "by mapped register"}
)

// columns are the columns of figures.csv, and what each cell must match.
var columns = []struct{ name, pattern string }{
	{"source", strings.Join(sources, "|")}, {"path", strings.Join(order, "|")}, {"hypervisor", "|kvm|hyperv|vmware|xen"},
	{"ns", `[1-9][0-9]{0,4}(\.[0-9]+)?`}, {"call", ".+"}, {"cpu", ".*"}, {"system", ".+"}, {"year", "|20[0-9]{2}"},
	{"basis", "stated|deduced"}, {"address", "https://[^/ ]+/.*"},
}

// A bad row is refused by its line: a cell that is no figure, or a row that is there twice.
func TestRows(t *testing.T) {
	reader, seen := csv.NewReader(strings.NewReader(file)), map[string]bool{}
	for {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err, "figures.csv")
		line, _ := reader.FieldPos(0)
		require.Len(t, row, len(columns), "figures.csv:%d", line)
		for i, column := range columns {
			pattern := words.Either(line == 1, column.name, column.pattern)
			require.Regexp(t, "^("+pattern+")$", row[i], "figures.csv:%d: %s", line, column.name)
		}
		text := strings.Join(row, ",")
		require.False(t, seen[text], "figures.csv:%d: the row is there twice", line)
		seen[text] = true
	}
}

func figureOf(row []string) float64 {
	var r Range
	r.add(row)
	return r.HighNS
}

// The page has the range of each clock source and path.
func TestThePageHasEachRange(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	head, _, found := strings.Cut(string(text), made)
	require.True(t, found, made)
	var list strings.Builder
	total := 0
	for _, name := range sources {
		for _, by := range order {
			of := Range{Name: name + " " + paths[by]}
			for _, row := range rows() {
				if row[source] == name && row[path] == by {
					of.add(row)
				}
			}
			if total += of.Count; of.Count > 0 {
				fmt.Fprintf(&list, "- %s\n", of)
			}
		}
	}
	require.Len(t, rows(), total, "a path has no place on the page")
	want := made + "\n" + list.String()
	tsc, _ := Of("tsc", "vdso", "none of these")
	head = regexp.MustCompile(`\d+ figures that`).ReplaceAllString(head, fmt.Sprintf("%d figures that", total))
	head = regexp.MustCompile(`tsc: .* figures\)`).ReplaceAllString(head, tsc.String())
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(head+want), 0o644))
		return
	}
	require.Equal(t, head+want, string(text), "go test ./internal/diagnose/published -update writes it anew")
}

// A figure counts for its clock source, path and hypervisor alone.
func TestFiguresOfDifferentPathsNeverMix(t *testing.T) {
	total := 0
	for _, name := range sources {
		for by := range paths {
			r, found := Of(name, by, "none of these")
			require.Equal(t, found, r.Count > 0)
			for _, row := range rows() {
				if row[source] == name && row[path] == by {
					require.LessOrEqual(t, r.LowNS, figureOf(row))
					require.GreaterOrEqual(t, r.HighNS, figureOf(row))
					total++
				}
			}
		}
	}
	require.Len(t, rows(), total)
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
