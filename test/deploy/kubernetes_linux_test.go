package deploy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"go.yaml.in/yaml/v3"
)

// A manifest is the tested part of an object of Kubernetes.
type manifest struct {
	Kind     string
	Metadata struct{ Name, Namespace string }
	Spec     struct {
		Completions, Parallelism int
		Selector                 struct{ MatchLabels map[string]string }
		Template                 struct {
			Metadata struct {
				Labels, Annotations map[string]string
			}
			Spec pod
		}
	}
}

type pod struct {
	AutomountServiceAccountToken *bool
	HostPID, HostNetwork         bool
	SecurityContext              struct {
		RunAsNonRoot   bool
		RunAsUser      int
		SeccompProfile struct{ Type string }
	}
	Containers []struct {
		Image           string
		Args            []string
		Ports           []struct{ ContainerPort int }
		SecurityContext struct {
			AllowPrivilegeEscalation *bool
			ReadOnlyRootFilesystem   bool
			Privileged               bool
			Capabilities             struct{ Add, Drop []string }
		}
	}
	Volumes []any
}

// printed returns the manifests that a program prints.
func printed(t *testing.T, program string, args ...string) map[string]manifest {
	t.Helper()
	all := map[string]manifest{}
	for documents := yaml.NewDecoder(bytes.NewReader(output(t, program, args...))); ; {
		var raw map[string]any
		err := documents.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		// YAML would need the same tags as JSON, in small letters.
		text, err := json.Marshal(raw)
		require.NoError(t, err)
		var m manifest
		require.NoError(t, json.Unmarshal(text, &m))
		all[m.Kind+" "+m.Metadata.Name] = m
	}
}

// output returns the output of a program that starts in the folder deploy.
func output(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	command := exec.Command(need.Program(t, program), args...)
	command.Dir = "../../deploy"
	return need.Output(t, command)
}

// requireRestricted checks that a pod meets the standard "restricted", that it can write nothing, and that timebench
// accepts its arguments. https://kubernetes.io/docs/concepts/security/pod-security-standards/
func requireRestricted(t *testing.T, p pod) {
	t.Helper()
	require.True(t, p.SecurityContext.RunAsNonRoot)
	require.Positive(t, p.SecurityContext.RunAsUser)
	require.Equal(t, "RuntimeDefault", p.SecurityContext.SeccompProfile.Type)
	require.False(t, p.HostPID || p.HostNetwork)
	require.Empty(t, p.Volumes)
	require.NotNil(t, p.AutomountServiceAccountToken)
	require.False(t, *p.AutomountServiceAccountToken)
	require.Len(t, p.Containers, 1)
	requireAccepted(t, p.Containers[0].Args)
	c := p.Containers[0].SecurityContext
	require.NotNil(t, c.AllowPrivilegeEscalation)
	require.False(t, *c.AllowPrivilegeEscalation || c.Privileged)
	require.True(t, c.ReadOnlyRootFilesystem)
	require.Equal(t, []string{"ALL"}, c.Capabilities.Drop)
	require.Empty(t, c.Capabilities.Add)
}

// requireAccepted checks that timebench accepts the arguments: it refuses only a planted one.
func requireAccepted(t *testing.T, args []string) {
	t.Helper()
	out, err := exec.Command(need.Timebench(t), append(args, "--planted")...).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "unknown flag: --planted", "%q", args)
}

func TestKustomize(t *testing.T) {
	need.Minutes(t)
	base := printed(t, "kubectl", "kustomize", "kubernetes/base")
	require.Contains(t, base, "Namespace timebench")
	watch, ok := base["DaemonSet timebench-watch"]
	require.True(t, ok)
	require.Equal(t, "timebench", watch.Metadata.Namespace)
	require.Equal(t, watch.Spec.Selector.MatchLabels, watch.Spec.Template.Metadata.Labels)
	requireRestricted(t, watch.Spec.Template.Spec)

	measure, ok := printed(t, "kubectl", "kustomize", "kubernetes/measure")["Job timebench-measure"]
	require.True(t, ok)
	require.Equal(t, "timebench", measure.Metadata.Namespace)
	require.Equal(t, measure.Spec.Completions, measure.Spec.Parallelism)
	requireRestricted(t, measure.Spec.Template.Spec)
}

// The chart makes the same objects as kustomize, and a monitor on request.
func TestHelm(t *testing.T) {
	need.Minutes(t)
	output(t, "helm", "lint", "--strict", "helm/timebench")
	base := printed(t, "kubectl", "kustomize", "kubernetes/base")["DaemonSet timebench-watch"]
	chart := printed(t, "helm", "template", "clocks", "helm/timebench")
	require.Len(t, chart, 1)
	watch := chart["DaemonSet clocks-watch"]
	requireRestricted(t, watch.Spec.Template.Spec)
	require.Equal(t, base.Spec.Template.Spec.SecurityContext, watch.Spec.Template.Spec.SecurityContext)
	require.Equal(t, base.Spec.Template.Metadata.Annotations, watch.Spec.Template.Metadata.Annotations)
	require.Equal(t, base.Spec.Template.Spec.Containers[0].Image, watch.Spec.Template.Spec.Containers[0].Image)
	require.Equal(t, watch.Spec.Selector.MatchLabels, watch.Spec.Template.Metadata.Labels)

	set := printed(t, "helm", "template", "clocks", "helm/timebench", "--set",
		"podMonitor.enabled=true,podMonitor.labels.release=x,port=9200,every=1m,image.tag=1.2.3")
	require.Contains(t, set, "PodMonitor clocks-watch")
	container := set["DaemonSet clocks-watch"].Spec.Template.Spec.Containers[0]
	require.Equal(t, 9200, container.Ports[0].ContainerPort)
	require.Contains(t, container.Args, "0.0.0.0:9200")
	require.Contains(t, container.Args, "1m")
	require.Equal(t, "ghcr.io/timebench/timebench:1.2.3", container.Image)
}

// Kubectl-validate has the schemas of Kubernetes, and refuses a key that they do not have.
func TestSchemasOfKubernetes(t *testing.T) {
	validate := need.Program(t, "kubectl-validate")
	check := func(manifests []byte) (string, error) {
		file := filepath.Join(t.TempDir(), "manifests.yaml")
		require.NoError(t, os.WriteFile(file, manifests, 0o600))
		out, err := exec.Command(validate, file).CombinedOutput()
		return string(out), err
	}
	for _, made := range [][]string{
		{"kubectl", "kustomize", "kubernetes/base"},
		{"kubectl", "kustomize", "kubernetes/measure"},
		{"helm", "template", "clocks", "helm/timebench"},
	} {
		manifests := output(t, made[0], made[1:]...)
		out, err := check(manifests)
		require.NoError(t, err, "%q: %s", made, out)

		planted := bytes.ReplaceAll(manifests, []byte("readOnlyRootFilesystem"), []byte("readOnlyRootFileSystem"))
		out, err = check(planted)
		require.Error(t, err, "%q", made)
		require.Contains(t, out, "readOnlyRootFileSystem: Invalid value: value provided for unknown field")
	}
}

// Node-problem-detector starts the programs of its configuration, and reads max_output_length characters of a line. It
// uses the same statuses as timebench: 0 is well, 1 a problem, others unknown.
func TestNodeProblemDetector(t *testing.T) {
	need.Minutes(t)
	var config struct {
		PluginConfig struct {
			Timeout         string
			MaxOutputLength int `json:"max_output_length"`
		}
		Rules []struct {
			Path string
			Args []string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, "../../deploy/kubernetes/node-problem-detector/timebench.json")),
		&config))
	require.Len(t, config.Rules, 1)
	requireAccepted(t, config.Rules[0].Args)
	out, err := exec.Command(need.Timebench(t), config.Rules[0].Args...).Output()
	var status *exec.ExitError
	require.True(t, err == nil || errors.As(err, &status) && status.ExitCode() == 1, "%v", err)
	require.LessOrEqual(t, len(bytes.TrimSpace(out)), config.PluginConfig.MaxOutputLength)
	require.NotContains(t, string(bytes.TrimSpace(out)), "\n")
}
