//go:build lab && linux

package lab

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/report/render"
)

// report is the page that -update writes, and transcripts the folder of the machines' outputs.
const (
	report      = "../../docs/lab.md"
	transcripts = "../../docs/lab"
)

var (
	//go:embed testdata/lab.md.tmpl
	reportTemplate string
	//go:embed testdata/machine.txt.tmpl
	machineTemplate string
)

// A chapter is a world in the report.
type chapter struct {
	Name, About, Machine, QEMU string
	Kernel, Current, Available string
	Threads, Table, Doctor     string
	Sources                    string // the clock sources side by side; "" where there is one
	Sent, Switched             int    // kills; and those while another clock source was in place
	trustRow
}

// Finding returns the beginning of doctor's answer: fast or slow, and the latency of a read.
func (c chapter) Finding() string {
	cost, _, _ := strings.Cut(strings.TrimPrefix(c.Doctor, "Reading the clock is "), ", ")
	return cost
}

// A page is the whole report.
type page struct {
	CPUs     int
	Chapters []chapter
}

// pictures is the folder of the documentation's pictures.
const pictures = "../../docs/images"

var version = regexp.MustCompile(`version (\d\S*)`)

func (w world) chapter(t *testing.T, said outputs, kills []kill) chapter {
	d := document(t, said.ok(t, "report"))
	var table bytes.Buffer
	require.NoError(t, render.OfDocument(d).Text(&table))
	emulator, err := exec.Command(w.emulator, "--version").Output()
	require.NoError(t, err)
	qemu := version.FindStringSubmatch(string(emulator))
	require.NotNil(t, qemu, string(emulator))
	sources := ""
	if w.sources != nil {
		sources = sideBySide(t, w.name, document(t, said["report-sources"]))
	}
	switched := slices.DeleteFunc(slices.Clone(kills), func(k kill) bool { return !k.switched })
	return chapter{
		Sources: sources, Name: w.name, About: w.about, Machine: w.emulator + " " + strings.Join(w.machine, " "),
		QEMU:   qemu[1],
		Kernel: d.Host.Kernel, Current: d.Host.ClockSource.Current,
		Available: strings.Join(d.Host.ClockSource.Available, ", "),
		Threads:   w.threads, Table: table.String(), Doctor: said["report-doctor"].stdout,
		Sent: len(kills), Switched: len(switched), trustRow: w.trustRow(t, said),
	}
}

// sideBySide returns the tables that compare the clock sources, and draws their pictures.
func sideBySide(t *testing.T, world string, d *result.Document) string {
	const sourcesTitle = "Latency by clock source"
	var table bytes.Buffer
	require.NoError(t, render.OfDocument(d).Text(&table))
	_, tables, isThere := strings.Cut(table.String(), sourcesTitle)
	require.True(t, isThere)
	tables, _, isThere = strings.Cut(sourcesTitle+tables, "\nLatency and resolution\n")
	require.True(t, isThere)
	for _, c := range sections.Pictures() {
		if strings.HasPrefix(c.Name, "clock-sources") {
			require.True(t, c.Drawable(d), c.Name)
			file, err := os.Create(filepath.Join(pictures, "lab-"+world+"-"+c.Name+".png"))
			require.NoError(t, err)
			require.NoError(t, c.PNG(file, d))
			require.NoError(t, file.Close())
		}
	}
	return tables
}

func writeReport(t *testing.T, chapters map[string]chapter) {
	p := page{CPUs: runtime.NumCPU()}
	for _, w := range worlds {
		c, isThere := chapters[w.name]
		require.True(t, isThere, "no figures of %s: -update wants every world", w.name)
		p.Chapters = append(p.Chapters, c)
	}
	write := func(name, form string, of any) {
		var text bytes.Buffer
		require.NoError(t, template.Must(template.New(name).Parse(form)).Execute(&text, of))
		require.NoError(t, os.WriteFile(name, text.Bytes(), 0o644))
	}
	write(report, reportTemplate, p)
	for _, c := range p.Chapters {
		write(filepath.Join(transcripts, c.Name+".txt"), machineTemplate, c)
	}
}

// short writes a number with three significant digits.
func short(number float64) string {
	switch size := math.Abs(number); {
	case size >= 1e6:
		return fmt.Sprintf("%.3g million", number/1e6)
	case size >= 1000:
		return fmt.Sprintf("%.0f", number)
	default:
		return fmt.Sprintf("%.3g", number)
	}
}
