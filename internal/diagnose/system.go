package diagnose

import "github.com/timebench/timebench/internal/document/result"

// onLinux reports whether a document is from Linux. Other systems have other tools and manuals.
func onLinux(d *result.Document) bool { return d.Host.OS == "linux" }

func linuxLinks(d *result.Document, links ...string) []string {
	if onLinux(d) {
		return links
	}
	return nil
}
