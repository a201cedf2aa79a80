// Package texts reads the files in which a table has its long texts.
//
// An entry is a paragraph. Its name is a line of its own; each field is an indented line "key: value". A line that is
// indented further continues the value. A line that begins with # is a comment. {words} in a value stand for figures.
// "key if FACTS: value" is for the machines on which the facts hold: "linux, not container or guest-of kvm qemu". A
// comma binds closer than "or".
package texts

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// An Entry is a named paragraph.
type Entry struct {
	Name   string
	Fields []Field
}

// A Field is a value with its key. Several fields of an entry may have the same key.
type Field struct{ Key, Value string }

const indent = "  "

// Entries returns the entries of a file, in order. It ignores what does not have the form, which the test of the file
// must find.
func Entries(file string) []Entry {
	var all []Entry
	for line := range strings.Lines(file) {
		line = strings.TrimRight(line, "\r\n")
		field, isField := strings.CutPrefix(line, indent)
		switch {
		case line == "" || line[0] == '#':
		case !isField:
			all = append(all, Entry{Name: line})
		case len(all) == 0:
		case strings.HasPrefix(field, indent):
			if fields := all[len(all)-1].Fields; len(fields) > 0 {
				last := &fields[len(fields)-1]
				last.Value = strings.TrimSpace(last.Value + " " + strings.TrimSpace(field))
			}
		default:
			key, value, _ := strings.Cut(field, ":")
			last := &all[len(all)-1]
			last.Fields = append(last.Fields, Field{key, strings.TrimSpace(value)})
		}
	}
	return all
}

// Get returns the first value of a key; "" without one.
func (e Entry) Get(key string) string {
	if i := slices.IndexFunc(e.Fields, func(f Field) bool { return f.Key == key }); i >= 0 {
		return e.Fields[i].Value
	}
	return ""
}

// All returns the values of a key.
func (e Entry) All(key string) []string {
	var values []string
	for _, f := range e.Fields {
		if f.Key == key {
			values = append(values, f.Value)
		}
	}
	return values
}

// List returns the items of the first value of a key, which commas separate.
func (e Entry) List(key string) []string {
	return strings.FieldsFunc(e.Get(key), func(r rune) bool { return r == ',' || r == ' ' })
}

// Holding returns the entry with the fields whose facts hold, each with the plain key. holds reports whether one fact
// does, by its words.
func (e Entry) Holding(holds func(fact []string) bool) Entry {
	fields := e.Fields
	e.Fields = nil
	for _, f := range fields {
		if key, facts, _ := strings.Cut(f.Key, " if "); Hold(facts, holds) {
			e.Fields = append(e.Fields, Field{key, f.Value})
		}
	}
	return e
}

// Hold reports whether facts hold; "" always does.
func Hold(facts string, holds func(fact []string) bool) bool {
	fails := func(fact string) bool {
		fact, isNot := strings.CutPrefix(fact, "not ")
		return fact != "" && holds(strings.Fields(fact)) == isNot
	}
	return slices.ContainsFunc(strings.Split(facts, " or "), func(all string) bool {
		return !slices.ContainsFunc(strings.Split(all, ", "), fails)
	})
}

var inBraces = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[A-Za-z ]+\}`) })

// Fill replaces each {word} by the figure that the function returns for it with its braces. It looks at the text once:
// a figure from the log of another machine may have braces too.
func Fill(text string, figure func(word string) string) string {
	return inBraces().ReplaceAllStringFunc(text, figure)
}
