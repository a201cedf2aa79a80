package result

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A decoder decodes one document, and checks its shape on the way: each key that is required
// stands once, and no value is null or of another type.
type decoder struct {
	json     *jsontext.Decoder
	sections []reflect.Value // that may be filled
	has      []bool          // whether the document has each
}

// A fault is what is wrong with a value.
type fault struct {
	offset int64            // of the value in the text
	at     jsontext.Pointer // to the value
	what   string
}

// Error begins with the path of the value: clocks[0].id.
func (f *fault) Error() string {
	var path strings.Builder
	for token := range f.at.Tokens() {
		if _, err := strconv.Atoi(token); err == nil {
			path.WriteString("[" + token + "]")
		} else {
			path.WriteString("." + token)
		}
	}
	return strings.TrimPrefix(path.String(), ".") + " " + f.what
}

// options are lenient as those of encoding/json. To find duplicate names, the decoder would keep
// all keys of an object in memory.
var options = []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}

func newDecoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), options...)
}

// decode decodes text into a document. An error is a [*fault], or one of the syntax.
func (l *Loader) decode(text []byte) (*Document, error) {
	document, sections := new(Document), make([]Section, len(l.kinds))
	d := decoder{json: newDecoder(text), has: make([]bool, len(sections))}
	for i, kind := range l.kinds {
		sections[i] = kind.New()
		d.sections = append(d.sections, reflect.ValueOf(sections[i]).Elem())
		d.has[i] = kind.Key == ""
	}
	if err := d.value(reflect.ValueOf(document).Elem(), l.shape); err != nil {
		return nil, err
	}
	if _, err := d.json.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, cmp.Or(err, errors.New("text follows the document"))
	}
	for i, section := range sections {
		if d.has[i] {
			document.Sections = append(document.Sections, section)
		}
	}
	return document, nil
}

// value decodes the next value into one of this shape.
func (d *decoder) value(to reflect.Value, s *shape) error {
	if next := d.json.PeekKind(); words[next] != s.want {
		return d.otherKind(next, s.want)
	}
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(s.of))
		to = to.Elem()
	}
	switch {
	case s.object != nil:
		return d.object(to, s.object)
	case s.of.Kind() == reflect.Float64:
		number, err := d.number(s)
		to.SetFloat(number)
		return err
	case s.element != nil && s.of.Elem().Kind() == reflect.Float64:
		return d.numbers(to, s.element)
	case s.element != nil:
		return d.array(to, s.element)
	}
	raw, err := d.json.ReadValue()
	if err != nil {
		return err
	}
	what := ""
	switch s.of.Kind() {
	case reflect.Bool:
		to.SetBool(raw[0] == 't')
	case reflect.String:
		text := unquoted(raw)
		to.SetString(text)
		if s.choices != nil && !slices.Contains(s.choices, text) {
			what = noneOf(text, s.choices)
		}
	case reflect.Struct:
		// Time.UnmarshalText takes hours of a digit, and zones of a day.
		if json.Unmarshal(raw, to.Addr().Interface()) != nil {
			what = fmt.Sprintf("is %.40q, not a time as RFC 3339 writes it", unquoted(raw))
		}
	default:
		number, err := strconv.ParseInt(string(raw), 10, s.of.Bits())
		to.SetInt(number)
		if err != nil {
			what = fmt.Sprintf("is %.40s, not a whole number of %d bits", raw, s.of.Bits())
		}
	}
	return d.wrong(len(raw), what)
}

// wrong returns what is wrong with the value that was read, which has so many bytes; nil if
// nothing is.
func (d *decoder) wrong(length int, what string) error {
	if what == "" {
		return nil
	}
	return &fault{d.json.InputOffset() - int64(length), d.json.StackPointer(), what}
}

// otherKind returns the fault of the next value, whose kind is not that which is wanted.
func (d *decoder) otherKind(next jsontext.Kind, want string) error {
	what := fmt.Sprintf("is %s, not %s", words[next], want)
	if next == '{' || next == '[' {
		if _, err := d.json.ReadToken(); err != nil {
			return err
		}
		return d.wrong(1, what)
	}
	raw, err := d.json.ReadValue()
	if err != nil {
		return err
	}
	return d.wrong(len(raw), what)
}

// object decodes the next value, an object, into a struct.
func (d *decoder) object(to reflect.Value, o *object) error {
	if _, err := d.json.ReadToken(); err != nil { // {
		return err
	}
	start, at := d.json.InputOffset()-1, d.json.StackPointer()
	seen := make([]bool, len(o.members))
	for next := 0; d.json.PeekKind() != '}'; next++ {
		raw, err := d.json.ReadValue()
		if err != nil {
			return err
		}
		i, what := o.find(raw, next)
		if i >= 0 && seen[i] {
			what = "appears twice"
		}
		if what != "" {
			return d.wrong(len(raw), what)
		}
		if i < 0 {
			err = d.json.SkipValue() // of a newer timebench
		} else {
			seen[i], next = true, i
			err = d.value(d.field(to, &o.members[i]), o.members[i].shape)
		}
		if err != nil {
			return err
		}
	}
	for i, m := range o.members {
		if m.required && !seen[i] {
			return &fault{start, at.AppendToken(m.key), "is missing"}
		}
	}
	_, err := d.json.ReadToken() // }
	return err
}

// find returns the index of the member with this quoted key; -1 if it is of a newer timebench.
// next is the index of the likeliest. what is what is wrong with the key.
func (o *object) find(raw []byte, next int) (i int, what string) {
	if name := raw[1 : len(raw)-1]; next < len(o.members) && string(name) == o.members[next].key {
		return next, ""
	} else if i, ok := o.index[string(name)]; ok {
		return i, ""
	}
	name := unquoted(raw)
	if i, ok := o.index[name]; ok {
		return i, ""
	}
	if i, ok := o.folded[strings.ToLower(name)]; ok {
		return i, fmt.Sprintf("is spelt %q", o.members[i].key)
	}
	return -1, ""
}

// field returns where the value of a member goes.
func (d *decoder) field(to reflect.Value, m *member) reflect.Value {
	if m.section > 0 {
		d.has[m.section-1], to = true, d.sections[m.section-1]
	}
	if m.field == all {
		return to
	}
	return to.Field(m.field)
}

// array decodes the next value, an array, into a slice.
func (d *decoder) array(to reflect.Value, element *shape) error {
	if _, err := d.json.ReadToken(); err != nil { // [
		return err
	}
	to.Set(reflect.MakeSlice(to.Type(), 0, 0))
	for i := 0; d.json.PeekKind() != ']'; i++ {
		to.Grow(1)
		to.SetLen(i + 1)
		if err := d.value(to.Index(i), element); err != nil {
			return err
		}
	}
	_, err := d.json.ReadToken() // ]
	return err
}

// numbers does what array does, for samples, of which a document may have millions: it takes the array whole, so that the
// slice has their number from the start.
func (d *decoder) numbers(to reflect.Value, element *shape) error {
	text, err := d.json.ReadValue()
	if err != nil {
		return err
	}
	of := decoder{json: newDecoder(text)}
	all := make([]float64, 0, bytes.Count(text, []byte(","))+1)
	_, err = of.json.ReadToken() // [
	for err == nil && of.json.PeekKind() != ']' {
		var number float64
		if number, err = of.number(element); err == nil {
			all = append(all, number)
		}
	}
	if wrong := (*fault)(nil); errors.As(err, &wrong) {
		wrong.offset += d.json.InputOffset() - int64(len(text))
		wrong.at = d.json.StackPointer() + wrong.at
	}
	to.Set(reflect.ValueOf(all))
	return err
}

// number decodes the next value, a number.
func (d *decoder) number(s *shape) (float64, error) {
	if next := d.json.PeekKind(); words[next] != s.want {
		return 0, d.otherKind(next, s.want)
	}
	raw, err := d.json.ReadValue()
	if err != nil {
		return 0, err
	}
	number, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return 0, d.wrong(len(raw), fmt.Sprintf("is %.40s, which a float of 64 bits cannot hold", raw))
	}
	return number, nil
}

// unquoted returns the text of a string of JSON. What is not UTF-8 in it becomes U+FFFD.
func unquoted(raw []byte) string {
	text, _ := jsontext.AppendUnquote(nil, raw)
	return string(text)
}
