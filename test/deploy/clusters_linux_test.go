package deploy

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/test/need"
)

// nodes is the number of nodes of the clusters of the tests. All are this machine.
const nodes = 4

// daemon starts a program that serves in the foreground. The test ends it.
func daemon(t *testing.T, environment []string, program string, args ...string) *bytes.Buffer {
	t.Helper()
	var said bytes.Buffer
	command := exec.CommandContext(t.Context(), program, args...)
	command.Env, command.Stdout, command.Stderr = environment, &said, &said
	require.NoError(t, command.Start())
	t.Cleanup(func() { _ = command.Wait() }) // the context has killed it
	return &said
}

// executable writes a program of the shell.
func executable(t *testing.T, path, script string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700))
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	return path
}

// requireFleet checks that fleet reads the results, and that they are from all nodes.
func requireFleet(t *testing.T, binary string, results ...string) {
	t.Helper()
	out := need.Output(t, exec.Command(binary, append([]string{"fleet", "--format", "csv"}, results...)...))
	for i := range nodes {
		require.Contains(t, string(out), fmt.Sprintf("node%d", i+1))
	}
	files, missing, err := fleet.Find(results, nil)
	require.NoError(t, err)
	require.Empty(t, missing)
	require.Len(t, files, nodes)
}

// Slurm measures each node of a job, and drains the node with slow reads, with the reason.
func TestSlurm(t *testing.T) {
	need.Minutes(t)
	munged, controller, node := need.Program(t, "munged"), need.Program(t, "slurmctld"), need.Program(t, "slurmd")
	srun, sinfo := need.Program(t, "srun"), need.Program(t, "sinfo")
	if os.Geteuid() != 0 {
		need.Missing(t, "root", "slurmd starts jobs for other users")
	}
	folder, err := os.MkdirTemp("", "slurm-*") // short: the socket of munged is in it
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	at := func(name string) string { return filepath.Join(folder, name) }
	real := need.Timebench(t)
	// A fault is planted in node 3: the latency of a read is above its limit.
	executable(t, at("timebench"), `[ "$SLURMD_NODENAME $1" != "node3 doctor" ] || set -- "$@" --fail-above-ns 0.001
exec `+real+` "$@"
`)
	name, err := os.Hostname()
	require.NoError(t, err)
	name, _, _ = strings.Cut(name, ".")
	port := func() string {
		_, port, err := net.SplitHostPort(address(t))
		require.NoError(t, err)
		return port
	}
	var config strings.Builder
	fmt.Fprintf(&config, `ClusterName=test
SlurmctldHost=%s(127.0.0.1)
SlurmctldPort=%s
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=%[3]s/munge.socket
StateSaveLocation=%[3]s/state
SlurmdSpoolDir=%[3]s/spool-%%n
SlurmctldPidFile=%[3]s/slurmctld.pid
SlurmdPidFile=%[3]s/slurmd-%%n.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
HealthCheckProgram=%[3]s/healthcheck
HealthCheckInterval=5
HealthCheckNodeState=ANY
PartitionName=all Nodes=ALL Default=YES State=UP
`, name, port(), folder)
	for i := range nodes {
		fmt.Fprintf(&config, "NodeName=node%d NodeHostname=%s NodeAddr=127.0.0.1 Port=%s CPUs=2 RealMemory=100\n", i+1, name,
			port())
	}
	require.NoError(t, os.WriteFile(at("slurm.conf"), []byte(config.String()), 0o600))
	require.NoError(t, os.WriteFile(at("key"), bytes.Repeat([]byte("key of a test. "), 100), 0o600))
	environment := append(os.Environ(), "SLURM_CONF="+at("slurm.conf"), "PATH="+folder+":"+os.Getenv("PATH"))
	// Slurmd starts a health check with only the node's name in the environment.
	executable(t, at("healthcheck"), "[ -e "+at("check")+" ] || exit 0\nexport SLURM_CONF="+at("slurm.conf")+" PATH="+
		folder+":$PATH\nexec "+absolute(t, "../../deploy/slurm/healthcheck")+"\n")

	said := daemon(t, environment, munged, "--foreground", "--force", "--key-file="+at("key"), "--socket="+
		at("munge.socket"),
		"--pid-file="+at("munged.pid"), "--seed-file="+at("seed"), "--log-file="+at("munged.log"))
	need.Until(t, "munged", func() bool { _, err := os.Stat(at("munge.socket")); return err == nil }, said.String)
	said = daemon(t, environment, controller, "-D")
	for i := range nodes {
		require.NoError(t, os.Mkdir(at(fmt.Sprintf("spool-node%d", i+1)), 0o700))
		daemon(t, environment, node, "-D", "-N", fmt.Sprintf("node%d", i+1))
	}
	ask := func(args ...string) string {
		command := exec.Command(sinfo, args...)
		command.Env = environment
		out, _ := command.CombinedOutput() // it fails until the controller answers
		return string(out)
	}
	need.Until(t, "the nodes of Slurm",
		func() bool { return strings.Count(ask("-h", "-N", "-o", "%N %T"), " idle") == nodes }, said.String)

	results := at("results")
	command := exec.Command(srun, "-N4", "--ntasks-per-node=1", absolute(t, "../../deploy/slurm/measure"), results)
	command.Env = environment
	need.Output(t, command)
	requireFleet(t, real, results)

	require.NoError(t, os.WriteFile(at("check"), nil, 0o600))
	need.Until(t, "the drained node",
		func() bool { return strings.HasPrefix(ask("-h", "-R", "-o", "%N %E"), "node3 timebench: ") }, said.String)
	require.Contains(t, ask("-h", "-R", "-o", "%E"), "an everyday clock costs more than 0.001 ns/read")
	require.Equal(t, nodes-1, strings.Count(ask("-h", "-N", "-o", "%N %T"), " idle"), "the others serve")
}

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
