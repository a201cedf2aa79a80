// Package chart draws the picture of what changed between two result documents.
package chart

import (
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/picture"
)

// DiffCharts are the pictures of a diff.
var DiffCharts = []picture.Chart[*diff.Diff]{
	{Name: "change", Title: "What one read costs now, against before", Drawable: hasChanges, Subtitle: sides, Height: changeHeight, Draw: drawChange},
}
