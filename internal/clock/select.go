package clock

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Select returns the clocks that match the selectors, in the order of all, each once. A selector
// is an id (CLOCK_MONOTONIC@vdso), a glob over ids ('*_COARSE@vdso'), a path (@syscall) or a
// call (CLOCK_MONOTONIC: every path of it); case does not matter. A selector without a match is
// an error that names the nearest known ones.
func Select(all []Clock, selectors []string) ([]Clock, error) {
	chosen := make([]bool, len(all))
	for _, selector := range selectors {
		matched := false
		for i, c := range all {
			match, err := matches(selector, c)
			if err != nil {
				return nil, fmt.Errorf("clock selector %q is not a valid glob: %w", selector, err)
			}
			chosen[i] = chosen[i] || match
			matched = matched || match
		}
		if !matched {
			return nil, unknown(all, selector)
		}
	}
	var selected []Clock
	for i, c := range all {
		if chosen[i] {
			selected = append(selected, c)
		}
	}
	return selected, nil
}

func matches(selector string, c Clock) (bool, error) {
	selector, id := strings.ToLower(selector), strings.ToLower(c.ID)
	call, clockPath, _ := strings.Cut(id, "@")
	switch {
	case isGlob(selector):
		return path.Match(selector, id)
	case strings.HasPrefix(selector, "@"):
		return selector[1:] == clockPath, nil
	default:
		return selector == id || selector == call, nil
	}
}

func isGlob(selector string) bool { return strings.ContainsAny(selector, `*?[\`) }

// unknown returns the error for a selector without a match, with similar ones.
func unknown(all []Clock, selector string) error {
	if strings.Contains(selector, ",") {
		return fmt.Errorf("unknown clock %q; write spaces between clocks: %s", selector, strings.Join(strings.FieldsFunc(selector, func(r rune) bool { return r == ',' }), " "))
	}
	if isGlob(selector) {
		return fmt.Errorf("no clock matches %q; `timebench list` shows the known ones", selector)
	}
	var known []string
	for _, c := range all {
		call, clockPath, _ := strings.Cut(c.ID, "@")
		known = append(known, c.ID, call, "@"+clockPath)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	distance := func(name string) int {
		return levenshtein.ComputeDistance(strings.ToLower(selector), strings.ToLower(name))
	}
	slices.SortStableFunc(known, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
	return fmt.Errorf("unknown clock %q; nearest: %s", selector, strings.Join(known[:min(3, len(known))], ", "))
}
