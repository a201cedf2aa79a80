package host

import (
	"os"
	"path/filepath"
)

// initialPIDNamespace is the PID namespace of the machine itself: PROC_PID_INIT_INO in
// include/linux/proc_ns.h.
const initialPIDNamespace = "pid:[4026531836]"

// container returns the kind of container that this process runs in; "" if none. The files of
// container engines can also be in an image that became a machine, so they count only in
// another PID namespace.
func container(root string) string {
	namespace, err := os.Readlink(filepath.Join(root, "proc/self/ns/pid"))
	if err != nil {
		traceError(err)
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
