package attachment

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
)

// supportconfigs are the files of a supportconfig (SUSE) with other files of the machine in them. boot.txt has the log too.
var supportconfigs = []string{"boot.txt", "hardware.txt", "basic-environment.txt"}

// addSections keeps the wanted files in a file of a supportconfig. There the path of each is in the line after the heading:
//
//	#==[ Configuration File ]===========================#
//	# /proc/cmdline
func (c *collection) addSections(r io.Reader) error {
	lines := bufio.NewReaderSize(io.LimitReader(r, maxText), maxRead)
	var name string
	var content strings.Builder
	heading := false
	for {
		text, more, err := lines.ReadLine()
		line := string(text)
		for more && err == nil { // the rest of a long line
			_, more, err = lines.ReadLine()
		}
		begins := strings.HasPrefix(line, "#==[ ")
		if begins || err != nil {
			c.addSection(name, content.String())
			name = ""
			content.Reset()
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case heading:
			name, _ = strings.CutPrefix(line, "# /")
		case name != "" && int64(content.Len()) < c.left:
			content.WriteString(line + "\n")
		}
		heading = begins
	}
}

// addSection keeps a file that is wanted. The first of a path counts.
func (c *collection) addSection(name, content string) {
	if _, is := c.files[name]; !is && slices.Contains(wanted, name) && int64(len(content)) <= c.left {
		c.files[name] = []byte(content)
		c.left -= int64(len(content))
	}
}
