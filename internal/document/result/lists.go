package result

import (
	"reflect"
	"strings"
)

// withLists returns a copy of a value in which the lists that its JSON always has are empty and
// not nil, which JSON would write as null. The copy shares lists of plain values.
func withLists[T any](value T) T {
	return filled(reflect.ValueOf(&value).Elem()).Interface().(T)
}

func filled(value reflect.Value) reflect.Value {
	t := value.Type()
	if !holdsList(t) {
		return value
	}
	copied := reflect.New(t).Elem()
	copied.Set(value)
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface:
		if value.IsNil() {
			break
		}
		inner := filled(value.Elem())
		if t.Kind() == reflect.Pointer {
			copied.Set(reflect.New(t.Elem()))
			copied.Elem().Set(inner)
		} else {
			copied.Set(inner)
		}
	case reflect.Slice:
		if value.IsNil() {
			break
		}
		copied.Set(reflect.MakeSlice(t, value.Len(), value.Len()))
		for i := range value.Len() {
			copied.Index(i).Set(filled(value.Index(i)))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			field := t.Field(i)
			if !field.IsExported() {
				continue
			}
			copied.Field(i).Set(filled(value.Field(i)))
			if always := !strings.HasSuffix(field.Tag.Get("json"), ",omitempty"); always && field.Type.Kind() == reflect.Slice && value.Field(i).IsNil() {
				copied.Field(i).Set(reflect.MakeSlice(field.Type, 0, 0))
			}
		}
	}
	return copied
}

// holdsList reports whether a value of the type can have a list that may be nil.
func holdsList(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer:
		return holdsList(t.Elem())
	case reflect.Slice:
		return holdsList(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && (f.Type.Kind() == reflect.Slice || holdsList(f.Type)) {
				return true
			}
		}
	}
	return false
}
