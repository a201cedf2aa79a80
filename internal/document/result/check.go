package result

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

func (d *Document) check() error {
	c := Checker{}
	if d.Schema != Schema {
		c.Fail("schema", fmt.Sprintf("is %.64q, not %q", d.Schema, Schema))
	}
	if err := CheckLabels(d.Labels); err != nil {
		c.Fail("labels", err.Error())
	}
	c.value(reflect.ValueOf(d), shapeOf(reflect.TypeOf(d), ""))
	for _, section := range d.Sections {
		c.within(step{key: section.Key(), index: top}, reflect.ValueOf(section), shapeOf(reflect.TypeOf(section), ""))
	}
	return c.err
}

// mostText is the maximum size of a text in bytes, since laying out a text takes time. A line of
// the kernel log has some hundreds, a list of boot parameters some thousands.
const mostText = 64 << 10

// mostTexts is the maximum size of a list of texts in bytes: a page takes ten times the memory. The lines of a kernel
// log have some kilobytes.
const mostTexts = 1 << 20

// MostNamed is the maximum length of a list in which commands look an entry up for each entry of another. A machine
// has about a hundred clocks, and a run has at most 1,024 numbers of threads.
const MostNamed = 4096

// least and most are the limits of all figures, because renderers divide and take logarithms.
const (
	least = 1e-9
	most  = 1e18
)

var notNegative = [2]float64{0, math.Inf(1)}

// limits are the bounds of a number by the tag "is" of its field. Without the tag it is 0, or from least to most.
var limits = map[string][2]float64{
	"":         notNegative,
	"signed":   {-most, most},
	"positive": {1, math.Inf(1)},
	"share":    {0, 1},
	"any":      {math.Inf(-1), math.Inf(1)},
}

// A Checker walks over a document and keeps its first impossible value: by the bounds in the tags of the
// fields, and by the method Check of a type whose fields may contradict each other:
//
//	func (*T) Check(c *Checker)
type Checker struct {
	path []step // to the value that is checked
	err  error
}

// A step leads from a value to one within it: by a key, or else to an element of a list, with its id if it has one.
type step struct {
	key   string
	index int
	id    string
}

// top is the index of a step to a section, whose keys may be at the top of the document.
const top = -1

// Fail reports what is wrong with the value that is checked, or with a part of it: "cpu", "pairs[1].cpu".
func (c *Checker) Fail(part, what string) {
	if c.err != nil {
		return
	}
	var at strings.Builder
	for _, s := range c.path {
		switch {
		case s.key != "":
			at.WriteString("." + s.key)
		case s.id != "":
			fmt.Fprintf(&at, "[%d] (%.64q)", s.index, s.id)
		case s.index != top:
			fmt.Fprintf(&at, "[%d]", s.index)
		}
	}
	if part != "" {
		at.WriteString("." + part)
	}
	c.err = fmt.Errorf("%s %s", strings.TrimPrefix(at.String(), "."), what)
}

// within checks a value one step further.
func (c *Checker) within(at step, v reflect.Value, s *shape) {
	c.path = append(c.path, at)
	c.value(v, s)
	c.path = c.path[:len(c.path)-1]
}

func (c *Checker) value(v reflect.Value, s *shape) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch {
	case s.object != nil:
		for _, m := range s.object.members {
			if of := v.Field(m.field); m.required || !of.IsZero() {
				c.within(step{key: m.key}, of, m.shape)
			}
		}
		if s.checks {
			v.Addr().Interface().(checked).Check(c)
		}
	case s.element != nil:
		c.list(v, s)
	case v.Kind() == reflect.String:
		c.text(v.String(), s)
	case v.CanInt():
		c.number(float64(v.Int()), s)
	case v.CanFloat():
		c.number(v.Float(), s)
	}
}

func (c *Checker) list(v reflect.Value, s *shape) {
	if samples, ok := v.Interface().([]float64); ok { // millions, perhaps
		for i, sample := range samples {
			if !s.element.holds(sample) {
				c.within(step{index: i}, v.Index(i), s.element)
			}
		}
		return
	}
	if texts, ok := v.Interface().([]string); ok {
		size := len(texts)
		for _, text := range texts {
			size += len(text)
		}
		if size > mostTexts {
			c.Fail("", fmt.Sprintf("has %d bytes of text in %d lines; it must have at most %d", size, len(texts), mostTexts))
			return
		}
	}
	var seen map[any]bool
	if s.once != nil {
		seen = make(map[any]bool, v.Len())
	}
	for i := range v.Len() {
		at, element := step{index: i}, v.Index(i)
		if s.once == nil {
			c.within(at, element, s.element)
			continue
		}
		id := element.Field(s.once.field)
		if id.Kind() == reflect.String {
			at.id = id.String()
		}
		c.within(at, element, s.element)
		c.path = append(c.path, at)
		if seen[id.Interface()] {
			c.Fail("", "has the "+s.once.key+" of an entry before it; each stands once")
		}
		if i >= MostNamed {
			c.Fail("", fmt.Sprintf("is one of more than %d; no machine has so many", MostNamed))
		}
		c.path = c.path[:len(c.path)-1]
		seen[id.Interface()] = true
	}
}

func (c *Checker) text(text string, s *shape) {
	switch {
	case len(text) > mostText:
		c.Fail("", fmt.Sprintf("is a text of %d bytes; it must have at most %d", len(text), mostText))
	case s.choices != nil && !slices.Contains(s.choices, text):
		c.Fail("", noneOf(text, s.choices))
	case s.named && text == "":
		c.Fail("", "is empty; it must name something")
	}
}

func noneOf(value string, choices []string) string {
	return fmt.Sprintf("is %.64q; it must be one of %s", value, strings.Join(choices, ", "))
}

func (s *shape) holds(value float64) bool {
	if s.limits == notNegative {
		return value == 0 || value >= least && value <= most
	}
	return value >= s.limits[0] && value <= s.limits[1]
}

func (c *Checker) number(value float64, s *shape) {
	switch {
	case s.holds(value):
	case !math.IsInf(s.limits[1], 1):
		c.Fail("", fmt.Sprintf("is %v; it must be from %v to %v", value, s.limits[0], s.limits[1]))
	case s.limits == notNegative && value > 0 && !math.IsInf(value, 1):
		c.Fail("", fmt.Sprintf("is %v; it must be 0, or from %v to %v", value, least, most))
	default:
		c.Fail("", fmt.Sprintf("is %v; it must be at least %v", value, s.limits[0]))
	}
}

// Within checks a value that must be in its interval. It has room for rounding.
func (c *Checker) Within(part string, value, low, high float64) {
	const rounding = 1e-9
	if !(value >= low*(1-rounding)-rounding && value <= high*(1+rounding)+rounding) {
		c.Fail(part, fmt.Sprintf("is %v; it must be in its interval, from %v to %v", value, low, high))
	}
}

// Part checks a count that is part of another, which is named.
func (c *Checker) Part(part string, some, all int64, name string) {
	if some > all {
		c.Fail(part, fmt.Sprintf("is %d; it must be no more than the %d of %s", some, all, name))
	}
}
