// Package links checks the links of the documentation.
package links

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// pages returns the pages of the documentation.
func pages(t *testing.T) []string {
	all := []string{filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"), filepath.Join(root, "CHANGELOG.md")}
	for _, folder := range []string{"docs", "docs/evidence"} {
		found, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
		require.NoError(t, err)
		require.NotEmpty(t, found, folder)
		all = append(all, found...)
	}
	return all
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```$")
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the anchors that GitHub gives the headings of a page.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		found[strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	return found
}

// Each relative link leads to a file, and each anchor to a heading.
func TestLinks(t *testing.T) {
	checked := 0
	for _, name := range pages(t) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, l := range link.FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(l[1], "://") {
				continue
			}
			checked++
			file, anchor, _ := strings.Cut(l[1], "#")
			target := name
			if file != "" {
				target = filepath.Join(filepath.Dir(name), file)
			}
			_, err := os.Stat(target)
			require.NoError(t, err, "%s: the link %s leads nowhere", name, l[1])
			if anchor != "" {
				there, err := os.ReadFile(target)
				require.NoError(t, err)
				require.True(t, anchors(string(there))[anchor], "%s: %s has no heading for the link %s", name, target, l[1])
			}
		}
	}
	require.Greater(t, checked, 100)
}

// The index leads to each page.
func TestTheIndexIsComplete(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(root, "docs", "README.md"))
	require.NoError(t, err)
	for _, name := range pages(t)[3:] {
		short, err := filepath.Rel(filepath.Join(root, "docs"), name)
		require.NoError(t, err)
		if short != "README.md" {
			require.Contains(t, string(index), "("+filepath.ToSlash(short)+")", "add docs/%s to docs/README.md", short)
		}
	}
}
