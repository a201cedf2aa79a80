package attachment

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/timebench/timebench/internal/host"
	"github.com/timebench/timebench/internal/result"
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
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return result.Host{}, err
		}
		if err := os.WriteFile(at, content, 0o600); err != nil {
			return result.Host{}, err
		}
	}
	return host.At(root), nil
}
