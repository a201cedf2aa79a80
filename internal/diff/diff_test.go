package diff

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/sections"
)

var usual = section.Settings{MinChange: 0.02}

func document(clocks ...compare.Clock) *result.Document {
	return &result.Document{Schema: result.Schema, Settings: result.Settings{Pin: "none", Workers: "threads"},
		Sections: []result.Section{&compare.Costs{Clocks: clocks}}}
}

func between(old, new *result.Document, s section.Settings) *Diff {
	return Compare(Read("old.json", old), Read("new.json", new), s)
}

func TestSetupNamesWhatDiffers(t *testing.T) {
	old, new := document(), document()
	require.Empty(t, between(old, new, usual).Setup)
	yes, no := true, false
	old.Host = result.Host{OS: "linux", Kernel: "6.1", CPU: result.CPU{InvariantTSC: &yes, TSCHz: 2.5961e9},
		ClockSource: &result.ClockSource{Current: "tsc"}}
	new.Host = result.Host{OS: "linux", Kernel: "6.2", CPU: result.CPU{InvariantTSC: &no, TSCHz: 2.59611e9, Quota: 0.5},
		ClockSource: &result.ClockSource{Current: "hpet"}}
	new.Settings.Pin = "spread"
	compare.Into(old).FloorNS, compare.Into(new).FloorNS = 1.354, 1.6
	new.Interrupted = true
	require.Equal(t, []Difference{
		{"Clock source", "tsc", "hpet"}, {"Kernel", "6.1", "6.2"}, {"CPU quota", "", "0.5"},
		{"Invariant TSC", "true", "false"},
		{"Pinned", "none", "spread"}, {"Complete", "yes", "no, interrupted"},
		{"Empty call", "1.35 ns (the CPU's speed)", "1.60 ns (the CPU's speed)"},
	}, between(old, new, usual).Setup)
}

// Only root finds that a guest of KVM runs on Firecracker, and only root reads the kernel log.
func TestSetupIsThatOfEveryUser(t *testing.T) {
	byRoot, byUser := document(), document()
	byRoot.Host = result.Host{
		Virtualization: &result.Virtualization{System: "firecracker", Role: "guest"},
		CPU:            result.CPU{KernelTSCHz: 2596122000},
		KernelLog:      &result.KernelLog{Source: "/dev/kmsg", Lines: []string{"Hypervisor detected: KVM"}},
	}
	byUser.Host = result.Host{
		Virtualization: &result.Virtualization{System: "kvm", Role: "guest"},
		KernelLog:      &result.KernelLog{Reason: "operation not permitted"},
	}
	require.Empty(t, between(byRoot, byUser, usual).Setup)
	require.Empty(t, between(byUser, byRoot, usual).Setup)
	byUser.Host.Virtualization.System = "xen"
	require.Equal(t, []Difference{{"Virtualization", "kvm, guest", "xen, guest"}}, between(byRoot, byUser, usual).Setup)
}

func TestAnotherTickIsNamed(t *testing.T) {
	of := func(r *compare.Resolution) *result.Document {
		return document(compare.Clock{ID: "c", Available: true, Resolution: r})
	}
	coarse, finer := compare.Resolution{TickNS: 4e6, ReportedNS: 4e6},
		compare.Resolution{TickNS: 1, FinerThanRead: true, ReportedNS: 1}
	for name, c := range map[string]struct {
		old, new *compare.Resolution
		want     []Difference
	}{
		"the same":      {&coarse, &coarse, nil},
		"no resolution": {&coarse, nil, nil},
		"finer": {&coarse, &finer, []Difference{{"Resolution of c", "4 ms", "< one read"},
			{"Reported resolution of c", "4 ms", "1 ns"}}},
		"coarser": {&coarse, &compare.Resolution{TickNS: 10e6, ReportedNS: 4e6},
			[]Difference{{"Resolution of c", "4 ms", "10 ms"}}},
		"seen late": {&coarse, &compare.Resolution{TickNS: 8e6, ReportedNS: 4e6}, nil},
		"uneven": {&coarse, &compare.Resolution{TickNS: 40e6, TickLowNS: 1e6, TickHighNS: 50e6,
			ReportedNS: 4e6}, nil},
		"never ticked":        {&coarse, &compare.Resolution{ReportedNS: 4e6}, nil},
		"finer, a tick of ns": {&finer, &compare.Resolution{TickNS: 100, ReportedNS: 1}, nil},
		"stated no more": {&coarse, &compare.Resolution{TickNS: 4e6},
			[]Difference{{"Reported resolution of c", "4 ms", ""}}},
	} {
		require.Equal(t, c.want, resolutions(of(c.old), document(compare.Clock{ID: "c", Resolution: c.new})), name)
	}
}

func TestSectionsThatOneDocumentLacks(t *testing.T) {
	full := document()
	for _, kind := range sections.All {
		full.Put(kind.New())
	}
	require.Len(t, between(document(), document(), usual).Sections, 1, "every document has costs")
	for want, d := range map[string]*Diff{
		section.InOld: between(full, document(), usual), section.InNew: between(document(), full, usual),
		"": between(full, full, usual),
	} {
		require.Len(t, d.Sections, len(sections.All))
		text, err := d.JSON()
		require.NoError(t, err)
		require.NotContains(t, string(text), "null", "an empty list is one")
		var values map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &values))
		for _, s := range d.Sections {
			all, _ := s.Value.Count()
			require.Zero(t, all, "%s: changesOf must add nothing for an empty section", s.Key)
			if s.Key == "" {
				continue
			}
			var coverage section.Coverage
			require.NoError(t, json.Unmarshal(values[s.Key], &coverage))
			require.Equal(t, want, coverage.OnlyIn, s.Key)
			require.Equal(t, want != "", s.Block.Verdict == coverage.Absent())
		}
	}
}

// The documentation explains each key of the JSON.
func TestDocsExplainEveryKey(t *testing.T) {
	page, err := os.ReadFile("../../docs/diff-result.md")
	require.NoError(t, err)
	keys := 0
	document := func(key string) {
		keys++
		if !regexp.MustCompile("`" + key + "(\\[\\])?`").Match(page) {
			t.Errorf("add `%s` to docs/diff-result.md", key)
		}
	}
	var explain func(reflect.Type)
	explain = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		own := strings.HasPrefix(of.PkgPath(), "github.com/timebench/timebench/") &&
			of != reflect.TypeFor[result.Document]()
		if of.Kind() != reflect.Struct || !own {
			return
		}
		for i := range of.NumField() {
			field := of.Field(i)
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if key == "-" {
				continue
			}
			if key != "" {
				document(key)
			}
			explain(field.Type)
		}
	}
	explain(reflect.TypeFor[Diff]())
	for _, kind := range sections.All {
		if kind.Key() != "" {
			document(kind.Key())
		}
		d := &result.Document{Sections: []result.Section{kind.New()}}
		changed, ok := kind.Compare(d, d, usual)
		require.True(t, ok)
		explain(reflect.TypeOf(changed.Value))
	}
	require.Greater(t, keys, 40)
}
