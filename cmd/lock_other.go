//go:build !windows && !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd

package cmd

// lockFolder does nothing: folders have no locks here.
func lockFolder(string) (unlock func()) { return func() {} }
