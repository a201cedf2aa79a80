// Package chart draws the picture of the changes between two result documents.
package chart

import (
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/picture"
)

// DiffCharts are the pictures of a diff.
var DiffCharts = []picture.Chart[*diff.Diff]{
	{Name: "change", Title: "Change of the latency of each clock", Drawable: hasChanges, Subtitle: sides, Height: changeHeight, Draw: drawChange},
}
