package fleet_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/test/made"
	"github.com/timebench/timebench/test/need"
)

// written writes documents into a folder, each in a form in turn, and returns it.
func written(t testing.TB, documents []*result.Document) string {
	t.Helper()
	folder := need.Folder(t)
	for i, d := range documents {
		name := filepath.Join(folder, fmt.Sprintf("%05d.json", i))
		if i%2 == 1 {
			require.NoError(t, os.Mkdir(filepath.Join(folder, fmt.Sprintf("%05d", i)), 0o755)) //nolint:gosec // a test
			name = filepath.Join(folder, fmt.Sprintf("%05d", i), "results.json")
		}
		file, err := os.Create(name)
		require.NoError(t, err)
		require.NoError(t, d.Write(file))
		require.NoError(t, file.Close())
	}
	return folder
}

func load(file string, most int64) (fleet.Machine, error) {
	d, err := sections.LoadUpTo(file, most)
	if err != nil {
		return fleet.Machine{}, err
	}
	return fleet.MachineOf(file, d, diagnose.Findings(d)), nil
}

func compared(t testing.TB, names ...string) *fleet.Fleet {
	t.Helper()
	files, missing, err := fleet.Find(names, strings.NewReader(""))
	require.NoError(t, err)
	machines, unread := fleet.Read(files, load)
	return fleet.Of(machines, append(missing, unread...), time.Unix(0, 0))
}

func oddOf(f *fleet.Fleet) (names []string) {
	for _, g := range f.Groups {
		for _, m := range g.Machines {
			if len(m.Reasons) > 0 {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// A host counts once, with its newest result that has costs; results without the label host are machines of their own.
func TestHostCountsOnce(t *testing.T) {
	documents, _ := made.Fleet(4, 0, 1)
	for i, d := range documents[:3] {
		d.Labels, d.GeneratedAt = []string{"host=web1"}, time.Unix(int64(100-i), 0).UTC()
	}
	for i := range compare.Of(documents[0]).Clocks {
		compare.Into(documents[0]).Clocks[i].Latency = nil
	}
	documents[3].Labels = nil
	folder := written(t, append(documents, documents[3]))
	f := compared(t, folder)
	require.Equal(t, 3, f.Machines)
	require.Equal(t, 2, f.LeftOut)
	require.Contains(t, f.Verdict(), "2 results are left out: the same host has a newer one, or one with costs.")
	var files []string
	for _, g := range f.Groups {
		for _, m := range g.Machines {
			files = append(files, m.File)
		}
	}
	require.Contains(t, files, filepath.Join(folder, "00001", "results.json"))
}

// The odd machines of documents are named, and damaged or foreign files are named beside them. Files and folders of
// other kinds do not hide the results.
func TestDocumentsOfAFleet(t *testing.T) {
	documents, odd := made.Fleet(90, 7, 1)
	folder := written(t, documents)
	for name, content := range map[string]string{"bad.json": "{", "other.html": "<html></html>", "empty.zip": "",
		"notes.txt": "no result", "diff.json": "a diff"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	for _, name := range []string{"report.html", "report.md"} { // beside a document
		require.NoError(t, os.WriteFile(filepath.Join(folder, "00001", name), []byte("<html>"), 0o600))
	}
	for _, name := range []string{"a", "results.json"} {
		require.NoError(t, os.Mkdir(filepath.Join(folder, name), 0o755)) //nolint:gosec // a test
	}
	f := compared(t, folder, folder, filepath.Join(folder, "missing"))
	require.Equal(t, 90, f.Machines, "each once")
	require.Len(t, f.Groups, 3)
	require.ElementsMatch(t, odd, oddOf(f))
	require.Equal(t, 7, f.Odd)
	var unread []string
	for _, u := range f.Unread {
		require.NotContains(t, u.Reason, folder)
		require.NotEmpty(t, u.Reason)
		unread = append(unread, filepath.Base(u.File))
	}
	require.ElementsMatch(t, []string{"missing", "bad.json", "other.html", "empty.zip"}, unread)
	require.Contains(t, f.Verdict(), "7 of 90 machines differ from their group: ")
	text, err := f.JSON()
	require.NoError(t, err)
	var back fleet.Fleet
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, f.Odd, back.Odd)
}

// An error is named with its machine, also in a group that is too small for odd machines.
func TestErrorsInASmallGroup(t *testing.T) {
	documents, _ := made.Fleet(4, 0, 1)
	var machines []fleet.Machine
	for i, d := range documents {
		var findings []result.Finding
		switch i {
		case 2:
			findings = []result.Finding{{Kind: "kernel-entry", Severity: result.Error, Title: "reads enter the kernel"}}
		case 3:
			findings = []result.Finding{{Kind: "unsynchronised", Severity: result.Warn, Title: "no NTP"}}
		}
		machines = append(machines, fleet.MachineOf("", d, findings))
	}
	f := fleet.Of(machines, nil, time.Time{})
	require.True(t, f.TooFew())
	require.Equal(t, "1 of 4 machines has an error: web00002. No machine is judged: 5 similar machines are needed to find odd ones.",
		f.Verdict())
	require.Equal(t, []table.Fact{{Name: "web00002",
		Value: "Doctor finds kernel-entry (error): reads enter the kernel."}}, f.Blocks()[0].Facts.Lines)
	require.Equal(t, "2 of 4 machines have an error or a warning: web00003 and web00002", f.Faulty(true))
}

// Machines of groups that are too small are not among those that do not differ.
func TestSmallGroupsAreNotJudged(t *testing.T) {
	documents, _ := made.Fleet(24, 0, 1)
	var machines []fleet.Machine
	for i, d := range documents {
		d.Host.CPU.Model, d.Host.Kernel, d.Host.Virtualization.System = "common", "6.1", "kvm"
		if i < 3 {
			d.Host.CPU.Model = "rare"
		}
		machines = append(machines, fleet.MachineOf("", d, nil))
	}
	require.Equal(t, "None of 21 machines differs from its group. 3 machines are not judged: 5 similar machines are needed to find odd ones.",
		fleet.Of(machines, nil, time.Time{}).Verdict())
}

func TestNamesOfMachines(t *testing.T) {
	documents, _ := made.Fleet(2, 0, 1)
	documents[1].Labels = nil
	for file, name := range map[string]string{
		"a/web7/results.json": "web7", "results.json": "results", "a/web8.json": "web8", "x.zip": "x",
		"/results.json": "results", "a/b.report.html": "b.report",
		"web1.eu": "web1.eu", "web1.eu.json": "web1.eu", "web1.JSON": "web1",
	} {
		require.Equal(t, "web00000", fleet.MachineOf(file, documents[0], nil).Name, "its label")
		require.Equal(t, name, fleet.MachineOf(file, documents[1], nil).Name, file)
	}
}

func TestListOnStandardInput(t *testing.T) {
	documents, _ := made.Fleet(4, 0, 1)
	folder := written(t, documents)
	files, missing, err := fleet.Find([]string{"-"},
		strings.NewReader(folder+"/00000.json\r\n\n"+folder+"/00001\n"+folder+"/none\n"))
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.Len(t, missing, 1)
	require.Equal(t, folder+"/none", missing[0].File)
	_, _, err = fleet.Find([]string{"-"}, strings.NewReader(strings.Repeat("a", 1<<17)))
	require.ErrorContains(t, err, "the list on standard input")
	_, _, err = fleet.Find([]string{"-"}, strings.NewReader(strings.Repeat("a\n", 1<<17)))
	require.ErrorContains(t, err, "has more than 100000 lines")
}

// Only root finds that a guest of KVM runs on Firecracker: it is one machine, whoever measured.
func TestGroupsAreThoseThatEveryUserSees(t *testing.T) {
	documents, _ := made.Fleet(7, 0, 1)
	var machines []fleet.Machine
	for _, d := range []*result.Document{documents[0], documents[3], documents[6]} {
		d.Host.Virtualization.System = []string{"kvm", "firecracker", "xen"}[len(machines)]
		machines = append(machines, fleet.MachineOf("a.json", d, nil))
	}
	groups := fleet.Groups(machines)
	require.Len(t, groups, 2)
	require.Equal(t, "kvm", groups[0].Hypervisor)
	require.Len(t, groups[0].Machines, 2)
}
