package entry

import (
	"fmt"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// Of returns a verdict for each read, in order.
func Of(reads []Read) []Verdict { return of(reads, installFilter) }

// of uses a seccomp filter if install succeeds, and otherwise compares costs.
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
	debuglog.Printf("entry", "no seccomp filter: %v; comparing costs", err)
	call := costNS(systemCalls[0].read)
	for i, read := range reads {
		verdicts[i] = judge(costNS(read), call)
		if verdicts[i].Enters == result.Unknown {
			verdicts[i].By = fmt.Sprintf("no seccomp filter (%v), and the cost is inconclusive", err)
		}
	}
	return verdicts
}
