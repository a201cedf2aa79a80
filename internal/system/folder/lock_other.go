//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package folder

import "os"

// lock does nothing: this system has no flock(2).
func lock(*os.Root) (unlock func(), err error) { return func() {}, nil }
