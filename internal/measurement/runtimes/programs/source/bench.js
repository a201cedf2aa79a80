// The benchmark of JavaScript's calls, for Node, Bun and Deno (with --allow-read). timebench runs it as node bench.js.
// The protocol is in ../programs.go.
"use strict";
(async () => {
  const deno = typeof Deno !== "undefined";
  // Not require, which Deno lacks, nor a static import, which Node wants in a .mjs file. An import of node:process would
  // open standard input as a stream, from which readSync cannot read.
  const process = globalThis.process ?? (await import("node:process")).default;
  const fs = await import("node:fs");
  const { Buffer } = await import("node:buffer");
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

  // Each call has a function of its own, so that the caches of its loop know one call only. Another function reads a
  // block of values into an array. It keeps them as they are, so that the reads follow each other as fast as the call
  // allows.
  const block = 1000;
  for (const c of Object.values(calls)) {
    c.run = new Function("process", "call",
      `return function (n) { let sum = 0, big = 0n; for (let i = 0; i < n; i++) { ${c.use}; } return sum + Number(big); }`)(process, call);
    c.run(0); // it compiles the loop
    c.values = new Array(block).fill(0);
    c.fill = new Function("process", "values",
      `return function () { for (let i = 0; i < ${block}; i++) { values[i] = ${c.read}; } }`)(process, c.values);
  }

  // The best monotonic clock: nanoseconds since a start, as a number.
  const start = process.hrtime.bigint();
  const stopwatch = () => Number(process.hrtime.bigint() - start);

  let sink = 0;
  const timed = (run, n) => {
    const begin = stopwatch();
    sink += run(n);
    return stopwatch() - begin;
  };

  const stat = (path) => {
    if (!deno) return fs.existsSync(path);
    try { Deno.statSync(path); } catch { /* it does not exist */ }
  };

  // Each way to sleep for some milliseconds, which may be a fraction, returns when it ended.
  const sleeps = {
    "setTimeout": (ms) => new Promise((done) => setTimeout(() => done(stopwatch()), ms)),
  };

  const verbs = {
    run: (c, n, slices) => {
      const elapsed = [];
      for (let i = 0; i < slices; i++) elapsed.push(timed(c.run, n));
      return elapsed;
    },
    steps: (c, blocks, most) => {
      if (!c.read) return ["missing its value is not a time"];
      const found = [];
      let repeats = 0;
      for (let k = 0; k < blocks; k++) {
        c.fill();
        for (let i = 1; i < block; i++) {
          const step = Number(c.values[i] - c.values[i - 1]) * c.ns; // a Date becomes a number
          if (step === 0) repeats++;
          else if (found.length < most) found.push(step.toFixed(9));
        }
      }
      return [...found, repeats];
    },
    mark: (c, times, number) => {
      for (let i = 0; i < times; i++) {
        stat(`/timebench-mark/${number}`);
        c.run(1);
      }
      stat("/timebench-mark/end");
      return [];
    },
    sleep: async (sleep, count, span) => {
      const late = [];
      while (late.length < count) late.push(-stopwatch() + await sleep(span / 1e6) - span);
      return late;
    },
  };

  const obey = async (line) => {
    const [verb, name, ...numbers] = line.split("\t");
    const c = (verb === "sleep" ? sleeps : calls)[name];
    const answer = c ? await verbs[verb](c, ...numbers.map(Number)) : ["missing no such call"];
    fs.writeSync(1, answer.join(" ") + "\n");
  };
  const chunk = Buffer.alloc(4096);
  let rest = "";
  for (let n; (n = fs.readSync(0, chunk)) > 0;) {
    const lines = (rest + chunk.toString("latin1", 0, n)).split("\n");
    rest = lines.pop();
    for (const line of lines) await obey(line);
  }
})();
