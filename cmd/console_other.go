//go:build !windows

package cmd

import "os"

// movesCursor reports whether a terminal obeys the escape sequences of progress.
func movesCursor(*os.File) bool { return true }
