// The benchmark of Rust's calls. timebench compiles it with rustc -O and runs it as bench MODE ARGS...
// It prints lines of fields with tabs between them.
//
//   cost ROUNDS SPAN_NS NAME...       the time of many calls, in rounds
//   steps MOST MOST_NS NAME...        the differences between consecutive values
//   mark TIMES NAME...                single calls, each after a stat() that a tracer recognizes
//   threads COUNT SPAN_NS NAME...     calls of several threads in one span of time
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

struct Call {
    name: &'static str,
    run: fn(u64),
    read: Option<fn(Instant) -> Vec<i128>>, // a block in nanoseconds; None if the value is not a time
}

// Writes out a call in a loop of its own. black_box uses the value, so the compiler removes no call.
macro_rules! run {
    ($call:expr) => {
        |n| {
            for _ in 0..n {
                black_box($call);
            }
        }
    };
}

// The reads of a block of steps.
const BLOCK: usize = 1000;

// Reads a block of values. It keeps them as they are, so that the reads follow each other as fast as
// the call allows, and converts them afterwards.
macro_rules! read {
    ($call:expr, $zero:expr, $ns:expr) => {
        |start| {
            let mut raw = [$zero(start); BLOCK];
            for value in raw.iter_mut() {
                *value = $call;
            }
            raw.iter().map(|value| $ns(*value, start)).collect()
        }
    };
}

// Not inlined, as the calls of the kernel's functions are not.
#[inline(never)]
fn one() -> u64 {
    black_box(1)
}

static CALLS: [Call; 4] = [
    Call { name: "loop", run: run!(1u64), read: None },
    Call { name: "call", run: run!(one()), read: None },
    Call {
        name: "SystemTime::now",
        run: run!(SystemTime::now()),
        read: Some(read!(SystemTime::now(), |_| UNIX_EPOCH, |value: SystemTime, _| {
            value.duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_nanos() as i128)
        })),
    },
    Call {
        name: "Instant::now",
        run: run!(Instant::now()),
        read: Some(read!(Instant::now(), |start| start, |value: Instant, start| value.duration_since(start).as_nanos() as i128)),
    },
];

fn timed(call: &Call, n: u64) -> u64 {
    let begin = Instant::now();
    (call.run)(n);
    begin.elapsed().as_nanos() as u64
}

// Returns the nanoseconds of one of the first 100 calls. If the stopwatch has not moved, more follow.
fn first(call: &Call) -> f64 {
    let (begin, mut n) = (Instant::now(), 0);
    loop {
        (call.run)(100);
        n += 100;
        let elapsed = begin.elapsed().as_nanos();
        if elapsed > 0 {
            return elapsed as f64 / n as f64;
        }
    }
}

// Returns the calls that take a span.
fn calibrated(call: &Call, span: u64) -> u64 {
    let mut n = 1;
    loop {
        let mut elapsed = timed(call, n);
        if elapsed >= span / 2 {
            // Twice again: another program may have had the CPU.
            elapsed = elapsed.min(timed(call, n)).min(timed(call, n));
        }
        if elapsed >= span / 2 {
            return ((n as f64 * span as f64 / elapsed.max(1) as f64) as u64).max(1);
        }
        n *= 2;
    }
}

fn cost(named: &[&Call], rounds: u64, span: u64) {
    for call in named {
        println!("warm\t{}\t{:.9}", call.name, first(call));
    }
    let mut counts = Vec::new();
    for call in named {
        let n = calibrated(call, span);
        (call.run)(n); // the warm-up
        counts.push(n);
    }
    // Printed at the end, because a reader that wakes up disturbs the next slice.
    let mut lines = String::new();
    for r in 0..rounds as usize {
        for i in 0..named.len() {
            let k = (r + i) % named.len();
            lines += &format!("cost\t{}\t{}\t{}\n", named[k].name, counts[k], timed(named[k], counts[k]));
        }
    }
    print!("{}", lines);
    println!("sink\t0"); // black_box has used the values
}

fn steps(named: &[&Call], most: u64, most_ns: u64) {
    for call in named {
        let read = match call.read {
            Some(read) => read,
            None => continue,
        };
        let start = Instant::now();
        read(start); // the warm-up
        let (mut found, mut reads, mut repeats, begin) = (Vec::new(), 0, 0, Instant::now());
        while (found.len() as u64) < most && (begin.elapsed().as_nanos() as u64) < most_ns {
            for pair in read(start).windows(2) {
                reads += 1;
                if pair[0] == pair[1] {
                    repeats += 1;
                } else if (found.len() as u64) < most {
                    found.push(pair[1] - pair[0]);
                }
            }
        }
        for step in found {
            println!("step\t{}\t{}", call.name, step);
        }
        println!("seen\t{}\t{}\t{}", call.name, reads, repeats);
    }
}

fn mark(name: &str) {
    let safe = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let file: String = name.chars().map(|c| if safe(c) { c } else { '_' }).collect();
    let _ = black_box(std::fs::metadata(format!("/timebench-mark/{}", file)));
}

fn marked(named: &[&Call], times: u64) {
    mark("start");
    for call in named {
        (call.run)(1);
    }
    for call in named {
        for _ in 0..times {
            mark(call.name);
            (call.run)(1);
        }
    }
    mark("end");
}

// What the threads share: how many wait, and the common deadline in nanoseconds after start, which is
// 0 until the release.
struct Gate {
    waiting: AtomicU64,
    deadline: AtomicU64,
    start: Instant,
}

impl Gate {
    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    // Waits for the release. Each thread polls it: threads that sleep wake one after the other, and the
    // last ones late.
    fn wait(&self) -> u64 {
        self.waiting.fetch_add(1, SeqCst);
        loop {
            match self.deadline.load(SeqCst) {
                0 => std::thread::yield_now(),
                deadline => return deadline,
            }
        }
    }
}

// The counts of a thread are its local variables.
fn threads(named: &[&'static Call], count: u64, span: u64) {
    for &call in named {
        let chunk = calibrated(call, 50_000); // the stopwatch is read every 50 us
        let gate = Arc::new(Gate { waiting: AtomicU64::new(0), deadline: AtomicU64::new(0), start: Instant::now() });
        let mut workers = Vec::new();
        for _ in 0..count {
            let gate = Arc::clone(&gate);
            let worker = std::thread::Builder::new().spawn(move || {
                let (deadline, mut calls) = (gate.wait(), 0);
                loop {
                    let now = gate.now();
                    if now >= deadline {
                        return (calls, now);
                    }
                    (call.run)(chunk);
                    calls += chunk;
                }
            });
            match worker {
                Ok(worker) => workers.push(worker),
                Err(failed) => {
                    eprintln!("thread {} of {}: {}", workers.len() + 1, count, failed);
                    std::process::exit(1);
                }
            }
        }
        while gate.waiting.load(SeqCst) < count {
            std::thread::yield_now();
        }
        let release = gate.now();
        gate.deadline.store(release.saturating_add(span), SeqCst);
        let mut last = release;
        for (i, worker) in workers.into_iter().enumerate() {
            let (calls, ended) = worker.join().expect("a thread that counts does not panic");
            println!("thread\t{}\t{}\t{}", call.name, i, calls);
            last = last.max(ended);
        }
        println!("passed\t{}\t{}", call.name, last - release);
    }
}

fn usage() -> ! {
    eprintln!("usage: cost ROUNDS SPAN_NS NAME... | steps MOST MOST_NS NAME... | mark TIMES NAME... | threads COUNT SPAN_NS NAME...");
    std::process::exit(2);
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mode = args.first().map_or("", |mode| mode.as_str());
    let many = match mode {
        "mark" => 1,
        "cost" | "steps" | "threads" => 2,
        _ => usage(),
    };
    if args.len() <= 1 + many {
        usage();
    }
    let numbers: Vec<u64> = args[1..1 + many].iter().map(|text| text.parse().unwrap_or(0)).collect();
    if numbers.contains(&0) {
        usage();
    }
    let mut named = Vec::new();
    for name in &args[1 + many..] {
        match CALLS.iter().find(|call| call.name == name) {
            Some(call) => named.push(call),
            None => println!("missing\t{}\tno such call", name),
        }
    }
    match mode {
        _ if named.is_empty() => {}
        "cost" => cost(&named, numbers[0], numbers[1]),
        "steps" => steps(&named, numbers[0], numbers[1]),
        "mark" => marked(&named, numbers[0]),
        _ => threads(&named, numbers[0], numbers[1]),
    }
    println!("done");
}
