package attachment

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// supportconfigs are the files of a supportconfig (SUSE) with other files of the machine in them. boot.txt has the log too.
var supportconfigs = []string{"boot.txt", "hardware.txt", "basic-environment.txt"}

// sections takes the wanted files out of a file of a supportconfig. There the path of each is in the line after the heading:
//
//	#==[ Configuration File ]===========================#
//	# /proc/cmdline
type sections struct {
	*collection
	name    string // of the file that is being read; "" outside of one that is wanted
	content strings.Builder
	cpus    cpuinfo
	heading bool // whether the line before was one
}

func (s *sections) add(line string) {
	begins := strings.HasPrefix(line, "#==[ ")
	switch {
	case begins:
		s.end()
	case s.heading:
		s.begin(line)
	case s.name == cpuinfoPath:
		s.cpus.add(line)
	case s.name != "" && s.content.Len() < maxFile:
		s.content.WriteString(line + "\n")
	}
	s.heading = begins
}

// begin begins a file, unless it is not wanted, or is there already: the first of a path counts.
func (s *sections) begin(line string) {
	name, ok := strings.CutPrefix(line, "# /")
	if _, is := s.files[name]; ok && !is && slices.Contains(wanted, name) {
		s.name = name
	}
}

func (s *sections) end() {
	switch s.name {
	case "":
		return
	case cpuinfoPath:
		s.keep(s.name, []byte(s.cpus.text.String()))
	default:
		s.keep(s.name, []byte(s.content.String()))
	}
	s.name = ""
	s.content.Reset()
}

func (c *collection) addSections(name string, r io.Reader) {
	var found log
	in := sections{collection: c}
	if err := eachLine(r, func(line string) { in.add(line); found.add(line) }); err != nil {
		c.unread = fmt.Errorf("%s: %w", name, err)
		return
	}
	in.end()
	if slices.Contains(logs, name) {
		finished, err := found.finished()
		c.keepLog(name, finished, err)
	}
}
