package section

import (
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
)

// Caption returns the line about the machine below the title of a picture with the given number of clocks.
func Caption(d *result.Document, clocks int) string {
	parts := []string{strings.TrimSpace(d.Host.OS + "/" + d.Host.Arch + " " + d.Host.Kernel)}
	if w := d.Host.Windows; w != nil && w.Wine != nil {
		parts = append(parts, "Wine "+w.Wine.Version+", not Windows")
	}
	if d.Host.CPU.Model != "" {
		parts = append(parts, d.Host.CPU.Model)
	}
	if v := d.Host.Virtualization; v != nil {
		parts = append(parts, v.System+" "+v.Role)
	}
	if s := d.Host.ClockSource; s != nil {
		parts = append(parts, "clock source "+s.Current)
	}
	parts = append(parts, "timebench "+d.Tool.Version)
	return strings.Join(parts, " · ") + picture.AtMost(clocks)
}
