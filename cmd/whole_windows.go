package cmd

import (
	"os"
	"path/filepath"
)

// writeWhole writes a file whole or not at all: into a new one beside it, which
// then takes its name. os.Rename replaces an existing file here (MoveFileEx with
// MOVEFILE_REPLACE_EXISTING); renameio does not support Windows.
func writeWhole(path string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".timebench-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	if _, err = file.Write(content); err != nil {
		_ = file.Close()
		return err
	}
	if err = file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
