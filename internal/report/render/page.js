// Sorts a table by the column whose heading is pressed; a second time the other
// way round. Without this script the tables stand as they are. Opens what is folded
// for a print.
"use strict";
(function () {
  const units = { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9, "/s": 1, "k/s": 1e3, "M/s": 1e6, "G/s": 1e9, "%": 0.01 };

  // What a cell is worth: a number with its unit, or null where it has none.
  function worth(text) {
    if (text === "< one read" || text === "same" || text.startsWith("none of")) return 0;
    const often = /^1 in ([\d,]+)$/.exec(text);
    if (often) return 1 / parseFloat(often[1].replace(/,/g, ""));
    const found = /^(?:\d+: )?(×|>|≈)?\s*([+-]?[\d,]*\.?\d+)\s*(ns|µs|ms|s|\/s|k\/s|M\/s|G\/s|%)?(\s|$)/.exec(text);
    if (!found) return null;
    const number = parseFloat(found[2].replace(/,/g, ""));
    if (found[1] === "×") return number - 1;
    return number * (units[found[3]] || 1);
  }

  // Cells without a number come last whichever way numbers run.
  function compare(a, b, way) {
    const x = worth(a), y = worth(b);
    if (x !== null && y !== null) return (x - y) * way;
    if (x !== null || y !== null) return x !== null ? -1 : 1;
    return a.localeCompare(b) * way;
  }

  function sort(table, column, heading) {
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const text = (row) => row.cells[column].textContent.trim();
    const rows = Array.from(body.rows).sort((a, b) => compare(text(a), text(b), down ? -1 : 1));
    body.append(...rows);
  }

  addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll("details")) folded.open = true;
  });

  for (const table of document.querySelectorAll("table.sortable")) {
    table.querySelectorAll("th").forEach((heading, column) => {
      const button = document.createElement("button");
      button.textContent = heading.textContent;
      button.addEventListener("click", () => sort(table, column, heading));
      heading.replaceChildren(button);
    });
  }
})();
