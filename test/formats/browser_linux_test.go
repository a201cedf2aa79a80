package formats

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/made"
	"github.com/timebench/timebench/test/need"
)

// reports makes a report and a diff with the real program, from results that do not depend on this machine, and returns
// their folders.
func reports(t *testing.T) (report, diff string) {
	t.Helper()
	need.Minutes(t)
	need.Program(t, "chromium")
	timebench, folder := need.Timebench(t), t.TempDir()
	report, diff = filepath.Join(folder, "report"), filepath.Join(folder, "diff")
	var results []string
	documents, _ := made.Fleet(2, 0, 1)
	for i, d := range documents {
		var text bytes.Buffer
		require.NoError(t, d.Write(&text))
		results = append(results, filepath.Join(folder, strconv.Itoa(i)+".json"))
		require.NoError(t, os.WriteFile(results[i], text.Bytes(), 0o600))
	}
	for _, args := range [][]string{{"render", results[0], "--out", report},
		{"diff", results[0], results[1], "--out", diff}} {
		need.Output(t, exec.Command(timebench, args...))
	}
	return report, diff
}

const (
	firstColumn  = `Array.from(document.querySelector("table.sortable").tBodies[0].rows, r => r.cells[0].textContent)`
	secondColumn = `Array.from(document.querySelector("table.sortable").tBodies[0].rows,
		r => parseFloat(r.cells[1].textContent.replace(",", "")))`
	// outside counts the texts that extend beyond their picture.
	outside = `Array.from(document.querySelectorAll("figure svg")).reduce((n, svg) => {
		const box = svg.getBoundingClientRect();
		return n + Array.from(svg.querySelectorAll("text")).filter(t => {
			const r = t.getBoundingClientRect();
			return r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 1 || r.bottom > box.bottom + 1;
		}).length;
	}, 0)`
)

func TestReportInABrowser(t *testing.T) {
	report, diff := reports(t)
	tab := open(t, filepath.Join(report, "report.html"))

	require.Greater(t,
		get[int](tab,
			`Array.from(document.querySelectorAll("figure svg")).filter(s => s.getBoundingClientRect().height > 200).length`),
		2, "pictures")
	require.Zero(t, get[int](tab, outside), "texts that stick out of a picture")
	require.Greater(t, get[int](tab, `document.querySelectorAll("table.sortable").length`), 1, "tables")

	// Sorting, by a click and by the keyboard: text, then figures both ways.
	tab.click(`table.sortable th:nth-child(1) button`)
	ids := get[[]string](tab, firstColumn)
	// Beyond the first letter, the order depends on the reader's language.
	require.True(t, slices.IsSortedFunc(ids,
		func(a, b string) int { return strings.Compare(strings.ToLower(a[:1]), strings.ToLower(b[:1])) }), ids)
	tab.click(`table.sortable th:nth-child(2) button`)
	costs := get[[]float64](tab, secondColumn)
	require.True(t, slices.IsSorted(costs), costs)
	require.Equal(t, "ascending", get[string](tab,
		`document.querySelector("table.sortable th:nth-child(2)").getAttribute("aria-sort")`))
	tab.enter(`table.sortable th:nth-child(2) button`)
	costs = get[[]float64](tab, secondColumn)
	slices.Reverse(costs)
	require.True(t, slices.IsSorted(costs), costs)

	requireLooks(t, tab, "report")

	tab = open(t, filepath.Join(diff, "diff.html"))
	require.Positive(t, get[int](tab, `document.querySelectorAll("figure").length`))
	require.Zero(t, get[int](tab, outside), "texts that stick out of a picture")
	requireLooks(t, tab, "diff")
}

// A column is sorted by its figures, whatever unit, sign or CPU stands beside them. Each sort reverses the next column.
func TestFiguresAreSorted(t *testing.T) {
	script, err := os.ReadFile("../../internal/report/render/page.js")
	require.NoError(t, err)
	const page = `<!DOCTYPE html><meta charset="utf-8"><table class="sortable"><thead><tr><th>a</th><th>b</th><th>c</th></tr></thead><tbody>
		<tr><td>-</td><td>2: -</td><td>-</td></tr>
		<tr><td>≈ 1.2 M/s</td><td>1: 44.6 µs</td><td>&gt; 1.5 s</td></tr>
		<tr><td>≈ 300 k/s</td><td>0: 1.16 ms</td><td>1 µs</td></tr>
		<tr><td>≈ 900 /s</td><td>3: 1.2 s</td><td>&lt; one read</td></tr></tbody></table><script>`
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, []byte(page+string(script)+"</script>"), 0o600))
	tab := open(t, file)
	for i, sorted := range [][]string{
		{"≈ 900 /s", "≈ 300 k/s", "≈ 1.2 M/s", "-"}, {"1: 44.6 µs", "0: 1.16 ms", "3: 1.2 s", "2: -"},
		{"< one read", "1 µs", "> 1.5 s", "-"},
	} {
		tab.click(`table.sortable th:nth-child(` + strconv.Itoa(i+1) + `) button`)
		require.Equal(t, sorted, get[[]string](tab, strings.Replace(firstColumn, "cells[0]", "cells["+strconv.Itoa(i)+"]", 1)))
	}
}

// requireLooks requires that a page can be read in light, in dark, on a telephone and on paper, and has no fault.
func requireLooks(t *testing.T, tab *tab, name string) {
	t.Helper()
	emulate := func(media, scheme string) {
		tab.call("Emulation.setEmulatedMedia", object{"media": media,
			"features": []object{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	}
	for _, look := range []struct{ media, scheme, page string }{
		{"screen", "light", "rgb(255, 255, 255)"}, {"screen", "dark", "rgb(22, 24, 27)"},
		{"print", "dark", "rgb(255, 255, 255)"},
	} {
		emulate(look.media, look.scheme)
		require.Equal(t, look.page, get[string](tab, `getComputedStyle(document.body).backgroundColor`))
		// Every colour of text, in the page and in the pictures, stands out from the
		// page: a contrast of 3 at least (WCAG 2, large text and graphics).
		require.Empty(t, get[[]string](tab, faint), "%+v", look)
	}
	for _, width := range []int64{390, 640, 800, 1000, 1400} {
		for _, scheme := range []string{"light", "dark"} {
			emulate("screen", scheme)
			tab.call("Emulation.setDeviceMetricsOverride",
				object{"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false}, nil)
			require.LessOrEqual(t, get[int64](tab, `document.documentElement.scrollWidth`), width,
				"the page scrolls sideways")
			require.Zero(t, get[int](tab, outside), "texts that stick out of a picture at %d pixels", width)
			require.Empty(t, get[[]string](tab, unreadable), "at %d pixels", width)
			require.Empty(t, get[[]string](tab, faint), "at %d pixels, %s", width, scheme)
			require.Empty(t, get[[]string](tab, hidden), "at %d pixels", width)
			require.Empty(t, get[[]string](tab, strayed), "at %d pixels", width)
			require.True(t, get[bool](tab, `Array.from(document.querySelectorAll("figure"), f =>
				Array.from(f.children).filter(svg => svg.getBoundingClientRect().height > 100).length === 1).every(one => one)`),
				"one picture of two at %d pixels", width)
		}
	}
	emulate("screen", "light")
	tab.call("Emulation.clearDeviceMetricsOverride", nil, nil)
	var printed struct{ Data []byte }
	tab.call("Page.printToPDF", nil, &printed)
	pdf := printed.Data
	require.Zero(t, get[int](tab, `document.querySelectorAll("details:not([open])").length`), "folded on paper")
	pages := bytes.Count(pdf, []byte("/Type /Page\n")) + bytes.Count(pdf, []byte("/Type/Page\n")) + bytes.Count(pdf,
		[]byte("/Type /Page "))
	require.Positive(t, pages)
	require.LessOrEqual(t, pages, 12, "pages on paper, findings of a busy machine among them")
	if keep := os.Getenv("TIMEBENCH_KEEP_PDF"); keep != "" {
		require.NoError(t, os.WriteFile(filepath.Join(keep, name+".pdf"), pdf, 0o644))
	}
	require.Empty(t, tab.faults)
}

// unreadable lists the texts of pictures that are smaller than 9 pixels or touch another.
const unreadable = `(() => {
	const bad = [];
	for (const svg of document.querySelectorAll("figure svg")) {
		const texts = Array.from(svg.querySelectorAll("text"),
			t => ({ name: t.textContent, box: t.getBoundingClientRect(), t })).filter(t => t.box.width > 0);
		texts.forEach((a, i) => {
			const size = parseFloat(getComputedStyle(a.t).fontSize) * Math.abs(a.t.getScreenCTM().a);
			if (size < 9) bad.push("small: " + size + ": " + a.name);
			for (const b of texts.slice(i + 1)) {
				const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
				const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
				// A box has room above and below the letters.
				if (wide > 1 && high > size * 0.4) bad.push("touch: " + a.name + " | " + b.name);
			}
		});
	}
	return bad;
})()`

// hidden lists the tables whose first figure is visible only after scrolling.
const hidden = `Array.from(document.querySelectorAll(".wide")).filter(wide => {
	const figure = wide.querySelector('tbody td[align="right"]');
	return figure && figure.getBoundingClientRect().right > wide.getBoundingClientRect().right + 1;
}).map(wide => wide.getAttribute("aria-label"))`

// strayed lists the tables whose names leave a telephone when the figures scroll.
const strayed = `Array.from(document.querySelectorAll(".wide")).filter(wide => {
	wide.scrollLeft = 1000;
	const gone = innerWidth <= 640 && wide.querySelector("tbody td").getBoundingClientRect().left < wide.getBoundingClientRect().left - 1;
	wide.scrollLeft = 0;
	return gone;
}).map(wide => wide.getAttribute("aria-label"))`

// faint lists the texts whose contrast with their background is too low: below 4.5, in pictures below 3 (WCAG 2).
const faint = `(() => {
	const light = c => {
		const [r, g, b] = c.match(/[\d.]+/g).map(v => v / 255)
			.map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = e => {
		for (; e; e = e.parentElement) {
			const colour = getComputedStyle(e).backgroundColor;
			if (!/, 0\)$/.test(colour)) return light(colour);
		}
		return 1;
	};
	const faint = new Set();
	for (const e of document.querySelectorAll("main p, main h1, main h2, main h3, dt, dd, td, th, summary, a, svg text")) {
		const style = getComputedStyle(e);
		const colour = e.tagName === "text" ? style.fill : style.color;
		const [x, y] = [light(colour), behind(e)].sort((a, b) => b - a);
		// Text in a bar is dark on any page; package picture tests it against the bars.
		if (colour === "rgb(26, 26, 26)" && e.tagName === "text") continue;
		if ((x + 0.05) / (y + 0.05) < (e.tagName === "text" ? 3 : 4.5))
			faint.add(e.tagName + " " + colour + ": " + e.textContent);
	}
	return Array.from(faint);
})()`
