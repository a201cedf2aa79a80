package result

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// mostText is the maximum size of a text in bytes, since laying out a text takes time. A line of
// the kernel log has some hundreds, a list of boot parameters some thousands.
const mostText = 64 << 10

// mostTexts is the maximum size of a list of texts in bytes: a page takes ten times the memory. The lines of a kernel
// log have some kilobytes.
const mostTexts = 1 << 20

// MostNamed is the maximum length of a list in which commands look an entry up for each entry of another. A machine
// has about a hundred clocks, and a run has at most 1,024 numbers of threads.
const MostNamed = 4096

// A Checker keeps the first fault that the method Check of a type finds. The method is for fields that may contradict
// each other:
//
//	func (*T) Check(c *Checker)
type Checker struct{ fault string }

// Fail reports what is wrong with the value that is checked, or with a part of it: "cpu", "pairs[1].cpu".
func (c *Checker) Fail(part, what string) {
	if c.fault == "" {
		c.fault = part + " " + what
	}
}

// Within checks that a value is in its interval, with room for rounding.
func (c *Checker) Within(part string, value, low, high float64) {
	const rounding = 1e-9
	if !(value >= low*(1-rounding)-rounding && value <= high*(1+rounding)+rounding) {
		c.Fail(part, fmt.Sprintf("is %v; it must be in its interval, from %v to %v", value, low, high))
	}
}

// Part checks that some does not exceed all, a count with this name.
func (c *Checker) Part(part string, some, all int64, name string) {
	if some > all {
		c.Fail(part, fmt.Sprintf("is %d; it must be no more than the %d of %s", some, all, name))
	}
}

// check returns an error with the place of the first impossible value.
func (d *Document) check() error {
	if d.Schema != Schema {
		return fmt.Errorf("schema is %.64q, not %q", d.Schema, Schema)
	}
	if err := CheckLabels(d.Labels); err != nil {
		return fmt.Errorf("labels %w", err)
	}
	if fault := faultOf(together(d.parts()...)); fault != "" {
		return fmt.Errorf("%s", fault)
	}
	return nil
}

// faultOf returns the place and the fault of the first impossible value of a struct; "" without one. The place is
// relative to the struct: "clocks[0].id is empty".
func faultOf(v reflect.Value) string {
	o := objectOf(v.Type())
	for i := range o.fields {
		f := &o.fields[i]
		if of := v.FieldByIndex(f.index); f.required || !of.IsZero() {
			if fault := f.faultOf(of); fault != "" {
				return f.key + below(fault)
			}
		}
	}
	if checked, ok := v.Addr().Interface().(interface{ Check(c *Checker) }); ok {
		c := Checker{}
		checked.Check(&c)
		return c.fault
	}
	return ""
}

// below returns a fault as it follows the place of the value around it.
func below(fault string) string {
	if strings.HasPrefix(fault, " ") || strings.HasPrefix(fault, "[") {
		return fault
	}
	return "." + fault
}

// faultOf is [faultOf] of a value of the field, or of an element of it.
func (f *field) faultOf(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		return f.faultOf(v.Elem())
	case reflect.Struct:
		if isObject(v.Type()) {
			return faultOf(v)
		}
	case reflect.Slice:
		return f.faultOfList(v)
	case reflect.String:
		return f.faultOfText(v.String())
	case reflect.Int, reflect.Int64:
		return f.faultOfNumber(float64(v.Int()))
	case reflect.Float64:
		return f.faultOfNumber(v.Float())
	}
	return ""
}

func (f *field) faultOfList(v reflect.Value) string {
	switch list := v.Interface().(type) {
	case []float64: // perhaps millions
		if i := slices.IndexFunc(list, func(n float64) bool { return !f.holds(n) }); i >= 0 {
			return fmt.Sprintf("[%d]", i) + f.faultOfNumber(list[i])
		}
		return ""
	case []string:
		size := len(list)
		for _, text := range list {
			size += len(text)
		}
		if size > mostTexts {
			return fmt.Sprintf(" has %d bytes of text in %d lines; it must have at most %d", size, len(list), mostTexts)
		}
	}
	seen := map[any]bool{}
	for i := range v.Len() {
		place, fault := fmt.Sprintf("[%d]", i), f.faultOf(v.Index(i))
		if f.once != "" {
			o := objectOf(v.Type().Elem())
			id := v.Index(i).FieldByIndex(o.fields[o.index[f.once]].index)
			if id.Kind() == reflect.String && !id.IsZero() {
				place += fmt.Sprintf(" (%.64q)", id.String())
			}
			switch {
			case fault != "":
			case seen[id.Interface()]:
				fault = " has the " + f.once + " of an entry before it; each stands once"
			case i >= MostNamed:
				fault = fmt.Sprintf(" is one of more than %d; no machine has more", MostNamed)
			}
			seen[id.Interface()] = true
		}
		if fault != "" {
			return place + below(fault)
		}
	}
	return ""
}

func (f *field) faultOfText(text string) string {
	switch {
	case len(text) > mostText:
		return fmt.Sprintf(" is a text of %d bytes; it must have at most %d", len(text), mostText)
	case f.choices != nil && !slices.Contains(f.choices, text):
		return fmt.Sprintf(" is %.64q; it must be one of %s", text, strings.Join(f.choices, ", "))
	case f.named && text == "":
		return " is empty; it must name something"
	}
	return ""
}

func (f *field) holds(value float64) bool {
	if f.limits == notNegative {
		return value == 0 || value >= least && value <= most
	}
	return value >= f.limits[0] && value <= f.limits[1]
}

func (f *field) faultOfNumber(value float64) string {
	switch {
	case f.holds(value):
		return ""
	case !math.IsInf(f.limits[1], 1):
		return fmt.Sprintf(" is %v; it must be from %v to %v", value, f.limits[0], f.limits[1])
	case f.limits == notNegative && value > 0 && !math.IsInf(value, 1):
		return fmt.Sprintf(" is %v; it must be 0, or from %v to %v", value, least, most)
	default:
		return fmt.Sprintf(" is %v; it must be at least %v", value, f.limits[0])
	}
}
