package kernellog

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

What each message means, whether it is **harmless**, and → what to do. ` + "`timebench doctor`" + ` reads the log of this machine, and
` + "`timebench doctor dmesg.txt`" + ` or ` + "`ssh host dmesg | timebench doctor -`" + ` that of another. It names the cause.

(Written by ` + "`go test ./internal/machine/kernellog -run Page -update`" + ` from doctor's tables.)

`

// page returns the page from the tables.
func page() string {
	var out strings.Builder
	out.WriteString(pageHead)
	out.WriteString("## Causes\n\nThe first that applies counts. Causes that one message names are with that message.\n\n")
	for _, r := range rules {
		if r.title != "" {
			fmt.Fprintf(&out, "- **%s**: %s → %s\n", r.title, r.evidence, r.action)
		}
	}
	for _, theme := range themes {
		var others, harmless strings.Builder
		for _, f := range theme.formats {
			text := fmt.Sprintf("\n- `%s`: %s", strings.ReplaceAll(f.search, " / ", "`, `"), f.meaning)
			switch {
			case f.search == "":
			case f.harmless == "Yes." && f.action == "":
				harmless.WriteString(text)
			default:
				others.WriteString(text + " **" + f.harmless + "**")
				if f.action != "" {
					others.WriteString(" → " + f.action)
				}
			}
		}
		if harmless.Len() > 0 {
			others.WriteString("\n\nHarmless:\n" + harmless.String())
		}
		fmt.Fprintf(&out, "\n## %s\n\n%s\n", theme.title, strings.TrimSpace(others.String()))
	}
	return out.String()
}

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
		documented := map[Kind]bool{}
		for _, f := range theme.formats {
			if f.search == "" {
				continue
			}
			documented[f.kind] = true
			require.NotEmpty(t, f.meaning, "%s: add what the message means", f.search)
			require.NotEmpty(t, f.harmless, "%s: add whether it is harmless", f.search)
		}
		for _, f := range theme.formats {
			require.True(t, documented[f.kind] || follows[f.kind], "%s: add search, meaning and harmless, so that docs/kernel-messages.md has it", f.example)
		}
	}
	require.Len(t, formats, count, "add the new table of formats to themes")
	for _, r := range rules {
		if r.message != "" {
			require.True(t, slices.ContainsFunc(formats, func(f format) bool { return f.kind == r.message && f.search != "" }), "%s: the message is not documented", r.kind)
			continue
		}
		require.NotEmpty(t, r.title, "%s: add a title, or the message that names the cause", r.kind)
		require.NotEmpty(t, r.evidence, "%s: add how the log shows it", r.kind)
		require.NotEmpty(t, r.action, "%s: add what to do", r.kind)
	}
}

// follows are messages that are documented with the one before them.
var follows = map[Kind]bool{cpuBehind: true, cpusBehind: true, rateBefore: true, rateAfter: true, firmwareNames: true}
