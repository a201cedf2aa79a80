//go:build !windows

package cmd

import "fmt"

// cannotReplace returns the error for a file that cannot be replaced.
func cannotReplace(path string, err error) error {
	return fmt.Errorf("%s cannot be replaced: %w", path, systemError(err))
}
