package host

import (
	"os"
	"path/filepath"
)

// initialPIDNamespace is the namespace of the machine itself: PROC_PID_INIT_INO
// of the kernel's include/linux/proc_ns.h.
const initialPIDNamespace = "pid:[4026531836]"

// container names what confines this process. The files that container engines
// leave also lie in images that were made into machines, so they count only in
// a PID namespace of its own.
func container(root string) string {
	namespace, err := os.Readlink(filepath.Join(root, "proc/self/ns/pid"))
	if err != nil {
		gaveUp(err)
		return ""
	}
	if namespace == initialPIDNamespace {
		return ""
	}
	if name := readName(root, "run/systemd/container"); name != "" {
		return name
	}
	for _, mark := range []struct{ file, name string }{{"run/.containerenv", "podman"}, {".dockerenv", "docker"}} {
		if _, err := os.Stat(filepath.Join(root, mark.file)); err == nil {
			return mark.name
		}
	}
	return ""
}
