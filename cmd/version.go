package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/document/result"
)

// version is the release. The linker sets it when a release is built.
var version = "0.1.0-dev"

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of timebench",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(command.OutOrStdout(), versionLine())
			return couldNot(err)
		},
	}
}

func versionLine() string {
	t := tool()
	text := "timebench " + t.Version
	if t.Revision != "" {
		text += " (" + t.Revision + ")"
	}
	return fmt.Sprintf("%s %s %s/%s", text, t.Go, runtime.GOOS, runtime.GOARCH)
}

// tool returns the facts of this build. The revision is from the go command.
func tool() result.Tool {
	t := result.Tool{Version: version, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return t
	}
	// go install MODULE@VERSION has no repository, but a version that may end in the commit.
	if parts := strings.Split(info.Main.Version, "-"); len(parts) >= 3 {
		t.Revision, _, _ = strings.Cut(parts[len(parts)-1], "+")
	}
	modified := false
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			t.Revision = setting.Value[:min(len(setting.Value), 12)]
		case "vcs.modified":
			modified = setting.Value == "true"
		}
	}
	if modified && t.Revision != "" {
		t.Revision += "+changes"
	}
	return t
}
