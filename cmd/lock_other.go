//go:build !windows && !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd

package cmd

// locked does nothing: folders have no locks here.
func locked(string) (unlock func()) { return func() {} }
