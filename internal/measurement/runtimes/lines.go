package runtimes

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/system/program"
)

// An output is what a benchmark printed.
type output struct {
	// costs are the samples of each name, in ns a call.
	costs map[string][]float64
	// elapsedNS is the sum of the spans that the samples and the passes took.
	elapsedNS float64
	// warmNS is the cost of the first calls of each name.
	warmNS map[string]float64
	// missing are the names that the runtime does not have, with the reason.
	missing map[string]string
	steps   map[string][]float64
	seen    map[string]reads
	// threads are the calls of each thread, by its index, and passedNS the time of all.
	threads  map[string]map[int64]int64
	passedNS map[string]float64
}

// reads are how many values were read, and how many of them equalled the one before.
type reads struct{ all, repeats int64 }

// The limits of what a benchmark may print: no call is as fast or as slow, and no span as long.
const (
	leastCallNS = 0.01
	mostCallNS  = 10e9
	mostSpanNS  = 3600e9
	// A step may be a year: somebody sets the wall clock.
	leastStepNS = 1e-3
	mostStepNS  = 3.2e16
)

// parse returns what a benchmark printed. names are those that it was asked for. An error quotes the
// line that is wrong.
func parse(text []byte, names []string) (output, error) {
	o := output{
		costs: map[string][]float64{}, warmNS: map[string]float64{}, missing: map[string]string{},
		steps: map[string][]float64{}, seen: map[string]reads{}, threads: map[string]map[int64]int64{}, passedNS: map[string]float64{},
	}
	done := false
	for line := range bytes.Lines(text) {
		fields := strings.Split(strings.TrimRight(string(line), "\r\n"), "\t")
		kind, known := lineKinds[fields[0]]
		switch {
		case done, !known && fields[0] != "done":
			return o, fmt.Errorf("the benchmark printed %.80q, which is none of its lines", line)
		case fields[0] == "done":
			done = true
			continue
		}
		named := kind.unnamed || len(fields) > 1 && slices.Contains(names, fields[1])
		if len(fields) != kind.fields || !named || !kind.add(&o, fields[1:]) {
			return o, fmt.Errorf("the benchmark printed %.80q, which is not a line of %q", line, fields[0])
		}
	}
	if !done {
		return o, errors.New("the benchmark ended before its last line")
	}
	return o, nil
}

// lineKinds are the lines of a benchmark by their first field.
var lineKinds = map[string]struct {
	fields int
	// unnamed is whether the second field is not the name of a call.
	unnamed bool
	// add adds the other fields, and reports whether they are possible.
	add func(o *output, fields []string) bool
}{
	"warm": {fields: 3, add: func(o *output, f []string) bool {
		ns, ok := number(f[1], leastCallNS, mostCallNS)
		o.warmNS[f[0]] = ns
		return ok
	}},
	"cost": {fields: 4, add: func(o *output, f []string) bool {
		calls, counted := count(f[1])
		ns, ok := number(f[2], 1, mostSpanNS)
		each := ns / float64(max(1, calls))
		o.costs[f[0]] = append(o.costs[f[0]], each)
		o.elapsedNS += ns
		return counted && ok && calls > 0 && each >= leastCallNS && each <= mostCallNS
	}},
	"step": {fields: 3, add: func(o *output, f []string) bool {
		text, backwards := strings.CutPrefix(f[1], "-")
		ns, ok := number(text, leastStepNS, mostStepNS)
		if backwards {
			ns = -ns
		}
		o.steps[f[0]] = append(o.steps[f[0]], ns)
		return ok
	}},
	"seen": {fields: 4, add: func(o *output, f []string) bool {
		all, ok := count(f[1])
		repeats, alsoOK := count(f[2])
		o.seen[f[0]] = reads{all, repeats}
		return ok && alsoOK && repeats <= all
	}},
	"thread": {fields: 4, add: func(o *output, f []string) bool {
		index, ok := count(f[1])
		calls, alsoOK := count(f[2])
		if o.threads[f[0]] == nil {
			o.threads[f[0]] = map[int64]int64{}
		}
		o.threads[f[0]][index] = calls
		return ok && alsoOK
	}},
	"passed": {fields: 3, add: func(o *output, f []string) bool {
		ns, ok := number(f[1], 1, mostSpanNS)
		o.passedNS[f[0]] = ns
		o.elapsedNS += ns
		return ok
	}},
	"missing": {fields: 3, add: func(o *output, f []string) bool {
		o.missing[f[0]] = program.Line(f[1])
		return o.missing[f[0]] != ""
	}},
	"sink": {fields: 2, unnamed: true, add: func(*output, []string) bool { return true }},
}

// number returns a number within bounds.
func number(text string, least, most float64) (float64, bool) {
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil && value >= least && value <= most
}

// count returns a number from 0 to a bound that no benchmark reaches.
func count(text string) (int64, bool) {
	const most = 1e15
	value, err := strconv.ParseInt(text, 10, 64)
	return value, err == nil && value >= 0 && value <= most
}

// measured returns an error if a name has neither so many samples nor a reason. If no name has samples, the error is the
// reason of the first.
func (o output) measured(names []string, rounds int) error {
	if len(o.costs) == 0 && o.missing[names[0]] != "" {
		return errors.New(o.missing[names[0]])
	}
	for _, name := range names {
		if n := len(o.costs[name]); n != rounds && o.missing[name] == "" {
			return fmt.Errorf("the benchmark printed %d samples of %s, not %d", n, name, rounds)
		}
	}
	return nil
}

// counted returns the calls of each thread, fewest first; nil if the name is missing, and an error if a thread is.
func (o output) counted(name string, threads int) ([]int64, error) {
	if _, ok := o.missing[name]; ok {
		return nil, nil
	}
	calls, sum := slices.Sorted(maps.Values(o.threads[name])), int64(0)
	for _, n := range calls {
		sum += n
	}
	each := o.passedNS[name] * float64(threads) / float64(max(1, sum))
	if len(calls) != threads || each < leastCallNS {
		return nil, fmt.Errorf("the benchmark printed impossible counts of threads for %s", name)
	}
	return calls, nil
}
