package cmd

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/document/result"
)

// labelsVariable is the environment variable with the labels of all runs, between commas.
const labelsVariable = "TIMEBENCH_LABELS"

func addLabelFlag(command *cobra.Command, flags *reportFlags) {
	command.Flags().StringArrayVar(&flags.labels, "label", nil, "put this `key=value` into the document, such as host=web1; may be repeated (also "+labelsVariable+", between commas)")
}

// labelled returns the labels of the command line, or else those of the environment.
func (flags *reportFlags) labelled() ([]string, error) {
	labels, from := flags.labels, "--label"
	if len(labels) == 0 {
		from = labelsVariable
		for label := range strings.SplitSeq(os.Getenv(labelsVariable), ",") {
			if label = strings.TrimSpace(label); label != "" {
				labels = append(labels, label)
			}
		}
	}
	if err := result.CheckLabels(labels); err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return labels, nil
}
