package result

import "reflect"

// What the tests need, which are of no package that the sections import.
var (
	KeyOf, Choosing = key, choices
)

const (
	Most     = float64(most)
	MostText = mostText
)

// FormKeys returns the keys of a document that can hold the sections, in their order.
func FormKeys(sections []Section) []string {
	var keys []string
	form := formOf(reflect.TypeFor[Document](), keyed(sections))
	for i := range form.t.NumField() {
		keys = append(keys, key(form.t.Field(i)))
	}
	return keys
}
