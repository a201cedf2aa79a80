//go:build !linux

package preload

// InFile returns nothing: this build does not read the libraries of programs.
func InFile() []string { return nil }

// InEnvironment returns nothing: this build does not read the libraries of programs.
func InEnvironment([]string) []string { return nil }
