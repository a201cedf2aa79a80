package result

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Loader loads documents with the sections that these functions return, empty. Unknown keys are of a newer timebench,
// and ignored.
type Loader []func() Section

// lenient are options as encoding/json has them. To find duplicate names, the decoder would keep all keys of an object
// in memory.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// open decodes text[from:], which is one document. The place in an error is in the whole text.
func (l Loader) open(text []byte, from int) (*Document, error) {
	if err := checkSchema(text[from:]); err != nil { // all else may be different in another schema
		return nil, err
	}
	document, err := l.decode(text[from:])
	if err != nil {
		return nil, explained(err, text, from)
	}
	return document, document.check()
}

// checkSchema returns what is wrong with the schema of a document. It quotes nothing else: a link may
// lead to a file that the reader of the error may not read.
func checkSchema(text []byte) error {
	var document struct {
		Schema jsontext.Value `json:"schema"`
	}
	_ = json.Unmarshal(text, &document, lenient) // with the schema, if it is before a fault
	if document.Schema == nil {
		return notOurs("has no schema: not a timebench document")
	}
	schema, err := jsontext.AppendUnquote(nil, document.Schema)
	switch {
	case err != nil:
		return fmt.Errorf("schema is not text; this timebench reads %q", Schema)
	case string(schema) == Schema:
		return nil
	case bytes.HasPrefix(schema, []byte("timebench")):
		return fmt.Errorf("schema is %.64q; this timebench reads %q", schema, Schema)
	default:
		return fmt.Errorf("schema is not of timebench; this timebench reads %q", Schema)
	}
}

func (l Loader) decode(text []byte) (*Document, error) {
	document := new(Document)
	parts := []Keyed{{"", document}}
	for _, empty := range l {
		section := empty()
		parts = append(parts, Keyed{section.Key(), section})
	}
	whole := together(parts...)
	for i, part := range parts {
		if part.Key != "" { // a document may lack it
			whole.Field(i).SetZero()
		}
	}
	options := json.WithUnmarshalers(json.UnmarshalFromFunc(new(decoding).decode))
	if err := json.Unmarshal(text, whole.Addr().Interface(), lenient, options); err != nil {
		return nil, err
	}
	for i := range l {
		if section := whole.Field(1 + i); !section.IsNil() {
			document.Sections = append(document.Sections, section.Interface().(Section))
		}
	}
	return document, nil
}

// mostListed is the maximum memory of the items of all lists of a document, in bytes. A list of "" would take six times
// its text, one of small objects more.
const mostListed = 16 << 20

// A decoding is the state of the decoding of a document.
type decoding struct {
	listed int // memory of the items of lists in bytes, texts without their characters
}

// take counts items of a type, before they are made.
func (c *decoding) take(items int, of reflect.Type) error {
	if c.listed += items * int(of.Size()); c.listed > mostListed {
		return fmt.Errorf("is too long: the lists of a document take at most %d MiB", mostListed>>20)
	}
	return nil
}

// decode decodes objects into structs, and lists, and leaves other values to the library. Null is no value.
func (c *decoding) decode(d *jsontext.Decoder, to any) error {
	v := reflect.ValueOf(to).Elem()
	switch next := d.PeekKind(); {
	case next == 'n':
		return fmt.Errorf("is null, not %s", noun(v.Type()))
	case next == '{' && isObject(v.Type()):
		return decodeObject(d, v)
	case next == '[':
		if numbers, ok := to.(*[]float64); ok {
			return c.decodeNumbers(d, numbers)
		}
		if v.Kind() == reflect.Slice {
			return c.decodeList(d, v)
		}
	}
	return json.SkipFunc
}

// decodeNumbers takes no memory for a number but its own 8 bytes, since a document may have millions of samples. The
// library takes some for each call of decode.
func (c *decoding) decodeNumbers(d *jsontext.Decoder, to *[]float64) error {
	if _, err := d.ReadToken(); err != nil { // [
		return err
	}
	list, _, _ := bytes.Cut(d.UnreadBuffer(), []byte("]"))
	numbers := bytes.Count(list, []byte(",")) + 1
	if err := c.take(numbers, reflect.TypeFor[float64]()); err != nil {
		return err
	}
	*to = make([]float64, 0, numbers)
	for d.PeekKind() == '0' {
		number, err := d.ReadToken()
		if err != nil {
			return err
		}
		*to = append(*to, number.Float())
	}
	if d.PeekKind() != ']' {
		return json.UnmarshalDecode(d, new(float64)) // with the error
	}
	_, err := d.ReadToken()
	return err
}

// decodeList decodes a list of other items than numbers.
func (c *decoding) decodeList(d *jsontext.Decoder, list reflect.Value) error {
	if _, err := d.ReadToken(); err != nil { // [
		return err
	}
	of := list.Type().Elem()
	list.Set(reflect.MakeSlice(list.Type(), 0, 0))
	for n := 0; d.PeekKind() != ']'; n++ {
		if err := c.take(1, of); err != nil {
			return err
		}
		list.Set(reflect.Append(list, reflect.Zero(of)))
		if err := json.UnmarshalDecode(d, list.Index(n).Addr().Interface()); err != nil {
			return err
		}
	}
	_, err := d.ReadToken() // ]
	return err
}

// decodeObject decodes an object in which no key is missing or stands twice.
func decodeObject(d *jsontext.Decoder, v reflect.Value) error {
	if _, err := d.ReadToken(); err != nil { // {
		return err
	}
	o := objectOf(v.Type())
	seen := make([]bool, len(o.fields))
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		i, known := o.index[name.String()]
		switch {
		case !known: // of a newer timebench
			err = d.SkipValue()
		case seen[i]:
			return errors.New("appears twice")
		default:
			seen[i] = true
			f := &o.fields[i]
			of := v.FieldByIndex(f.index)
			err = json.UnmarshalDecode(d, of.Addr().Interface())
			if f.choices != nil && err == nil { // check would take "" for a key that is absent
				if fault := f.faultOf(of); fault != "" {
					err = &json.SemanticError{JSONPointer: d.StackPointer(), Err: errors.New(fault[1:])}
				}
			}
		}
		if err != nil {
			return err
		}
	}
	if _, err := d.ReadToken(); err != nil { // }
		return err
	}
	for i, f := range o.fields {
		if f.required && !seen[i] {
			return &json.SemanticError{JSONPointer: d.StackPointer().AppendToken(f.key), Err: errors.New("is missing")}
		}
	}
	return nil
}

// noun returns the value of JSON that a type is made from, as errors name it.
func noun(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return noun(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array"
	case reflect.Float64:
		return "a number of 64 bits"
	case reflect.Int, reflect.Int64:
		return fmt.Sprintf("a whole number of %d bits", t.Bits())
	}
	if isObject(t) {
		return "an object"
	}
	return "a time as RFC 3339 writes it"
}

// explained returns an error of the library with its place in the text. The text that was decoded begins at from.
func explained(err error, text []byte, from int) error {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Errorf("%s: %w", place(text, from+int(syntax.ByteOffset)), syntax.Err)
	}
	fault, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return err
	}
	var what string
	switch {
	case fault.JSONValue != nil:
		what = fmt.Sprintf("is %.40s, not %s", fault.JSONValue, noun(fault.GoType))
	case fault.Err != nil && fault.GoType != reflect.TypeFor[time.Time]():
		what = fault.Err.Error()
	default:
		what = "is not " + noun(fault.GoType)
	}
	return fmt.Errorf("%s: %s %s", place(text, from+int(fault.ByteOffset)), pathOf(fault.JSONPointer), what)
}

// pathOf returns the path of a value: clocks[0].id.
func pathOf(pointer jsontext.Pointer) string {
	var path strings.Builder
	for token := range pointer.Tokens() {
		if _, err := strconv.Atoi(token); err == nil {
			path.WriteString("[" + token + "]")
		} else {
			path.WriteString("." + token)
		}
	}
	return strings.TrimPrefix(path.String(), ".")
}

// place returns the line and the column of a byte. Columns count bytes.
func place(text []byte, offset int) string {
	before := text[:min(offset, len(text))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := offset - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("line %d, column %d", line, column)
}
