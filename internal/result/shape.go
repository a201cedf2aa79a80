package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A shape holds JSON against the types of the document. The decoder of
// encoding/json alone takes a missing key for a zero, null for anything,
// "Clocks" for "clocks", and the last of two keys that are alike.
type shape struct {
	text    []byte
	tokens  *json.Decoder
	kinds   []Kind
	choices map[string][]string // also those of the kinds
}

// A fault is what is wrong with a value.
type fault struct {
	offset int64  // of the value in the text
	path   string // of keys and indices that lead to it
	what   string
}

func (f *fault) Error() string {
	return strings.TrimPrefix(f.path, ".") + " " + f.what
}

// in returns the fault with one more step before its path.
func (f *fault) in(step string) *fault {
	f.path = step + f.path
	return f
}

// notRequired are keys that are always written, but that documents of the first
// days of the schema do not have.
var notRequired = []string{"Resolution.ticks", "Throughput.samples_reads_per_second"}

// choices are the values of the texts that are one of a few, by type and key. The
// checks after decoding see these too, but cannot tell "" from an absent key.
var choices = map[string][]string{
	"Finding.severity":   Severities,
	"Clock.kernel_entry": KernelEntries,
}

// rfc3339 is the form of a time. Package time also takes 2026-11-21T3:00:00,5Z,
// which other readers do not (https://go.dev/issue/54580).
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// misshape returns the first fault of text, which is valid JSON; nil where it
// has the shape of a document.
func misshape(text []byte, kinds []Kind) *fault {
	s := shape{text, json.NewDecoder(bytes.NewReader(text)), kinds, maps.Clone(choices)}
	for _, kind := range kinds {
		maps.Copy(s.choices, kind.Choices)
	}
	s.tokens.UseNumber()
	return s.value(reflect.TypeFor[Document](), nil)
}

// next returns the next token and where it begins.
func (s *shape) next() (json.Token, int64) {
	start := s.tokens.InputOffset()
	for start < int64(len(s.text)) && strings.IndexByte(" \t\r\n,:", s.text[start]) >= 0 {
		start++
	}
	token, _ := s.tokens.Token() // valid JSON has no errors
	return token, start
}

// value takes the next value, which should be of type t, and one of the choices
// where there are any.
func (s *shape) value(t reflect.Type, choices []string) *fault {
	token, start := s.next()
	wrong := func(what string, args ...any) *fault {
		return &fault{offset: start, what: fmt.Sprintf(what, args...)}
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if want := word(t); kind(token) != want {
		return wrong("is %s, not %s", kind(token), want)
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		if text := token.(string); !rfc3339.MatchString(text) || new(time.Time).UnmarshalText([]byte(text)) != nil {
			return wrong("is %.40q, not a time as RFC 3339 writes it", token)
		}
	case choices != nil && !slices.Contains(choices, token.(string)):
		return wrong("%s", noneOf(token.(string), choices))
	case t.Kind() == reflect.Struct:
		return s.object(t, start)
	case t.Kind() == reflect.Slice:
		for i := 0; s.tokens.More(); i++ {
			if fault := s.value(t.Elem(), nil); fault != nil {
				return fault.in("[" + strconv.Itoa(i) + "]")
			}
		}
		s.next() // ]
	case t.Kind() == reflect.Float64:
		return finite(token.(json.Number), start)
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		if _, err := strconv.ParseInt(string(token.(json.Number)), 10, t.Bits()); err != nil {
			return wrong("is %.40s, not a whole number of %d bits", token, t.Bits())
		}
	}
	return nil
}

// object takes the keys and values of an object that began at start.
func (s *shape) object(t reflect.Type, start int64) *fault {
	seen := make([]bool, t.NumField())
	sections := map[string]bool{}
	for s.tokens.More() {
		token, at := s.next()
		name, _ := token.(string)
		i, ok := field(t, name)
		kind := (*Kind)(nil)
		if t == reflect.TypeFor[Document]() && !ok {
			kind = kindOf(s.kinds, name)
		}
		switch {
		case kind != nil:
			if fault := s.section(kind, name, at, sections[kind.Key]); fault != nil {
				return fault.in("." + name)
			}
			sections[kind.Key] = true
			continue
		case !ok:
			// Of a newer timebench. Only its numbers must be numbers.
			if fault := s.skip(); fault != nil {
				return fault.in(fmt.Sprintf("[%.40q]", name))
			}
			continue
		case key(t.Field(i)) != name:
			return (&fault{offset: at, what: fmt.Sprintf("is spelt %q", key(t.Field(i)))}).in("." + name)
		case seen[i]:
			return (&fault{offset: at, what: "stands twice"}).in("." + name)
		}
		seen[i] = true
		if fault := s.value(t.Field(i).Type, s.choices[t.Name()+"."+name]); fault != nil {
			return fault.in("." + name)
		}
	}
	s.next() // }
	for i := range seen {
		if name := key(t.Field(i)); !seen[i] && required(t, t.Field(i)) {
			return (&fault{offset: start, what: "is missing"}).in("." + name)
		}
	}
	return nil
}

// section takes the value of a section, of which the key stands there.
func (s *shape) section(kind *Kind, name string, at int64, seen bool) *fault {
	switch {
	case kind.Key != name:
		return &fault{offset: at, what: fmt.Sprintf("is spelt %q", kind.Key)}
	case seen:
		return &fault{offset: at, what: "stands twice"}
	}
	return s.value(reflect.TypeOf(kind.New()), nil)
}

// skip takes the next value, whatever it is and however deep.
func (s *shape) skip() *fault {
	for depth := 0; ; {
		token, start := s.next()
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				depth++
			} else {
				depth--
			}
		case json.Number:
			if fault := finite(token, start); fault != nil {
				return fault
			}
		}
		if depth == 0 {
			return nil
		}
	}
}

func finite(number json.Number, start int64) *fault {
	if _, err := number.Float64(); err != nil {
		return &fault{offset: start, what: fmt.Sprintf("is %.40s, which a float of 64 bits cannot hold", number)}
	}
	return nil
}

// field returns the index of the field of t that encoding/json would decode the
// key into, and whether there is one.
func field(t reflect.Type, name string) (int, bool) {
	for i := range t.NumField() {
		if k := key(t.Field(i)); k != "-" && strings.EqualFold(k, name) {
			return i, true
		}
	}
	return 0, false
}

// key is the name of a field in JSON.
func key(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// required says that every document has the key.
func required(t reflect.Type, field reflect.StructField) bool {
	return key(field) != "-" && !strings.HasSuffix(field.Tag.Get("json"), ",omitempty") && !slices.Contains(notRequired, t.Name()+"."+key(field))
}

// word says what a type is in JSON.
func word(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time](), t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Struct:
		return "an object"
	case t.Kind() == reflect.Slice:
		return "an array"
	case t.Kind() == reflect.Bool:
		return "true or false"
	default:
		return "a number"
	}
}

// kind says what a token is, or begins.
func kind(token json.Token) string {
	switch token := token.(type) {
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "true or false"
	case json.Delim:
		if token == '{' {
			return "an object"
		}
		return "an array"
	default:
		return "null"
	}
}
