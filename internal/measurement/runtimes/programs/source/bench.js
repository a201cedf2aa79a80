// The benchmark of JavaScript's calls, for Node, Bun and Deno (with --allow-read). timebench runs it
// as node bench.js MODE ARGS... It prints lines of fields with tabs between them.
//
//   cost ROUNDS SPAN_NS NAME...       the time of many calls, in rounds
//   steps MOST MOST_NS NAME...        the differences between consecutive values
//   mark TIMES NAME...                single calls, each after a stat() that a tracer recognizes
"use strict";
(async () => {
  const deno = typeof Deno !== "undefined";
  const bun = typeof Bun !== "undefined";
  // Not require, which Deno lacks, nor a static import, which Node wants in a .mjs file.
  const process = (await import("node:process")).default;
  const fs = await import("node:fs");
  const call = () => 1;

  // For each call: the expression, how its value becomes a number that is summed so that no compiler
  // removes the call. For steps: the expression as it is, and the nanoseconds of a difference of 1.
  const sum = (expression) => `sum += ${expression}`;
  const calls = {
    "loop": { use: sum("1") },
    "call": { use: sum("call()") }, // a compiler may inline it, as in any program
    "Date.now": { use: sum("Date.now()"), read: "Date.now()", ns: 1e6 },
    "new Date": { use: sum("new Date().getTime()"), read: "new Date()", ns: 1e6 },
    "performance.now": { use: sum("performance.now()"), read: "performance.now()", ns: 1e6 },
    // A sum of BigInts costs as much as the call. A compiler cannot remove the call itself.
    "process.hrtime.bigint": { use: "big = process.hrtime.bigint()", read: "process.hrtime.bigint()", ns: 1 },
    "toISOString": { use: sum("new Date().toISOString().length") },
  };
  if (!deno) calls["process.uptime"] = { use: sum("process.uptime()"), read: "process.uptime()", ns: 1e9 };

  // Each call has a function of its own, so that the caches of its loop know one call only.
  const runner = (name) => new Function("process", "call",
    `return function (n) { let sum = 0, big = 0n; for (let i = 0; i < n; i++) { ${calls[name].use}; } return sum + Number(big); }`)(process, call);

  // Reads a block of values into an array. It keeps them as they are, so that the reads follow each
  // other as fast as the call allows.
  const block = 1000;
  const reader = (name) => new Function("process", "values",
    `return function () { for (let i = 0; i < ${block}; i++) { values[i] = ${calls[name].read}; } }`);

  // The best monotonic clock: nanoseconds since a start, as a number.
  const start = process.hrtime.bigint();
  const stopwatch = () => Number(process.hrtime.bigint() - start);

  let sink = 0;
  const timed = (run, n) => {
    const begin = stopwatch();
    sink += run(n);
    return stopwatch() - begin;
  };

  const lines = [];
  const print = (...fields) => lines.push(fields.join("\t"));
  const decimal = (x) => String(Number(x.toFixed(9)));

  // Returns the nanoseconds of one of the first 100 calls. If the stopwatch has not moved, more follow.
  const first = (run) => {
    run(0); // it compiles the loop
    for (let n = 100, begin = stopwatch();; n += 100) {
      sink += run(100);
      const elapsed = stopwatch() - begin;
      if (elapsed > 0) return elapsed / n;
    }
  };

  // Returns the calls that take a span.
  const calibrated = (run, span) => {
    for (let n = 1;; n *= 2) {
      let elapsed = timed(run, n);
      if (elapsed < span / 2) continue;
      elapsed = Math.min(elapsed, timed(run, n), timed(run, n)); // another program may have had the CPU
      if (elapsed >= span / 2) return Math.max(1, Math.floor(n * span / elapsed));
    }
  };

  // Returns the calls that take a span, after a warm-up of 30 ms. Its runs are small, so that the
  // function is compiled as a whole, not only its loop.
  const warmed = (run, span) => {
    for (const end = stopwatch() + Math.max(span, 30e6); stopwatch() < end;) sink += run(1000);
    return calibrated(run, span);
  };

  const modes = {
    cost: (names, rounds, span) => {
      const runs = names.map(runner);
      runs.forEach((run, i) => print("warm", names[i], decimal(first(run))));
      const counts = runs.map((run) => warmed(run, span));
      for (let r = 0; r < rounds; r++) {
        for (let i = 0; i < names.length; i++) {
          const k = (r + i) % names.length;
          print("cost", names[k], counts[k], timed(runs[k], counts[k]));
        }
      }
      print("sink", sink);
    },
    steps: (names, most, mostNS) => {
      for (const name of names) {
        const { read: expression, ns } = calls[name];
        if (!expression) continue;
        const found = [];
        const values = new Array(block).fill(0);
        const read = reader(name)(process, values);
        for (let blocks = 0, end = stopwatch() + 30e6; blocks < 10 || stopwatch() < end; blocks++) read(); // the warm-up
        let reads = 0, repeats = 0;
        for (const begin = stopwatch(); found.length < most && stopwatch() - begin < mostNS;) {
          read();
          for (let i = 1; i < block; i++) {
            const step = Number(values[i] - values[i - 1]) * ns; // a Date becomes a number
            reads++;
            if (step === 0) repeats++;
            else if (found.length < most) found.push(step);
          }
        }
        for (const step of found) print("step", name, step.toFixed(9).replace(/\.?0+$/, ""));
        print("seen", name, reads, repeats);
      }
    },
    mark: (names, times) => {
      const mark = (name) => {
        const path = "/timebench-mark/" + name.replace(/[^A-Za-z0-9._-]/g, "_");
        if (!deno) return fs.existsSync(path);
        try { Deno.statSync(path); } catch { /* it does not exist */ }
      };
      const runs = names.map(runner);
      mark("start");
      runs.forEach((run) => run(1));
      names.forEach((name, i) => {
        for (let t = 0; t < times; t++) {
          mark(name);
          runs[i](1);
        }
      });
      mark("end");
    },
  };

  const args = deno ? Deno.args : process.argv.slice(2);
  const mode = args[0];
  const many = { cost: 2, steps: 2, mark: 1 }[mode];
  const numbers = args.slice(1, 1 + many).map(Number);
  const names = args.slice(1 + many);
  if (many === undefined || numbers.length < many || numbers.some((x) => !(x >= 1 && Number.isSafeInteger(x))) || names.length === 0) {
    console.error("usage: cost ROUNDS SPAN_NS NAME... | steps MOST MOST_NS NAME... | mark TIMES NAME...");
    process.exitCode = 2;
    return;
  }
  const known = names.filter((name) => Object.hasOwn(calls, name));
  for (const name of names) {
    if (!known.includes(name)) print("missing", name, "no such call in " + (deno ? "Deno" : bun ? "Bun" : "Node"));
  }
  if (known.length > 0) modes[mode](known, ...numbers);
  print("done");
  console.log(lines.join("\n"));
})();
