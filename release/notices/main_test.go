package main

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// tree returns files with these texts, by path.
func tree(texts map[string]string) fstest.MapFS {
	files := fstest.MapFS{}
	for name, text := range texts {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

func TestLicencesLieInTheFoldersOfWhatIsLinkedAndAbove(t *testing.T) {
	files := tree(map[string]string{
		"LICENSE": "x", "NOTICE.txt": "x", "License-fonts.md": "x", "README.md": "x", "license.go": "x",
		"THIRD_PARTY_LICENSES/Sun": "x", "licenses/ftl.txt": "x", "licenses/gpl.txt": "x",
		"a/b/COPYING": "x", "a/UNLICENSE": "x", "a/b/c/LICENSE": "x", "testdata/LICENSE": "x",
	})
	found, err := licences(part{name: "m", files: files, folders: []string{"a/b", "."}})
	require.NoError(t, err)
	require.Equal(t, []string{"LICENSE", "License-fonts.md", "NOTICE.txt", "THIRD_PARTY_LICENSES/Sun",
		"a/UNLICENSE", "a/b/COPYING", "licenses/ftl.txt"}, found)
}

// A section has the lines of a licence in UTF-8 and the remark that the licence requires.
func TestSection(t *testing.T) {
	files := tree(map[string]string{"LICENSE": "\r\nCopyright \xa9 one\r\n\r\n", "NOTICE": "© two"})
	text, err := section(part{name: "github.com/golang/freetype", version: "v1", files: files, folders: []string{"."}})
	require.NoError(t, err)
	require.Equal(t, "\n\n== github.com/golang/freetype v1\n\n"+remarks["github.com/golang/freetype"]+
		"\n\n-- LICENSE\n\nCopyright © one\n\n-- NOTICE\n\n© two\n", text)
}

func TestSectionRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		file, text, folder, want string
	}{
		"no licence":             {file: "README", text: "x", folder: ".", want: "m v1 has no licence"},
		"only another package's": {file: "testdata/LICENSE", text: "x", folder: ".", want: "m v1 has no licence"},
		"an empty one":           {file: "LICENSE", text: " \n", folder: ".", want: "m v1 is empty: LICENSE"},
		"a package elsewhere":    {file: "LICENSE", text: "x", folder: "../n", want: "m v1: open ../n"},
		"a folder that is gone":  {file: "LICENSE", text: "x", folder: "a", want: "m v1: open a"},
	} {
		_, err := section(part{name: "m", version: "v1", files: tree(map[string]string{c.file: c.text}), folders: []string{c.folder}})
		require.ErrorContains(t, err, c.want, name)
	}
}

func TestModulesRefusesWhatIsNoPlatform(t *testing.T) {
	_, err := modules(nil)
	require.ErrorContains(t, err, "got none")
	_, err = modules([]string{"linux"})
	require.ErrorContains(t, err, `"linux" is no platform`)
}
