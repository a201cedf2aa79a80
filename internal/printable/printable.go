// Package printable makes text harmless to print. A result document may come from
// anywhere, and a terminal obeys what is in it: escape sequences, the C1 controls that
// stand for them, marks that turn the direction of writing.
package printable

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns the text as one line that no terminal obeys: what breaks a line or steers
// a terminal becomes a space, and what shows nothing or is no UTF-8 becomes U+FFFD, so
// that a reader sees that something was there.
func Line(text string) string {
	if harmless(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case !steers(r):
			return r
		case unicode.Is(unicode.Cf, r):
			return utf8.RuneError
		default:
			return ' '
		}
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
}

// Lines returns the text with each of its lines made harmless as Line does.
func Lines(text string) string {
	if harmless(text) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Line(line)
	}
	return strings.Join(lines, "\n")
}

func harmless(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, steers)
}

// steers reports whether a character does something other than show: the controls C0 and
// C1, the separators of lines and paragraphs, and all of Unicode's format characters, to
// which the marks of direction and the joiners without width belong.
func steers(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// All returns a copy of a value in which clean has been applied to each text, however
// deep. What holds no text is shared with the value.
func All[T any](value T, clean func(string) string) T {
	return all(reflect.ValueOf(&value).Elem(), clean).Interface().(T)
}

func all(value reflect.Value, clean func(string) string) reflect.Value {
	t := value.Type()
	if !holdsText(t) {
		return value
	}
	copied := reflect.New(t).Elem()
	copied.Set(value)
	switch t.Kind() {
	case reflect.String:
		copied.SetString(clean(value.String()))
	case reflect.Pointer:
		if !value.IsNil() {
			copied.Set(reflect.New(t.Elem()))
			copied.Elem().Set(all(value.Elem(), clean))
		}
	case reflect.Interface:
		if !value.IsNil() {
			copied.Set(all(value.Elem(), clean))
		}
	case reflect.Slice:
		if !value.IsNil() {
			copied.Set(reflect.MakeSlice(t, value.Len(), value.Len()))
		}
		for i := range value.Len() {
			copied.Index(i).Set(all(value.Index(i), clean))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				copied.Field(i).Set(all(value.Field(i), clean))
			}
		}
	}
	return copied
}

// holdsText reports whether a value of the type can hold text that All finds.
func holdsText(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice:
		return holdsText(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if field := t.Field(i); field.IsExported() && holdsText(field.Type) {
				return true
			}
		}
	}
	return false
}
