package compare

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/section"
)

// A trio is what test/pairs left of one clock: two runs of it, and one of the same clock made
// slower.
type trio struct {
	id             string
	old, new, slow *result.Document
}

// recorded returns the trios of a folder, in the order of their making.
func recorded(tb testing.TB, folder string) []trio {
	tb.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*-old.json"))
	require.NoError(tb, err)
	require.NotEmpty(tb, names, "no NAME-old.json in %s", folder)
	var all []trio
	for _, name := range names {
		read := func(which string) *result.Document {
			content, err := os.ReadFile(strings.TrimSuffix(name, "old.json") + which + ".json")
			require.NoError(tb, err)
			d, err := result.NewLoader(Kind.Kind).Read(bytes.NewReader(content))
			require.NoError(tb, err)
			return d
		}
		t := trio{old: read("old"), new: read("new"), slow: read("slow")}
		t.id = Of(t.old).Clocks[0].ID
		all = append(all, t)
	}
	return all
}

// A cases is pairs of documents of one kind. None of alike should differ, and all of slower
// should be found, with a higher latency.
type cases struct {
	name          string
	alike, slower [][2]*result.Document
	settings      section.Settings
	// byP is whether a pair of alike differs if any p is alpha or less, whatever its verdict.
	byP bool
}

// sets returns the recorded pairs of each clock, and those made of them by planted disturbances.
func sets(all []trio) []cases {
	chance := rand.New(rand.NewPCG(21, 22))
	var sets []cases
	for _, t := range all {
		i := slices.IndexFunc(sets, func(c cases) bool { return c.name == t.id })
		if i < 0 {
			i = len(sets)
			sets = append(sets, cases{name: t.id, settings: usual})
		}
		sets[i].alike = append(sets[i].alike, [2]*result.Document{t.old, t.new})
		sets[i].slower = append(sets[i].slower, [2]*result.Document{t.old, t.slow})
	}
	for _, p := range planted {
		c := cases{name: p.name, settings: usual}
		for _, t := range all {
			for range p.times {
				if p.alike != nil {
					c.alike = append(c.alike, latencies(p.alike(chance, t), p.rounds))
				}
				if p.slower != nil {
					c.slower = append(c.slower, latencies(p.slower(chance, t), p.rounds))
				}
			}
		}
		sets = append(sets, c)
	}
	shared := cases{name: "other programs take up to half of all CPUs; or the clock is 5 times slower", settings: usual}
	for _, t := range all {
		shared.alike = append(shared.alike, contended(t, 1.1+0.9*chance.Float64()))
		shared.slower = append(shared.slower, contended(t, 5))
	}
	return append(sets, shared, dealt(chance, all))
}

// planted are the disturbances that made the rules, each planted so many times into each trio.
var planted = []struct {
	name  string
	times int
	// rounds is how many of the samples are left; 0 for all.
	rounds        int
	alike, slower func(*rand.Rand, trio) [2]*result.Document
}{
	{"a neighbour adds 4 to 40 % to a part of the new run", 3, 0, neighbourInNew, neighbourInNewSlow},
	{"a neighbour adds 4 to 40 % to a part of the old run", 3, 0, neighbourInOld, neighbourInOldSlow},
	{"a neighbour adds 4 to 40 % to a part of the old run, 40 rounds", 3, 40, neighbourInOld, neighbourInOldSlow},
	{"3 % slower, and so was half of the old run, 40 rounds", 3, 40, nil, func(chance *rand.Rand, t trio) [2]*result.Document {
		return [2]*result.Document{part(chance, t.old, 0.5, 1.03), t.slow}
	}},
	{"all rounds disturbed, but for their quickest slices", 1, 0, func(chance *rand.Rand, t trio) [2]*result.Document {
		return [2]*result.Document{loud(chance, t.old), loud(chance, t.new)}
	}, func(chance *rand.Rand, t trio) [2]*result.Document {
		return [2]*result.Document{loud(chance, t.old), loud(chance, t.slow)}
	}},
	{"disturbed throughout by 0 to 50 %, 40 rounds", 3, 40, func(chance *rand.Rand, t trio) [2]*result.Document {
		return [2]*result.Document{t.old, changed(t.new, func(int, int) float64 { return 1 + 0.5*chance.Float64() })}
	}, nil},
	{"40 times slower after a third", 1, 0, func(_ *rand.Rand, t trio) [2]*result.Document {
		return [2]*result.Document{t.old, changed(t.new, func(i, n int) float64 { return times(i >= n/3, 40) })}
	}, nil},
	{"40 times slower but for one sample", 1, 0, nil, func(_ *rand.Rand, t trio) [2]*result.Document {
		return [2]*result.Document{t.old, changed(t.new, func(i, n int) float64 { return times(i != n/3, 40) })}
	}},
	{"one sample of the old run half as long", 1, 0, oddInOld, func(chance *rand.Rand, t trio) [2]*result.Document {
		return [2]*result.Document{oddInOld(chance, t)[0], t.slow}
	}},
	{"a fifth of the new run 4 % faster", 1, 0, func(_ *rand.Rand, t trio) [2]*result.Document {
		return [2]*result.Document{t.old, changed(t.new, func(i, n int) float64 { return times(i < n/5, 0.96) })}
	}, nil},
	{"1 % slower throughout", 1, 0, func(_ *rand.Rand, t trio) [2]*result.Document {
		return [2]*result.Document{t.old, changed(t.new, func(int, int) float64 { return 1.01 })}
	}, nil},
	{"as recorded, 40 rounds", 1, 40, recordedAlike, recordedSlower},
	{"as recorded, 6 rounds", 1, 6, recordedAlike, recordedSlower},
}

func recordedAlike(_ *rand.Rand, t trio) [2]*result.Document {
	return [2]*result.Document{t.old, t.new}
}

func recordedSlower(_ *rand.Rand, t trio) [2]*result.Document {
	return [2]*result.Document{t.old, t.slow}
}

func neighbourInNew(chance *rand.Rand, t trio) [2]*result.Document {
	return [2]*result.Document{t.old, neighbour(chance, t.new)}
}

func neighbourInNewSlow(chance *rand.Rand, t trio) [2]*result.Document {
	return [2]*result.Document{t.old, neighbour(chance, t.slow)}
}

func neighbourInOld(chance *rand.Rand, t trio) [2]*result.Document {
	return [2]*result.Document{neighbour(chance, t.old), t.new}
}

func neighbourInOldSlow(chance *rand.Rand, t trio) [2]*result.Document {
	return [2]*result.Document{neighbour(chance, t.old), t.slow}
}

func oddInOld(_ *rand.Rand, t trio) [2]*result.Document {
	return [2]*result.Document{changed(t.old, func(i, n int) float64 { return times(i == n/3, 0.5) }), t.new}
}

// loud returns the run with its rounds disturbed throughout, and their quickest slices as they
// were.
func loud(chance *rand.Rand, d *result.Document) *result.Document {
	disturbed := changed(d, func(int, int) float64 { return 1.2 + 0.5*chance.Float64() })
	Into(disturbed).Clocks[0].Latency.QuietSamplesNS = Of(d).Clocks[0].Latency.QuietSamplesNS
	return disturbed
}

// contended returns the throughput of the trio by all CPUs, the new one slower by the factor
// throughout, in a run with other programs.
func contended(t trio, by float64) [2]*result.Document {
	old, new := *t.old, *t.new
	new.Warnings = append(slices.Clone(new.Warnings), result.Warning{Kind: "load"})
	for d, by := range map[*result.Document]float64{&old: 1, &new: by} {
		ownCosts(d)
		c := &Into(d).Clocks[0]
		c.Latency = nil
		c.Throughput = slices.DeleteFunc(slices.Clone(c.Throughput), func(at Throughput) bool { return at.Threads < d.Host.CPU.Usable })
		for i, at := range c.Throughput {
			c.Throughput[i].SamplesReadsPerSecond = scaled(at.SamplesReadsPerSecond, func(int, int) float64 { return 1 / by })
		}
	}
	return [2]*result.Document{&old, &new}
}

func times(applies bool, by float64) float64 {
	if applies {
		return by
	}
	return 1
}

// neighbour returns the document of a run in which a program on the same core added 4 to 40 % to
// 30 to 90 % of the samples, one after the other.
func neighbour(chance *rand.Rand, d *result.Document) *result.Document {
	return part(chance, d, 0.3+0.6*chance.Float64(), 1.04+0.36*chance.Float64())
}

// part returns the document with so large a part of the run slower by the factor.
func part(chance *rand.Rand, d *result.Document, share, by float64) *result.Document {
	from := (1 - share) * chance.Float64()
	return changed(d, func(i, n int) float64 {
		at := float64(i) / float64(n)
		return times(at >= from && at < from+share, by)
	})
}

// ownCosts gives a copy of a document costs of its own, since a copy shares its sections.
func ownCosts(d *result.Document) {
	costs := *Of(d)
	costs.Clocks = slices.Clone(costs.Clocks)
	d.Put(&costs)
}

// changed returns the document with each sample of its latency, and its quickest slice, times
// the factor of the i-th of n.
func changed(d *result.Document, by func(i, n int) float64) *result.Document {
	copied := *d
	ownCosts(&copied)
	latency := *Of(d).Clocks[0].Latency
	factors := scaled(slices.Repeat([]float64{1}, len(latency.SamplesNS)), by)
	each := func(i, _ int) float64 { return factors[i] }
	latency.SamplesNS, latency.QuietSamplesNS = scaled(latency.SamplesNS, each), scaled(latency.QuietSamplesNS, each)
	Into(&copied).Clocks[0].Latency = &latency
	return &copied
}

// latencies returns the documents without their throughput, and with so many of their samples,
// evenly from all of the run.
func latencies(runs [2]*result.Document, rounds int) [2]*result.Document {
	for i, d := range runs {
		copied := changed(d, func(int, int) float64 { return 1 })
		Into(copied).Clocks[0].Throughput = nil
		if rounds > 0 {
			latency := Of(copied).Clocks[0].Latency
			latency.SamplesNS, latency.QuietSamplesNS = thinned(latency.SamplesNS, rounds), thinned(latency.QuietSamplesNS, rounds)
		}
		runs[i] = copied
	}
	return runs
}

func thinned(samples []float64, n int) []float64 {
	few := make([]float64, min(n, len(samples)))
	for i := range few {
		few[i] = samples[i*len(samples)/len(few)]
	}
	return few
}

func scaled(samples []float64, by func(i, n int) float64) []float64 {
	all := slices.Clone(samples)
	for i := range all {
		all[i] *= by(i, len(all))
	}
	return all
}

// dealt returns families of ten comparisons in which 60 samples of each run were dealt at random
// to the old and the new side, so that any p of alpha or less is by chance.
func dealt(chance *rand.Rand, all []trio) cases {
	const families, clocks, rounds = 400, 10, 60
	c := cases{name: "60 rounds dealt at random, families of 10 clocks, by p alone", settings: usual, byP: true}
	for range families {
		old, new := document(), document()
		for i := range clocks {
			a, b := dealtLatency(chance, strconv.Itoa(i), latencies(recordedAlike(chance, all[chance.IntN(len(all))]), rounds))
			Into(old).Clocks, Into(new).Clocks = append(Into(old).Clocks, a), append(Into(new).Clocks, b)
		}
		c.alike = append(c.alike, [2]*result.Document{old, new})
	}
	return c
}

func dealtLatency(chance *rand.Rand, id string, runs [2]*result.Document) (old, new Clock) {
	a, b := Of(runs[0]).Clocks[0].Latency, Of(runs[1]).Clocks[0].Latency
	samples, quiet := slices.Concat(a.SamplesNS, b.SamplesNS), slices.Concat(a.QuietSamplesNS, b.QuietSamplesNS)
	old, new = latency(id, nil), latency(id, nil)
	for n, from := range chance.Perm(len(samples)) {
		to := old.Latency
		if n >= len(a.SamplesNS) {
			to = new.Latency
		}
		to.SamplesNS, to.QuietSamplesNS = append(to.SamplesNS, samples[from]), append(to.QuietSamplesNS, quiet[from])
	}
	return old, new
}
