package result

// What the tests of the document with all its sections need, which can be of no package
// that the sections import.
var (
	FullDocument, ExampleDocument   = full, example
	Written, Script, Page, Zipped   = written, script, page, zipped
	KeyOf, RequiredFields, Choosing = key, notRequired, choices
)

const Most = float64(most)
