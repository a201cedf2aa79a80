package host

import (
	"runtime"

	"github.com/timebench/timebench/internal/document/result"
)

func addUserMode(of *result.ClockSource) { addUserTimecounter(of, runtime.GOARCH) }
