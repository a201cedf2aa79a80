//go:build !windows && !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd

package folder

import (
	"os"
)

// Lock does nothing: folders have no locks here.
func Lock(*os.Root) (unlock func()) { return func() {} }
