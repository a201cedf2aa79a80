package made

import (
	"reflect"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/sections"
)

// Full returns a document with every key, including all sections. Every number is 1, and every list has one element.
func Full() *result.Document {
	d := new(result.Document)
	fill(reflect.ValueOf(d).Elem(), "")
	d.Schema, d.Labels, d.Sections = result.Schema, []string{"host=web1"}, nil
	for _, kind := range sections.All {
		s := kind.New()
		fill(reflect.ValueOf(s).Elem(), "")
		d.Put(s)
	}
	return d
}

// fill sets a value, and all values within it, to values that the tag "is" of their fields permits.
func fill(v reflect.Value, is string) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), is)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), is)
	case reflect.Struct:
		if at, ok := v.Addr().Interface().(*time.Time); ok {
			*at = time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), v.Type().Field(i).Tag.Get("is"))
		}
	case reflect.String:
		text, _, isChoice := strings.Cut(is, "|")
		if !isChoice {
			text = "text"
		}
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	}
}
