//go:build !windows && !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd

package cmd

import "os"

// lockFolder does nothing: folders have no locks here.
func lockFolder(*os.Root) (unlock func()) { return func() {} }
