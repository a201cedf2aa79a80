package pages

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/cmd"
	"github.com/timebench/timebench/internal/show/texts"
)

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
	code    = regexp.MustCompile("(?ms)^```.*?^```$|`[^`]*`")
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
		for _, l := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
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
			if assert.NoError(t, err, "%s: the link %s leads nowhere", name, l[1]) && anchor != "" {
				there, err := os.ReadFile(target)
				require.NoError(t, err)
				assert.True(t, anchors(string(there))[anchor], "%s: %s has no heading for the link %s", name, target, l[1])
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

// typed matches a command line: at the start of a line, in backticks or brackets, or after sudo, exec and the like.
var typed = regexp.MustCompile("(?m)(?:^[ \\t#$]*|[`('=|/] ?|sudo |exec )timebench ([a-z][a-z-]*)([^`'\"|;>)#\\n]*)")

// continued matches the end of a line that the shell joins with the next.
var continued = regexp.MustCompile(`\\\n\s*`)

// commandLines checks that the commands and flags of each command line in a text exist, and returns the number of
// command lines. The text is from the file name.
func commandLines(t *testing.T, commands *cobra.Command, name, text string) (checked int) {
	t.Helper()
	for _, line := range typed.FindAllStringSubmatch(continued.ReplaceAllString(text, ""), -1) {
		if line[1] == "runs" { // begins a sentence
			continue
		}
		checked++
		command, _, err := commands.Find(line[1:2])
		if err != nil || command.Name() != line[1] {
			t.Errorf("%s: timebench has no command %s: %s", name, line[1], line[0])
			continue
		}
		command.InitDefaultHelpFlag()
		arguments, _, _ := strings.Cut(line[2], " -- ")
		for _, word := range strings.Fields(arguments) {
			flag, _, _ := strings.Cut(strings.TrimRight(word, ".,:"), "=")
			long, isLong := strings.CutPrefix(flag, "--")
			short, isShort := strings.CutPrefix(flag, "-")
			if isLong && command.Flags().Lookup(long) == nil ||
				isShort && len(short) == 1 && command.Flags().ShorthandLookup(short) == nil {
				t.Errorf("%s: timebench %s has no flag %s", name, line[1], flag)
			}
		}
	}
	return checked
}

// everyCommand returns the commands, including the command for completion, which cobra adds late.
func everyCommand() *cobra.Command {
	commands := cmd.Root()
	commands.InitDefaultCompletionCmd()
	return commands
}

// The commands of the documentation and of deploy exist.
func TestDocumentedCommandsExist(t *testing.T) {
	names := pages(t)
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "deploy"),
		func(name string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				names = append(names, name)
			}
			return err
		}))
	checked, commands := 0, everyCommand()
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		if strings.HasSuffix(name, ".md") {
			text = []byte(strings.Join(code.FindAllString(string(text), -1), "\n"))
		}
		checked += commandLines(t, commands, name, string(text))
	}
	require.Greater(t, checked, 100)
}

// The commands that timebench prints exist: in remedies, findings, advice, errors and help texts.
func TestPrintedCommandsExist(t *testing.T) {
	checked, commands := 0, everyCommand()
	for _, folder := range []string{"cmd", "internal"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder),
			func(name string, _ fs.DirEntry, err error) error {
				if err == nil && strings.HasSuffix(name, ".txt") && !strings.Contains(name, "testdata") {
					text, err := os.ReadFile(name)
					for _, e := range texts.Entries(string(text)) {
						for _, f := range e.Fields {
							checked += commandLines(t, commands, name, f.Value)
						}
					}
					return err
				}
				if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
					return err
				}
				file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
				if err != nil {
					return err
				}
				ast.Inspect(file, func(n ast.Node) bool {
					text := literal(n)
					checked += commandLines(t, commands, name, text)
					return text == ""
				})
				return nil
			}))
	}
	require.Greater(t, checked, 50)
}

// literal returns the text of a string literal, or of several that are added up with other values; empty for other
// nodes.
func literal(n ast.Node) string {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind == token.STRING {
			text, _ := strconv.Unquote(n.Value) // the parser accepted it
			return text
		}
	case *ast.BinaryExpr:
		if n.Op == token.ADD {
			return literal(n.X) + literal(n.Y)
		}
	}
	return ""
}
