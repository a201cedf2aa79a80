package diagnose

import "github.com/timebench/timebench/internal/result"

// onLinux reports whether a document is from Linux. Other systems have other tools and manuals.
func onLinux(d *result.Document) bool { return d.Host.OS == "linux" }

// linuxLinks returns the links for a document from Linux; none for another.
func linuxLinks(d *result.Document, links ...string) []string {
	if onLinux(d) {
		return links
	}
	return nil
}

// adviceElsewhere is the advice of noises on other systems than Linux, where it differs.
var adviceElsewhere = map[string]string{
	"load":  "stop the other programs, or keep to CPUs that they do not use",
	"speed": "select the highest performance in the power settings of the system; a program on the other hyper-thread of the core has the same effect",
}
