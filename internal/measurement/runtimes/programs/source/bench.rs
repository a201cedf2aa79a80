// The benchmark of Rust's calls. timebench compiles it with rustc -O. The protocol is in ../programs.go.
use std::hint::black_box;
use std::io::BufRead;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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

static CALLS: [Call; 5] = [
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
    Call { name: "thread::sleep", run: |_| (), read: None },
];

fn timed(call: &Call, n: u64) -> u64 {
    let begin = Instant::now();
    (call.run)(n);
    begin.elapsed().as_nanos() as u64
}

// The answer to a command: numbers, or why there are none.
type Answer = Result<Vec<i128>, &'static str>;

fn run(call: &Call, numbers: &[u64]) -> Answer {
    Ok((0..numbers[1]).map(|_| timed(call, numbers[0]) as i128).collect())
}

fn steps(call: &Call, numbers: &[u64]) -> Answer {
    let read = call.read.ok_or("its value is not a time")?;
    let (start, mut answer, mut repeats) = (Instant::now(), Vec::new(), 0);
    for _ in 0..numbers[0] {
        for pair in read(start).windows(2) {
            if pair[0] == pair[1] {
                repeats += 1;
            } else if (answer.len() as u64) < numbers[1] {
                answer.push(pair[1] - pair[0]);
            }
        }
    }
    answer.push(repeats);
    Ok(answer)
}

fn mark(call: &Call, numbers: &[u64]) -> Answer {
    let path = format!("/timebench-mark/{}", numbers[1]);
    for _ in 0..numbers[0] {
        let _ = black_box(std::fs::metadata(&path));
        (call.run)(1);
    }
    let _ = black_box(std::fs::metadata("/timebench-mark/end"));
    Ok(Vec::new())
}

fn sleep(_: &Call, numbers: &[u64]) -> Answer {
    let once = |_| {
        let begin = Instant::now();
        std::thread::sleep(Duration::from_nanos(numbers[1]));
        begin.elapsed().as_nanos() as i128 - numbers[1] as i128
    };
    Ok((0..numbers[0]).map(once).collect())
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
fn threads(call: &'static Call, numbers: &[u64]) -> Answer {
    let (chunk, count) = (numbers[0], numbers[1]);
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
    gate.deadline.store(release.saturating_add(numbers[2]), SeqCst);
    let (mut answer, mut last) = (Vec::new(), release);
    for worker in workers {
        let (calls, ended) = worker.join().expect("a thread that counts does not panic");
        answer.push(calls as i128);
        last = last.max(ended);
    }
    answer.push((last - release) as i128);
    Ok(answer)
}

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let fields: Vec<&str> = line.split('\t').collect();
        let numbers: Vec<u64> = fields[2..].iter().map(|text| text.parse().expect("a number")).collect();
        let answer = CALLS.iter().find(|call| call.name == fields[1]).ok_or("no such call").and_then(|call| match fields[0] {
            "run" => run(call, &numbers),
            "steps" => steps(call, &numbers),
            "mark" => mark(call, &numbers),
            "sleep" => sleep(call, &numbers),
            _ => threads(call, &numbers),
        });
        match answer {
            Ok(numbers) => println!("{}", numbers.iter().map(i128::to_string).collect::<Vec<_>>().join(" ")),
            Err(reason) => println!("missing {}", reason),
        }
    }
}
