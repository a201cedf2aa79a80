package host

import (
	"os"
	"path/filepath"
	"strings"
)

// serviceManagers are programs that start services, by the folder that each makes at its start: sd_booted(3)
// for systemd.
var serviceManagers = []struct{ folder, name string }{
	{"run/systemd/system", "systemd"}, {"run/openrc", "openrc"}, {"run/runit", "runit"},
}

func serviceManager(root string) string {
	for _, known := range serviceManagers {
		if info, err := os.Lstat(filepath.Join(root, known.folder)); err == nil && info.IsDir() {
			return known.name
		}
	}
	return ""
}

// bootPrograms are programs that write the kernel command line, the one that a distribution recommends before those that
// it builds on.
var bootPrograms = []string{
	"rpm-ostree", "transactional-update", "kernelstub", "grubby", "update-bootloader", "update-grub", "grub2-mkconfig", "grub-mkconfig",
}

func bootTools(root string) []string {
	var found []string
	for _, name := range bootPrograms {
		for _, folder := range []string{"usr/sbin", "usr/bin", "sbin", "bin"} {
			if _, err := os.Lstat(filepath.Join(root, folder, name)); err == nil {
				found = append(found, name)
				break
			}
		}
	}
	return found
}

// wsl returns the version of the Windows Subsystem for Linux; 0 outside of it. WSL 1 translates system calls, and
// reports Linux 4.4.0-19041-Microsoft. WSL 2 runs 5.15.90.1-microsoft-standard-WSL2, or a kernel of the user's own, but
// mounts /run/WSL.
func wsl(root, kernel string) int {
	const ownKernel = "run/WSL"
	_, err := os.Lstat(filepath.Join(root, ownKernel))
	switch {
	case strings.HasPrefix(kernel, "4.4.") && strings.HasSuffix(kernel, "-Microsoft"):
		return 1
	case err == nil || strings.Contains(strings.ToLower(kernel), "-microsoft-standard"):
		return 2
	default:
		return 0
	}
}
