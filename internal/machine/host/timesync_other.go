//go:build !linux

package host

import "github.com/timebench/timebench/internal/document/result"

// TimeSync returns nil: this build does not know the state of the wall clock.
func TimeSync() *result.TimeSync { return nil }
