//go:build !windows

package cmd

import "fmt"

// notReplaced says why a file could not be replaced.
func notReplaced(path string, err error) error {
	return fmt.Errorf("%s cannot be replaced: %w", path, cause(err))
}
