package attachment

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// addSections keeps the wanted files in a file of a supportconfig. There the path of each is in the line after the
// heading:
//
//	#==[ Configuration File ]===========================#
//	# /proc/cmdline
func (c *collection) addSections(name string, r io.Reader) {
	var (
		found   log
		path    string // of the file that is being read; "" outside of a wanted file
		content strings.Builder
		cpus    cpuinfo
		heading bool // whether the line before was one
	)
	end := func() {
		switch path {
		case "":
		case cpuinfoPath:
			c.keep(path, []byte(cpus.text.String()))
		default:
			c.keep(path, []byte(content.String()))
		}
		path = ""
		content.Reset()
	}
	err := eachLine(r, func(line string) {
		found.add(line)
		begins := strings.HasPrefix(line, "#==[ ")
		switch {
		case begins:
			end()
		case heading:
			of, ok := strings.CutPrefix(line, "# /")
			if _, is := c.files[of]; ok && !is && slices.Contains(wanted, of) { // the first of a path counts
				path = of
			}
		case path == cpuinfoPath:
			cpus.add(line)
		case path != "" && content.Len() < maxFile:
			content.WriteString(line + "\n")
		}
		heading = begins
	})
	if err != nil {
		c.unread = fmt.Errorf("%s: %w", name, err)
		return
	}
	end()
	if slices.Contains(logs, name) {
		finished, err := found.finished()
		c.keepLog(name, finished, err)
	}
}
