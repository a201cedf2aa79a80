// Command manual writes timebench's manual pages and shell completions into a folder,
// for the packages of a release. SOURCE_DATE_EPOCH is the pages' date, so that two
// builds of a commit write the same bytes.
package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/timebench/timebench/cmd"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

func write(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("name one folder; got %d", len(args))
	}
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	root := cmd.Root()
	root.DisableAutoGenTag = true
	if err := pages(root, filepath.Join(args[0], "man"), time.Unix(seconds, 0).UTC()); err != nil {
		return err
	}
	return completions(root, filepath.Join(args[0], "completions"))
}

// pages writes a manual page for each command, compressed as distributions want them.
func pages(command *cobra.Command, folder string, date time.Time) error {
	for _, c := range command.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		if err := pages(c, folder, date); err != nil {
			return err
		}
	}
	name := strings.ReplaceAll(command.CommandPath(), " ", "-") + ".1.gz"
	return create(filepath.Join(folder, name), func(w io.Writer) error {
		zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		header := &doc.GenManHeader{Section: "1", Source: "timebench", Manual: "timebench", Date: &date}
		return errors.Join(doc.GenMan(command, header, zipped), zipped.Close())
	})
}

func completions(root *cobra.Command, folder string) error {
	shells := map[string]func(io.Writer) error{
		"timebench.bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"_timebench":     root.GenZshCompletion,
		"timebench.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"timebench.ps1":  root.GenPowerShellCompletionWithDesc,
	}
	for name, generate := range shells {
		if err := create(filepath.Join(folder, name), generate); err != nil {
			return err
		}
	}
	return nil
}

func create(path string, fill func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(fill(file), file.Close())
}
