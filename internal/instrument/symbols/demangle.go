package symbols

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
	"github.com/timebench/timebench/internal/show/printable"
)

const (
	// maxLength bounds a name that is shown, in bytes.
	maxLength = 200
	// comfortable is the length of a name, in bytes, up to which its parameters are shown.
	comfortable = 80
	// maxDemangledPower is the power of 2 that bounds a name before it is shortened. A mangled name of some hundred
	// bytes can expand to gigabytes.
	maxDemangledPower = 12
)

// forms are the options of the forms of a name, the longest form first.
var forms = [][]demangle.Option{
	{demangle.MaxLength(maxDemangledPower), demangle.NoClones},
	{demangle.MaxLength(maxDemangledPower), demangle.NoParams},
	{demangle.MaxLength(maxDemangledPower), demangle.NoParams, demangle.NoEnclosingParams, demangle.NoTemplateParams},
}

// readable returns the name of a function as it is shown: demangled, one line, at most maxLength bytes.
// If the parameters make a name long, they are left out, and then the template parameters as well.
func readable(name string) string {
	shown := name
	for _, options := range forms {
		demangled, err := demangle.ToString(name, options...)
		if err != nil {
			break // not a mangled name
		}
		shown = demangled
		if len(shown) <= comfortable {
			break
		}
	}
	return shortened(shown)
}

// shortened returns the name as one printable line of at most maxLength bytes.
func shortened(name string) string {
	const ellipsis = "…"
	// Cleaning may lengthen the name, but a long one is cut first.
	if len(name) > 2*maxLength {
		name = name[:2*maxLength]
	}
	name = printable.Line(name)
	if len(name) <= maxLength {
		return name
	}
	return strings.ToValidUTF8(name[:maxLength-len(ellipsis)], "") + ellipsis // the cut may be inside a character
}
