//go:build !linux && !windows && !(darwin && (amd64 || arm64))

package host

import "github.com/timebench/timebench/internal/document/result"

func macOS() *result.MacOS { return nil }
