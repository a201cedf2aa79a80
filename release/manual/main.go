// Command manual writes timebench's manual pages and shell completions into a folder,
// for the packages of a release. SOURCE_DATE_EPOCH is the pages' date, so that two
// builds of a commit write the same bytes.
package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
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
func pages(root *cobra.Command, folder string, date time.Time) error {
	plain, err := os.MkdirTemp("", "timebench-man-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(plain) }()
	header := &doc.GenManHeader{Section: "1", Source: "timebench", Manual: "timebench", Date: &date}
	if err := doc.GenManTree(root, header, plain); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(plain, "*.1"))
	if err != nil {
		return err
	}
	for _, name := range names {
		page, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		err = create(filepath.Join(folder, filepath.Base(name)+".gz"), func(w io.Writer) error {
			zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
			if err != nil {
				return err
			}
			if _, err := zipped.Write(page); err != nil {
				return err
			}
			return zipped.Close()
		})
		if err != nil {
			return err
		}
	}
	return nil
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
	if err := fill(file); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
