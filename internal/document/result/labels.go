package result

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxLabels is the maximum number of labels of a document.
const MaxLabels = 64

// The limits of a label, in bytes.
const (
	maxLabelKey   = 63
	maxLabelValue = 200
)

var labelKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// CheckLabels returns what is wrong with labels; nil if nothing is.
func CheckLabels(labels []string) error {
	if len(labels) > MaxLabels {
		return fmt.Errorf("%d labels are more than %d", len(labels), MaxLabels)
	}
	seen := map[string]bool{}
	for _, label := range labels {
		key, value, ok := strings.Cut(label, "=")
		switch {
		case !ok || value == "" || len(key) > maxLabelKey || !labelKey.MatchString(key):
			return fmt.Errorf("%.80q is no label; write key=value, such as host=web1", label)
		case len(value) > maxLabelValue || !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }):
			return fmt.Errorf("the value of %s is longer than %d bytes, or is not printable", key, maxLabelValue)
		case seen[key]:
			return fmt.Errorf("%s appears twice", key)
		}
		seen[key] = true
	}
	return nil
}

// Label returns the value of a label; empty if the document does not have it.
func (d *Document) Label(key string) string {
	for _, label := range d.Labels {
		if name, value, _ := strings.Cut(label, "="); name == key {
			return value
		}
	}
	return ""
}
