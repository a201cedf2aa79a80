package picture

import (
	"image/color"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func TestLongTextsAreShortened(t *testing.T) {
	text := Style(LabelSize, Black)
	require.Equal(t, "short", Shortened(text, "short", 100*Pixel))
	short := Shortened(text, strings.Repeat("W", 1000), 100*Pixel)
	require.True(t, strings.HasSuffix(short, "…"))
	require.LessOrEqual(t, text.Width(short), 100*Pixel)
	require.Equal(t, "…", Shortened(text, "WWW", vg.Length(1)))
}

// No long text of a document reaches the layout.
func TestTextsOfADocumentAreBounded(t *testing.T) {
	require.Equal(t, "AMD EPYC™", Bounded("AMD EPYC™"))
	require.Equal(t, strings.Repeat("é", Longest)+"…", Bounded(strings.Repeat("é", Longest+1)))
	require.Equal(t, "a b", Bounded("a\x1bb"))
	long := strings.Repeat("W", 1000)
	c := Chart[string]{Subtitle: func(of string) string { return of }, Of: func(of string) Drawing {
		require.Equal(t, Bounded(long), of)
		return Rows{Rows: []Row{{Name: of}}}
	}}
	require.True(t, c.Drawable(long))
	require.NoError(t, c.PNG(io.Discard, long))
	var svg strings.Builder
	require.NoError(t, c.SVG(&svg, long, Width))
	require.NotContains(t, svg.String(), long)
}

// A grey print distinguishes the paths of a system, and the parts of a bar; text in a bar is legible.
func TestPicturesInGrey(t *testing.T) {
	for _, paths := range [][]string{{"vdso", "syscall", "cpu", "go", "mmio"}, // of Linux, Windows and others
		{"winapi", "syscall", "cpu", "go", "memory"}, {"libc", "syscall", "cpu", "go"}} {
		shapes := map[draw.GlyphDrawer]string{}
		for _, path := range paths {
			shape := LookOf(path).Shape
			require.Empty(t, shapes[shape], path)
			shapes[shape] = path
		}
	}
	linear := func(c uint8) float64 {
		v := float64(c) / 255
		if v > 0.03928 {
			return math.Pow((v+0.055)/1.055, 2.4)
		}
		return v / 12.92
	}
	light := func(c color.RGBA) float64 {
		return 0.05 + 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	}
	for i, part := range Parts {
		require.Greater(t, light(part)/light(Inside), 4.5, "%d (WCAG 2)", i)
		if i > 0 {
			one, other := light(part), light(Parts[i-1])
			require.Greater(t, max(one, other)/min(one, other), 1.3, i)
		}
	}
}

// The lines that are aside are grey, and not in the band of another; without other lines they keep their colours.
func TestLinesAsideAreGrey(t *testing.T) {
	named := func(name string, aside bool) Line {
		l := LineOf(name, PathOf(name))
		l.Aside = aside
		return l
	}
	of := func(lines ...Line) []Line {
		return Banded(lines, func(l Line) Line { return l }, func(_, _ Line) bool { return false })
	}
	all := of(named("a@vdso", false), named("b@vdso", true), named("c@vdso", true), named("d@cpu", false))
	require.Len(t, all, 3)
	require.Equal(t, []string{"b@vdso", "c@vdso"}, all[1].names())
	require.Equal(t, LookOf("vdso").Color, all[0].Style.Color)
	require.Equal(t, Grey, all[1].Style.Color)
	require.Equal(t, Grey, all[1].Mark.Color)
	require.Equal(t, LookOf("cpu").Color, all[2].Style.Color)
	require.Equal(t, LookOf("vdso").Color, of(named("b@vdso", true))[0].Style.Color)
}

// On a screen and on a telephone, each row, line, member of a band and mark has its name.
func TestRowsAndGraphsAreNamed(t *testing.T) {
	rows := Rows{Legend: []Entry{{Failed, "entry"}}, Marks: []Mark{{"mark", 20}}, Middle: 30, XLabel: "x", Rows: []Row{{
		Name: "row", Text: "text", Bars: []Bar{{1, 90, Light, "bar"}}, Interval: &Bar{From: 10, To: 40},
		Points: []Point{{At: 20, Glyph: Failed.Glyph(Pixel)}},
	}}}
	line := func(name string, values ...float64) Line {
		l := LineOf(name, "vdso")
		l.At, l.Values = []float64{1, 2, 4}, values
		return l
	}
	lines := Banded([]string{"a@vdso", "b@vdso", "c@cpu"}, func(id string) Line { return line(id, 20, 30, 40) },
		func(_, _ string) bool { return false })
	graph := Graph{Lines: lines, Ideal: line("ideal", 5, 6, 7), Shade: 2, ShadeName: "2 CPUs usable",
		XTicks: ThreadTicks([]int{1, 2, 4}), Word: words.Duration}
	for _, width := range []vg.Length{Width, NarrowWidth} {
		var svg strings.Builder
		for _, of := range []Drawing{rows, graph} {
			require.NoError(t, Chart[string]{
				Title: "Title", Subtitle: func(of string) string { return of }, Of: func(string) Drawing { return of },
			}.SVG(&svg, "the machine", width))
		}
		for _, name := range []string{"row", "text", "bar", "mark 20 ns", "entry", "a@vdso", "b@vdso", "c@cpu", "ideal",
			"2 CPUs usable", "Title", "the machine"} {
			require.Regexp(t, `> ?`+name+` ?<`, svg.String())
		}
	}
}

// An axis from the smallest number on has ticks, and an end.
func TestTicksOfTheSmallestNumber(t *testing.T) {
	for _, low := range []float64{0, math.SmallestNonzeroFloat64, 1e-320} {
		require.NotEmpty(t, LogTicks(func(float64) string { return "" })(low, 1), low)
	}
}
