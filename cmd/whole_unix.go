//go:build !windows

package cmd

import "github.com/google/renameio/v2"

// writeWhole writes a file whole or not at all: into a new one beside it, which
// then takes its name.
func writeWhole(path string, content []byte) error {
	return renameio.WriteFile(path, content, 0o644)
}
