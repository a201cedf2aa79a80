// Command notices writes the licences of what a release's binaries hold beside timebench: Go, the modules, the fonts.
// Most of them must be distributed with the binary. The arguments are the platforms, such as linux_amd64. It fails
// where a module has no licence.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

type part struct {
	name, version string
	files         fs.FS
	folders       []string // of the packages that are linked
}

// licence matches the names of files that are licences, and of folders that hold some.
var licence = regexp.MustCompile(`(?i)^(third_party_|un)?(licen[cs]es?|notices?|copying|copyright|patents|ofl)([-._].*)?$`)

// remarks are what a licence requires beside its text, by the part's name.
var remarks = map[string]string{
	"github.com/ajstarks/svgo":   "By Anthony Starks, https://github.com/ajstarks/svgo, unchanged.",
	"github.com/golang/freetype": "Under the FreeType License: based in part on the work of the FreeType Team.",
}

// notChosen is FreeType's other licence.
const notChosen = "gpl.txt"

const head = `timebench is under the MIT licence. Its programs also hold what is named here, each part
under its own licence, which follows as the part has it. Some parts are in the programs
for some systems only.
`

func main() {
	text, err := notices(os.Args[1:])
	if err == nil {
		_, err = os.Stdout.WriteString(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func notices(targets []string) (string, error) {
	itself, err := language()
	if err != nil {
		return "", err
	}
	linked, err := modules(targets)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	all.WriteString(head)
	for _, p := range append([]part{itself}, linked...) {
		text, err := section(p)
		if err != nil {
			return "", err
		}
		all.WriteString(text)
	}
	return all.String(), nil
}

func language() (part, error) {
	out, err := exec.Command("go", "env", "GOVERSION", "GOROOT").Output()
	if err != nil {
		return part{}, fmt.Errorf("go env: %w", err)
	}
	version, root, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return part{name: "go", version: strings.TrimPrefix(version, "go"), files: os.DirFS(root), folders: []string{"."}}, nil
}

// listed is what go list prints of a package: its module, and the folders of both; nothing without a module.
const listed = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}"

func modules(targets []string) ([]part, error) {
	if len(targets) == 0 {
		return nil, errors.New("name the platforms, such as linux_amd64; got none")
	}
	found := map[string]part{}
	for _, target := range targets {
		system, architecture, ok := strings.Cut(target, "_")
		if !ok {
			return nil, fmt.Errorf("%q is no platform such as linux_amd64", target)
		}
		list := exec.Command("go", "list", "-deps", "-f", listed, ".")
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+architecture)
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", target, err)
		}
		for line := range strings.FieldsFuncSeq(string(out), func(r rune) bool { return r == '\n' }) {
			of := strings.Split(line, "\t")
			p, ok := found[of[0]]
			if !ok {
				p = part{name: of[0], version: of[1], files: os.DirFS(of[2])}
			}
			folder, err := filepath.Rel(of[2], of[3])
			if err != nil {
				return nil, fmt.Errorf("a package of %s: %w", of[0], err)
			}
			p.folders = append(p.folders, filepath.ToSlash(folder))
			found[of[0]] = p
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b part) int { return strings.Compare(a.name, b.name) }), nil
}

func section(p part) (string, error) {
	names, err := licences(p)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n\n== %s %s\n", p.name, p.version)
	if remark := remarks[p.name]; remark != "" {
		fmt.Fprintf(&b, "\n%s\n", remark)
	}
	for _, name := range names {
		text, err := fs.ReadFile(p.files, name)
		if err != nil {
			return "", fmt.Errorf("a licence of %s %s: %w", p.name, p.version, err)
		}
		if !utf8.Valid(text) {
			if text, err = charmap.ISO8859_1.NewDecoder().Bytes(text); err != nil {
				return "", fmt.Errorf("a licence of %s %s: %s: %w", p.name, p.version, name, err)
			}
		}
		body := strings.Trim(strings.ReplaceAll(string(text), "\r", ""), "\n")
		if strings.TrimSpace(body) == "" {
			return "", fmt.Errorf("a licence of %s %s is empty: %s", p.name, p.version, name)
		}
		fmt.Fprintf(&b, "\n-- %s\n\n%s\n", name, body)
	}
	return b.String(), nil
}

// licences returns the paths of a part's licences, sorted. A package may have its own, in its folder or above.
func licences(p part) ([]string, error) {
	found := map[string]bool{}
	seen := map[string]bool{}
	for _, folder := range p.folders {
		for ; !seen[folder]; folder = path.Dir(folder) {
			seen[folder] = true
			if err := gather(p.files, folder, found); err != nil {
				return nil, fmt.Errorf("%s %s: %w", p.name, p.version, err)
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s %s has no licence: no file of a name such as LICENSE", p.name, p.version)
	}
	return slices.Sorted(maps.Keys(found)), nil
}

func gather(files fs.FS, folder string, found map[string]bool) error {
	return fs.WalkDir(files, folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || name == folder:
			return err
		case entry.IsDir() && !licence.MatchString(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || strings.HasSuffix(name, ".go") || entry.Name() == notChosen:
			return nil
		}
		if path.Dir(name) != folder || licence.MatchString(entry.Name()) {
			found[name] = true
		}
		return nil
	})
}
