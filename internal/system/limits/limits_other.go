//go:build unix && !linux

package limits

func check() error { return checkFiles() }
