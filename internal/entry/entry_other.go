//go:build !linux || !(amd64 || arm64)

package entry

import "github.com/timebench/timebench/internal/result"

// Of cannot tell: only Linux has a vDSO and a filter to prove it by.
func Of(reads []Read) []Verdict {
	verdicts := make([]Verdict, len(reads))
	for i := range verdicts {
		verdicts[i] = Verdict{result.Unknown, "this build cannot tell"}
	}
	return verdicts
}
