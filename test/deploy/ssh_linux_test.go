package deploy

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// machines starts the servers of machines that ssh reaches as node1 to node4, and returns the configuration of ssh and
// its folder.
func machines(t *testing.T) (config, folder string) {
	t.Helper()
	server, keygen := need.Program(t, "sshd"), need.Program(t, "ssh-keygen")
	if os.Geteuid() != 0 {
		need.Missing(t, "root", "sshd wants /run/sshd")
	}
	require.NoError(t, os.MkdirAll("/run/sshd", 0o755))
	folder = t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{"host", "user"} {
		need.Output(t, exec.Command(keygen, "-q", "-t", "ed25519", "-N", "", "-f", at(name)))
	}
	var hosts strings.Builder
	for i := range nodes {
		listen := address(t)
		host, port, err := net.SplitHostPort(listen)
		require.NoError(t, err)
		said := daemon(t, os.Environ(), server, "-D", "-e", "-f", "/dev/null", "-o", "ListenAddress="+listen, "-o",
			"HostKey="+at("host"),
			"-o", "AuthorizedKeysFile="+at("user.pub"), "-o", "StrictModes=no", "-o", "UsePAM=no", "-o", "PidFile=none", "-o",
			"Subsystem=sftp internal-sftp")
		need.Until(t, "sshd", func() bool {
			connection, err := net.Dial("tcp", listen)
			if err == nil {
				_ = connection.Close()
			}
			return err == nil
		}, said.String)
		fmt.Fprintf(&hosts, "Host node%d\n  HostName %s\n  Port %s\n", i+1, host, port)
	}
	fmt.Fprintf(&hosts,
		"Host *\n  User root\n  IdentityFile %s\n  UserKnownHostsFile %s\n"+
			"  StrictHostKeyChecking accept-new\n  BatchMode yes\n",
		at("user"), at("known"))
	config = at("ssh_config")
	require.NoError(t, os.WriteFile(config, []byte(hosts.String()), 0o600))
	return config, folder
}

// quick is a measurement that takes less than the default: all machines are this one.
const quick = "compare --rounds 6 --throughput-time 5ms --threads 1"

// ClusterShell measures on all machines, and leaves a file of each.
func TestClusterShell(t *testing.T) {
	need.Minutes(t)
	clush := need.Program(t, "clush")
	config, folder := machines(t)
	binary, results := need.Timebench(t), filepath.Join(folder, "results")
	need.Output(t, exec.Command(clush, "-w", "node[1-4]", "-o", "-F "+config, "--outdir="+results, "--",
		binary+" "+quick+" --quiet --format json"))
	var files []string
	for i := range nodes {
		files = append(files, filepath.Join(results, fmt.Sprintf("node%d", i+1)))
	}
	requireFleet(t, binary, files...)
}

// The playbook copies timebench to all machines, measures, gathers the results, and leaves nothing there.
func TestAnsible(t *testing.T) {
	need.Minutes(t)
	playbook := need.Program(t, "ansible-playbook")
	config, folder := machines(t)
	binary, results := need.Timebench(t), filepath.Join(folder, "results")
	require.NoError(t, os.Symlink(binary, filepath.Join(folder, "timebench")))
	inventory := filepath.Join(folder, "inventory")
	require.NoError(t, os.WriteFile(inventory,
		[]byte("node1\nnode2\nnode3\nnode4\n[all:vars]\nansible_ssh_common_args=-F "+config+
			"\nansible_python_interpreter=/usr/bin/python3\n"), 0o600))
	prefix := filepath.Base(folder) + "-" + filepath.Base(filepath.Dir(folder)) + "-"
	command := exec.Command(playbook, "-i", inventory, absolute(t, "../../deploy/ansible/measure.yml"),
		"-e", "binary=./timebench", "-e", "results=./results", "-e", "prefix="+prefix, "-e", "command='"+quick+"'")
	command.Dir = folder // the paths are relative to it
	// The connections that ssh keeps hold the output of the playbook open.
	command.Env = append(os.Environ(), "HOME="+folder, "PWD="+folder, "ANSIBLE_PIPELINING=1",
		"ANSIBLE_SSH_ARGS=-o ControlMaster=auto -o ControlPersist=2s")
	need.Output(t, command)
	requireFleet(t, binary, results)
	left, err := filepath.Glob(filepath.Join("/tmp", prefix+"*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
