//go:build !linux

package entry

import "github.com/timebench/timebench/internal/document/result"

// Of returns unknown for each read: only Linux has a vDSO and seccomp filters.
func Of(reads []Read) []Verdict {
	verdicts := make([]Verdict, len(reads))
	for i := range verdicts {
		verdicts[i] = Verdict{result.Unknown, "this build cannot test it"}
	}
	return verdicts
}
