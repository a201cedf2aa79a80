package attachment

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
	"golang.org/x/sys/unix"
)

// factsOf returns the facts in the files of a machine and in lines of its log. Package host reads the files below a
// root, so they are in a private folder for that time.
func factsOf(files map[string][]byte, lines []string) (result.Host, error) {
	root, err := os.MkdirTemp("", "timebench-attachment-")
	if err != nil {
		return result.Host{}, err
	}
	defer func() { _ = os.RemoveAll(root) }()
	const byTheKernel = "<6>" // its priority, without which a line may be of a program
	all := map[string][]byte{"var/log/dmesg": []byte(byTheKernel + strings.Join(lines, "\n"+byTheKernel) + "\n")}
	for name, content := range files {
		all[name] = content
	}
	for name, content := range all {
		at := filepath.Join(root, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(at), 0o700)
		if err == nil {
			err = os.WriteFile(at, content, 0o600)
		}
		// Only a made-up archive has a name that is too long, or that of a folder. The facts do without it.
		if err != nil && !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.EISDIR) && !errors.Is(err, unix.ENAMETOOLONG) {
			return result.Host{}, err
		}
	}
	return host.At(root), nil
}
