// Package links checks the documentation: its links, and the commands and flags that it names.
package links

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/cmd"
)

const root = "../.."

// pages returns the pages of the documentation.
func pages(t *testing.T) []string {
	t.Helper()
	all := []string{filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"),
		filepath.Join(root, "CHANGELOG.md"), filepath.Join(root, "deploy", "README.md")}
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
	require.NotZero(t, checked)
}

// The index leads to each page.
func TestTheIndexIsComplete(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(root, "docs", "README.md"))
	require.NoError(t, err)
	for _, name := range pages(t) {
		short, err := filepath.Rel(filepath.Join(root, "docs"), name)
		require.NoError(t, err)
		if filepath.IsLocal(short) && short != "README.md" {
			require.Contains(t, string(index), "("+filepath.ToSlash(short)+")", "add docs/%s to docs/README.md", short)
		}
	}
}

// Every command of the documentation exists, with each of its flags.
func TestDocsHaveRealCommands(t *testing.T) {
	typed := regexp.MustCompile("(?m)(?:^(?:\\$ )?|`)(?:sudo )?timebench ([a-z]+)([^`#>|\n]*)")
	checked := 0
	for _, name := range pages(t) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, c := range typed.FindAllStringSubmatch(string(text), -1) {
			command, _, err := cmd.Root().Find([]string{c[1]})
			require.NoError(t, err, "%s: %s", name, c[0])
			arguments, _, _ := strings.Cut(c[2], " -- ")
			for _, word := range strings.Fields(arguments) {
				if flag, isLong := strings.CutPrefix(word, "--"); isLong {
					flag, _, _ = strings.Cut(flag, "=")
					require.NotNil(t, command.Flags().Lookup(flag), "%s: timebench %s has no flag --%s", name, c[1], flag)
					checked++
				}
			}
		}
	}
	require.NotZero(t, checked)
}
