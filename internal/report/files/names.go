package files

import (
	"fmt"
	"slices"
	"strings"
)

// windowsDevices are names of devices on Windows, in every folder and with any extension: CON, nul.zip ("Naming
// Files, Paths, and Namespaces" in its documentation).
var windowsDevices = []string{
	"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$",
	"COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9",
	"LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9",
}

// checkWindowsName returns an error for a path that Windows would write elsewhere or nowhere: a name is a device, or
// ends with spaces or dots, which Windows drops.
func checkWindowsName(path string) error {
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '\\' || r == '/' }) {
		if name == "." || name == ".." {
			continue
		}
		if kept := strings.TrimRight(name, " ."); kept != name {
			return fmt.Errorf("%q ends in a space or a dot, which Windows leaves out; write %q", name, kept)
		}
		stem, _, _ := strings.Cut(name, ".")
		if slices.Contains(windowsDevices, strings.ToUpper(strings.TrimRight(stem, " "))) {
			return fmt.Errorf("%q is the name of a device on Windows; name another folder", name)
		}
	}
	return nil
}
