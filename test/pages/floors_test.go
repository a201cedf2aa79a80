// Package pages compares README, CONTRIBUTING and docs with the repository: links lead somewhere, commands and flags
// exist, and the packages are those of the list, with imports that go down.
package pages

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

const (
	root   = "../.."
	module = "github.com/timebench/timebench/"
)

var (
	quoted = regexp.MustCompile("`([^`]+)`")
	listed = regexp.MustCompile("(?m)^ *- ([^:\n]+):") // a row of the list, with its packages
)

// list returns the packages of the list in CONTRIBUTING.md, and its floors from the top down. The row of a folder of
// internal is a floor; the packages of the rows below it are in this folder.
func list(t *testing.T) (packages, floors []string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	require.NoError(t, err)
	_, rows, found := strings.Cut(string(page), "\n## Where things are\n")
	require.True(t, found, "CONTRIBUTING.md has no list of packages")
	rows, _, _ = strings.Cut(rows, "\n## ")
	for _, row := range listed.FindAllStringSubmatch(rows, -1) {
		for _, name := range quoted.FindAllStringSubmatch(row[1], -1) {
			switch {
			case strings.HasPrefix(name[1], "internal/"):
				floors = append(floors, name[1])
				packages = append(packages, name[1])
			case len(floors) > 0:
				packages = append(packages, path.Join(floors[len(floors)-1], name[1]))
			}
		}
	}
	return packages, floors
}

// imports returns the imports of internal by the files of each package, on every platform, without the tests.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "internal"),
		func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			folder, err := filepath.Rel(root, filepath.Dir(name))
			if err != nil {
				return err
			}
			folder = filepath.ToSlash(folder)
			found := all[folder]
			for _, spec := range file.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return err
				}
				if name, ours := strings.CutPrefix(imported, module); ours {
					found = append(found, name)
				}
			}
			all[folder] = found
			return nil
		}))
	return all
}

// floorOf returns the place of the package's floor from the top down.
func floorOf(t *testing.T, floors []string, name string) int {
	t.Helper()
	at := slices.IndexFunc(floors, func(floor string) bool { return name == floor || strings.HasPrefix(name, floor+"/") })
	require.GreaterOrEqual(t, at, 0, "%s is on no floor: add it to the list of packages in CONTRIBUTING.md", name)
	return at
}

// A package imports only from floors below its own, and from its own folder.
func TestImportsGoDown(t *testing.T) {
	_, floors := list(t)
	for name, imported := range imports(t) {
		for _, other := range imported {
			require.LessOrEqual(t, floorOf(t, floors, name), floorOf(t, floors, other),
				"%s imports %s, which is on a floor above it", name, other)
		}
	}
}

// The list has exactly one row for each package.
func TestEachPackageHasARow(t *testing.T) {
	packages, floors := list(t)
	all := imports(t)
	for name := range all {
		require.Contains(t, packages, name, "add %s to the list of packages in CONTRIBUTING.md", name)
	}
	for i, name := range packages {
		require.NotContains(t, packages[:i], name, "the list of packages in CONTRIBUTING.md has two rows for %s", name)
		if slices.Contains(floors, name) {
			require.DirExists(t, filepath.Join(root, name), "the list of packages in CONTRIBUTING.md has a floor %s", name)
			continue
		}
		require.Contains(t, all, name, "the list of packages in CONTRIBUTING.md has a row for %s, which is no package", name)
	}
}

// A program with the package plot of gonum contains twelve fonts, 4 MB, and reads all at its start.
func TestNoPlotOfGonum(t *testing.T) {
	list := exec.Command(need.Program(t, "go"), "list", "-deps", ".")
	list.Dir = root
	packages, err := list.Output()
	require.NoError(t, err)
	require.NotContains(t, strings.Fields(string(packages)), "gonum.org/v1/plot", "internal/show/picture has plots")
}

// Every command pays for the allocations that packages make at their start. The expressions of the kernel log were
// 2,000 allocations.
func TestPackagesStartWithFewAllocations(t *testing.T) {
	command := exec.Command(need.Timebench(t), "version")
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	trace, err := command.CombinedOutput()
	require.NoError(t, err)
	started := regexp.MustCompile(`(?m)^init (`+regexp.QuoteMeta(module)+
		`\S+) .* (\d+) allocs$`).FindAllStringSubmatch(string(trace), -1)
	require.Greater(t, len(started), 10, "%s", trace)
	for _, of := range started {
		allocations, err := strconv.Atoi(of[2])
		require.NoError(t, err)
		require.LessOrEqual(t, allocations, 500, "%s: compile expressions and make tables when they are first needed", of[1])
	}
}

// A measurement has tests of its own: the tests of the formats show a made section, however it was measured.
func TestEachMeasurementHasTests(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(root, "internal/measurement/*/"))
	require.NoError(t, err)
	require.Greater(t, len(folders), 6)
	test := regexp.MustCompile(`(?m)^func Test`)
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		require.NoError(t, err)
		has := slices.ContainsFunc(files, func(name string) bool {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			return test.Match(text)
		})
		assert.True(t, has, "%s has no test: plant what it measures, and require that figure", filepath.Base(folder))
	}
}
