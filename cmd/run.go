package cmd

import (
	"context"
	"errors"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/signals"
	"github.com/timebench/timebench/internal/system/terminal"
)

// run measures until measure is done or a signal comes, and reports what is complete by then. measure returns a nil
// document if there is nothing to report, and a document with an error if a part of it is missing. run returns a
// printed document, even with an error.
func run(to report[*result.Document], measure func(context.Context) (*result.Document,
	error)) (*result.Document, error) {
	ctx, status := signals.Until(to.target.Finish, terminal.SaveMode(to.stderr))
	if err := to.target.Check(); err != nil {
		return nil, refused(err)
	}
	debuglog.Printf("run", "the measurement begins")
	document, failed := measure(ctx)
	if document == nil {
		return nil, couldNot(failed)
	}
	document.Labels, document.Tool.Command = to.labels, to.command
	if err := errors.Join(failed, to.write(document)); err != nil {
		return document, couldNot(err)
	}
	return document, interruption(document, status)
}

// interruption returns a silent failure if a signal ended the run. status is the function that signals.Until returned.
// A signal after the measurement does not count: the exit status and the document agree.
func interruption(d *result.Document, status func() int) error {
	if status := status(); d.Interrupted && status != 0 {
		return &failure{status: status}
	}
	return nil
}

func someAvailable(d *result.Document) error {
	if !slices.ContainsFunc(compare.Of(d).Clocks, func(c compare.Clock) bool { return c.Available }) {
		return couldNot(errors.New("none of the chosen clocks is available here; `timebench list` shows which are"))
	}
	return nil
}
