// Package printable removes control characters from text before it is printed. A result document
// may come from anywhere, and its text could contain escape sequences, C1 controls or marks that
// change the text direction.
package printable

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns the text as one line without control characters: line breaks and controls become
// spaces. Invisible characters and invalid UTF-8 become U+FFFD, so that a reader sees them.
func Line(text string) string {
	if harmless(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case !isControl(r):
			return r
		case unicode.Is(unicode.Cf, r):
			return utf8.RuneError
		default:
			return ' '
		}
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
}

func harmless(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, isControl)
}

// isControl reports whether a character is neither visible nor a space: the controls C0 and C1, the separators of lines
// and paragraphs, and the format characters of Unicode, which include direction marks and zero-width joiners.
func isControl(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// All returns a copy of a value with clean applied to every string in it, at any depth. The copy
// shares the parts without strings.
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

// holdsText reports whether a value of the type can contain a string that All finds.
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

// OneLine returns the text of an error as one line without control characters: names of files
// and clocks may contain them. Joined errors are separated by semicolons.
func OneLine(text string) string {
	var line strings.Builder
	for part := range strings.Lines(text) {
		part = strings.Join(strings.Fields(Line(part)), " ")
		switch before := line.String(); {
		case part == "":
			continue
		case before == "":
		case strings.ContainsRune(".:;,?!", rune(before[len(before)-1])):
			line.WriteString(" ")
		default:
			line.WriteString("; ")
		}
		line.WriteString(part)
	}
	return line.String()
}
