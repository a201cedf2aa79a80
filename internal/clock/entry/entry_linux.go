package entry

import (
	"fmt"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// Of returns a verdict for each read, in order.
func Of(reads []Read) []Verdict { return of(reads, installFilter) }

// of uses a seccomp filter if install succeeds, and otherwise compares CPU time and cost.
func of(reads []Read, install func(buffer *[2]int64) error) []Verdict {
	if len(reads) == 0 {
		return nil
	}
	verdicts := make([]Verdict, len(reads))
	var refused error
	err := thread.Run(thread.Any, func() {
		p := probe{new([2]int64)}
		if refused = install(p.buffer); refused == nil {
			refused = p.control()
		}
		for i, read := range reads {
			if refused == nil {
				verdicts[i] = p.prove(read)
			}
		}
	})
	if err == nil {
		err = refused
	}
	if err == nil {
		debuglog.Printf("entry", "%d reads tested with a seccomp filter", len(reads))
		return verdicts
	}
	debuglog.Printf("entry", "no seccomp filter: %v; comparing CPU time and cost", err)
	s := calibrate()
	debuglog.Printf("entry", "a system call costs %.3g ns, share of system time %.2g; an empty call %.3g ns, %.2g",
		s.call.readNS, s.call.systemShare, s.empty.readNS, s.empty.systemShare)
	for i, read := range reads {
		verdicts[i] = s.judge(spend(read, actual, s.patience()))
		if verdicts[i].Enters == result.Unknown {
			verdicts[i].By = fmt.Sprintf("no seccomp filter (%v), and CPU time and cost are inconclusive", err)
		}
	}
	return verdicts
}
