package kernellog

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/kernel-messages.md from the tables")

// themes are the headings of the page, in its order.
var themes = []struct {
	title   string
	formats []format
}{
	{"The watchdog: Marking clocksource 'tsc' as unstable", watchdogFormats},
	{"The TSCs of the CPUs: warp, skew, TSC ADJUST", syncFormats},
	{"The TSC: its rate, and why it is not used", tscFormats},
	{"The clock source in use", selectionFormats},
	{"Suspend and resume", sleepFormats},
	{"HPET and PM timer", timerFormats},
	{"Virtual machines and sandboxes", guestFormats},
	{"Arm", armFormats},
}

const pageHead = `# What the Linux kernel says about its clocks

What each message means, **its harm**, and what to do. To learn the cause, give the whole log to doctor, which compares the lines:
` + "`timebench doctor`" + ` for this machine, ` + "`timebench doctor dmesg.txt`" + ` or ` + "`ssh host dmesg | timebench doctor -`" + ` for another.

The prefix "clocksource:" is left out. ` + "`tsc=reliable`" + ` switches the kernel's checks of the TSC off.

(Written by ` + "`go test ./internal/machine/kernellog -run Page -update`" + ` from doctor's tables.)
`

func page() string {
	var out strings.Builder
	out.WriteString(pageHead)
	for _, theme := range themes {
		var harmful, harmless strings.Builder
		for i, f := range theme.formats {
			if f.meaning == "" {
				continue
			}
			examples := append([]string{f.example}, f.others...)
			for _, next := range theme.formats[i+1:] {
				if next.meaning != "" {
					break
				}
				examples = append(append(examples, next.example), next.others...)
			}
			text := fmt.Sprintf("- `%s`: %s", strings.Join(examples, "`, `"), f.meaning)
			if f.harm == "" && f.action == "" {
				harmless.WriteString(text + "\n")
				continue
			}
			if f.harm != "" {
				text += " **" + f.harm + "**"
			}
			if f.action != "" {
				text += " " + f.action
			}
			harmful.WriteString(text + "\n")
		}
		fmt.Fprintf(&out, "\n## %s\n", theme.title)
		if harmful.Len() > 0 {
			out.WriteString("\n" + harmful.String())
		}
		if harmless.Len() > 0 {
			out.WriteString("\nHarmless:\n\n" + harmless.String())
		}
	}
	return strings.ReplaceAll(spaces.ReplaceAllString(out.String(), "$1 "), "`clocksource: ", "`")
}

// spaces matches the alignment of figures in the examples.
var spaces = regexp.MustCompile(`(\S) {2,}`)

func TestThePageIsThatOfTheTables(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "kernel-messages.md")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(page()), 0o644))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, page(), string(text), "docs/kernel-messages.md is not that of the tables: run go test ./internal/machine/kernellog -run Page -update")
}

func TestEveryFormatIsDocumented(t *testing.T) {
	count := len(bootFormats)
	for _, theme := range themes {
		count += len(theme.formats)
		require.NotEmpty(t, theme.formats[0].meaning, "%s: add what the message means", theme.formats[0].example)
	}
	require.Len(t, formats, count, "add the new table of formats to themes")
}
