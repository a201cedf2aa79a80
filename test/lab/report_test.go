//go:build lab && linux

package lab

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/test/need"
)

// reportScript and sourcesScript have the commands of docs/lab/*.txt.
const (
	reportScript = `
run report-1 timebench compare --all --threads 1..CPUS --rounds 20 --throughput-time 40ms
run report-2 timebench doctor
run report-3 timebench verify --all
run report-4 timebench skew
`
	sourcesScript = `
run report-5 timebench compare --clocksources all --yes --threads 1..CPUS --rounds 20 --throughput-time 40ms --out /tmp/sources
run sources cat /tmp/sources/results.json
`
)

var reportCommands = regexp.MustCompile("(?m)^run (report-[0-9]) (.*)$")

// writeTranscript writes what timebench prints in the machine.
func (w world) writeTranscript(t *testing.T, said outputs) {
	host := document(t, said["compare"]).Host
	version, _, _ := strings.Cut(string(need.Output(t, exec.Command(w.emulator, "--version"))), "\n")
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s\n\n%s: %s %s\nLinux %s; clock source %s, available %s\n", w.name, w.about, version, w.emulator,
		strings.Join(w.machine, " "), host.Kernel, host.ClockSource.Current, strings.Join(host.ClockSource.Available, ", "))
	for _, command := range reportCommands.FindAllStringSubmatch(w.fill(reportScript+sourcesScript), -1) {
		if one := said[command[1]]; one.stdout != "" {
			fmt.Fprintf(&text, "\n$ %s\n\n%s", command[2], one.stdout)
		}
	}
	require.NoError(t, os.WriteFile(transcript(w), []byte(text.String()), 0o644))
}

// writePictures draws the pictures of the machine's clock sources.
func (w world) writePictures(t *testing.T, said outputs) {
	d := document(t, said.ok(t, "sources"))
	for _, c := range sections.Pictures() {
		if strings.HasPrefix(c.Name, "clock-sources") {
			require.True(t, c.Drawable(d), c.Name)
			file, err := os.Create("../../docs/images/lab-" + w.name + "-" + c.Name + ".png")
			require.NoError(t, err)
			require.NoError(t, c.PNG(file, d))
			require.NoError(t, file.Close())
		}
	}
}

func transcript(w world) string { return filepath.Join("../../docs/lab", w.name+".txt") }

// speed matches the first answer of doctor in a transcript.
var speed = regexp.MustCompile(`(?s)\$ timebench doctor\s+Reading the clock is ([^,]*),`)

// docs/lab.md has every world, with what doctor says in its transcript.
func TestPageHasEveryWorld(t *testing.T) {
	page, err := os.ReadFile("../../docs/lab.md")
	require.NoError(t, err)
	for _, w := range worlds {
		answer := speed.FindSubmatch(content(t, transcript(w)))
		require.NotNil(t, answer, w.name)
		require.Contains(t, string(page), fmt.Sprintf("\n- [%s](lab/%[1]s.txt): %s; %s is %s\n", w.name, w.about, w.source, answer[1]),
			"go test -tags lab ./test/lab -update writes the transcripts")
	}
}
