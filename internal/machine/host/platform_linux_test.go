package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServiceManager(t *testing.T) {
	for _, known := range serviceManagers {
		require.Equal(t, known.name, serviceManager(rooted(t, map[string]string{known.folder + "/x": ""})))
	}
	require.Empty(t, serviceManager(rooted(t, map[string]string{"run/openrc": "a file"})))
	require.Empty(t, serviceManager(t.TempDir()))
}

func TestBootTools(t *testing.T) {
	root := rooted(t, map[string]string{"usr/sbin/grub-mkconfig": "", "usr/sbin/update-grub": "", "usr/bin/other": ""})
	require.Equal(t, []string{"update-grub", "grub-mkconfig"}, bootTools(root))
	require.NoError(t, os.Symlink("/nowhere", filepath.Join(root, "usr/sbin/grubby")))
	require.Equal(t, []string{"grubby", "update-grub", "grub-mkconfig"}, bootTools(root))
	require.Empty(t, bootTools(t.TempDir()))
}

func TestWSL(t *testing.T) {
	own := rooted(t, map[string]string{"run/WSL/1_interop": ""})
	for _, c := range []struct {
		root, kernel string
		want         int
	}{
		{"/nowhere", "4.4.0-19041-Microsoft", 1},
		{own, "4.4.0-19041-Microsoft", 1},
		{"/nowhere", "5.15.90.1-microsoft-standard-WSL2", 2},
		{"/nowhere", "4.19.104-microsoft-standard", 2},
		{own, "6.6.36-mine", 2},
		{"/nowhere", "5.15.0-1075-azure", 0},
		{"/nowhere", "6.6.51.1-5.azl3", 0},
		{"/nowhere", "", 0},
	} {
		require.Equal(t, c.want, wsl(c.root, c.kernel), c.kernel)
	}
}

func TestContainer(t *testing.T) {
	const another = "[4026532000]"
	for name, c := range map[string]struct {
		pid, cgroup, file string
		wsl               int
		want              string
	}{
		"a machine":                              {initialPIDNamespace, initialCgroupNamespace, "", 0, ""},
		"a machine from an image":                {initialPIDNamespace, initialCgroupNamespace, ".dockerenv", 0, ""},
		"Docker":                                 {"pid:" + another, "cgroup:" + another, ".dockerenv", 0, "docker"},
		"Docker with control groups of the host": {"pid:" + another, initialCgroupNamespace, ".dockerenv", 0, "docker"},
		"Docker in WSL":                          {"pid:" + another, "cgroup:" + another, ".dockerenv", 2, "docker"},
		"containerd":                             {"pid:" + another, "cgroup:" + another, "", 0, "unknown"},
		"systemd-nspawn":                         {"pid:" + another, "cgroup:" + another, "run/systemd/container", 0, "systemd-nspawn"},
		"unshare --pid":                          {"pid:" + another, initialCgroupNamespace, "", 0, ""},
		"a service with control groups of its own": {initialPIDNamespace, "cgroup:" + another, "", 0, ""},
		"WSL":          {"pid:" + another, "cgroup:" + another, "", 2, ""},
		"old kernel":   {"pid:" + another, "", "", 0, ""},
		"no namespace": {"", "", ".dockerenv", 0, ""},
	} {
		root := rooted(t, map[string]string{"proc/self/ns/net": ""})
		for kind, namespace := range map[string]string{"pid": c.pid, "cgroup": c.cgroup} {
			if namespace != "" {
				require.NoError(t, os.Symlink(namespace, filepath.Join(root, "proc/self/ns", kind)))
			}
		}
		if c.file != "" {
			writeFile(t, root, c.file, []byte(c.want)) // only systemd's has a text
		}
		require.Equal(t, c.want, container(root, c.wsl), name)
	}
}

// A pod under containerd has no mark, and may share the PID namespace of its node.
func TestPod(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1")
	facts := Facts()
	require.Equal(t, "kubernetes", facts.Container)
	require.False(t, facts.NoModules, "the files of an image say nothing about the kernel")
	require.Empty(t, container(t.TempDir(), 0), "a recorded machine")
}

func TestGovernors(t *testing.T) {
	root := t.TempDir()
	require.Nil(t, governors(root))
	for name, text := range map[string]string{
		"cpu0": "schedutil\n", "cpu1": "performance\n", "cpu12": "schedutil\n", "cpu2": "", "cpu3": "\x00\x01",
	} {
		writeFile(t, root, "sys/devices/system/cpu/"+name+"/cpufreq/scaling_governor", []byte(text))
	}
	require.Equal(t, []string{"performance", "schedutil"}, governors(root))
}
