//go:build !windows

package runtimes

// pythonLauncher is empty: only Windows has one.
var pythonLauncher []string
