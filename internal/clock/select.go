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
// an error that names similar ones.
func Select(all []Clock, selectors []string) ([]Clock, error) {
	var ids []string
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	chosen, err := Matching(ids, "clock", "timebench list", selectors)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(c Clock) bool { return !chosen[c.ID] }), nil
}

// Matching returns the ids that match the selectors: see [Select]. An error calls an id by this noun, and names the
// command that shows all.
func Matching(ids []string, noun, command string, selectors []string) (map[string]bool, error) {
	chosen := map[string]bool{}
	for _, selector := range selectors {
		matched := false
		for _, id := range ids {
			match, err := matches(selector, id)
			if err != nil {
				return nil, fmt.Errorf("%s selector %q is not a valid glob: %w", noun, selector, err)
			}
			chosen[id] = chosen[id] || match
			matched = matched || match
		}
		if !matched {
			return nil, unknown(ids, noun, command, selector)
		}
	}
	return chosen, nil
}

func matches(selector, id string) (bool, error) {
	selector, id = strings.ToLower(selector), strings.ToLower(id)
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

func unknown(ids []string, noun, command, selector string) error {
	if parts := strings.FieldsFunc(selector, func(r rune) bool { return r == ',' }); len(parts) > 1 {
		return fmt.Errorf("unknown %s %q; write spaces between %ss: %s", noun, selector, noun, strings.Join(parts, " "))
	}
	if isGlob(selector) {
		return fmt.Errorf("no %s matches %q; `%s` shows the known ones", noun, selector, command)
	}
	if near := Nearest(ids, selector); len(near) > 0 {
		return fmt.Errorf("unknown %s %q; nearest: %s", noun, selector, strings.Join(near, ", "))
	}
	return fmt.Errorf("unknown %s %q; `%s` shows the known ones", noun, selector, command)
}

// Nearest returns up to three ids, calls and paths that are spelt almost as the selector or its
// call, or contain it.
func Nearest(ids []string, selector string) []string {
	selector = strings.ToLower(selector)
	call, _, _ := strings.Cut(selector, "@")
	distance := func(name string) (whole, least int) {
		whole = levenshtein.ComputeDistance(selector, strings.ToLower(name))
		if call == "" {
			return whole, whole
		}
		return whole, min(whole, levenshtein.ComputeDistance(call, strings.ToLower(name)))
	}
	var near []string
	for _, id := range ids {
		call, path, isPath := strings.Cut(id, "@")
		names := []string{id, call}
		if isPath {
			names = append(names, "@"+path)
		}
		for _, name := range names {
			contained := selector != "" && strings.Contains(strings.ToLower(name), selector)
			if _, least := distance(name); contained || least <= min(len(selector)/2, 3) {
				near = append(near, name)
			}
		}
	}
	slices.SortFunc(near, func(a, b string) int {
		wholeA, leastA := distance(a)
		wholeB, leastB := distance(b)
		return cmp.Or(cmp.Compare(leastA, leastB), cmp.Compare(wholeA, wholeB), cmp.Compare(a, b))
	})
	near = slices.Compact(near)
	return near[:min(3, len(near))]
}
