package attachment

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

const (
	// maxText is the max size of a log, and of all files that are kept of an archive, in bytes.
	maxText = 64 << 20
	// maxUnpacked is the max size of an archive without its compression, in bytes. Most of it is skipped.
	maxUnpacked = 1 << 30
	// maxSeconds is the max CPU time, or the max elapsed time where the CPU time of the process is unknown.
	maxSeconds = 10
	// maxWindow is the max memory of a decompressor, in bytes. The tools' highest levels need as much.
	maxWindow = 64 << 20
	// maxMemory is the target of the garbage collector, in bytes: without it, the memory grows to twice a window.
	maxMemory = 80 << 20
)

// ErrUnknown is the error for an attachment of another kind.
var ErrUnknown = errors.New("is neither a timebench document nor a kernel log with lines about clocks (dmesg, journalctl -k -b), nor the files of a machine (sosreport)")

// errCutOff is the error for an archive whose last files may be missing, the log among them.
var errCutOff = errors.New("is cut off: its end is missing; give the whole file, or unpack it and give the folder")

// errSpent begins the errors for an attachment that takes more than its budget.
var errSpent = errors.New("takes more than")

var errTooLarge = fmt.Errorf("has more than %d MiB of text", maxText>>20)

// A budget is the limit for all files of an attachment together.
type budget struct {
	bytes int64   // that may still be read
	until float64 // the reading of spent at which the time is over, in seconds
	spent func() float64
}

func newBudget() *budget {
	return &budget{maxUnpacked, spentSeconds() + maxSeconds, spentSeconds}
}

// over returns a reader that ends with an error when the budget is spent.
func (b *budget) over(r io.Reader) io.Reader { return &bounded{b, r} }

type bounded struct {
	*budget
	r io.Reader
}

func (b *bounded) Read(to []byte) (int, error) {
	switch {
	case b.bytes <= 0:
		return 0, fmt.Errorf("%w %d MiB to read", errSpent, maxUnpacked>>20)
	case b.spent() > b.until:
		return 0, fmt.Errorf("%w %d s of CPU time to read", errSpent, maxSeconds)
	}
	n, err := b.r.Read(to[:min(int64(len(to)), b.bytes)])
	b.bytes -= int64(n)
	if errors.Is(err, io.ErrUnexpectedEOF) { // of a decompressor
		err = errCutOff
	}
	return n, err
}

func document(facts result.Host) *result.Document {
	return &result.Document{
		Schema: result.Schema, GeneratedAt: time.Now().UTC().Truncate(time.Second), Host: facts,
		Settings: result.Settings{Pin: "none", Workers: "threads"},
		Sections: []result.Section{&compare.Costs{Clocks: []compare.Clock{}}},
	}
}
