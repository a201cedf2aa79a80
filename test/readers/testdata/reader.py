"""A program that reads a clock at a known, counted rate between arithmetic.

Its arguments and its output are those of reader.c, without syscall. The read is
time.monotonic_ns. Without -read-ns a read costs what the whole call costs. Under the
interpreter's lock only one of several threads runs at a time.
"""

import json
import sys
import threading
import time

SEED = 88172645463325252
MASK = (1 << 64) - 1


def read_the_clock(n):
    monotonic_ns = time.monotonic_ns
    for _ in range(n):
        monotonic_ns()


def arithmetic(x, n):
    for _ in range(n):
        x = (x * 6364136223846793005 + 1442695040888963407) & MASK
    return x


class Work:
    def __init__(self, seed):
        self.x, self.owed, self.reads, self.iterations = seed, 0, 0, 0

    def block(self, mix):
        """The length varies, so that blocks are never in step with a timer."""
        ratio, mean = mix
        self.x = arithmetic(self.x, 1)
        n = mean // 2 + 1 + (self.x >> 32) % mean
        m = n * 100
        if reading:
            read_the_clock(n)
            self.reads += n
            self.owed += n * ratio
            m = self.owed >> 16
            self.owed &= 0xFFFF
        self.x = arithmetic(self.x, m)
        self.iterations += m


def per_read(mix):
    """Reading the CPU time takes as long as a few reads, so that it is read only around all blocks of a turn."""
    blocks, spent = 1, 0
    while spent < 500_000:
        w = Work(SEED)
        start = time.thread_time_ns()
        for _ in range(blocks):
            w.block(mix)
        spent = time.thread_time_ns() - start
        blocks *= 2
    return spent / w.reads


def per_iteration():
    start = time.thread_time_ns()
    arithmetic(SEED, 5_000)
    return (time.thread_time_ns() - start) / 5_000


def quiet(figures):
    """What a turn costs that little disturbs."""
    return sorted(figures)[len(figures) // 10]


def calibrate(mix, turns):
    """The costs of a read, of the call around it, and of an iteration."""
    iterations, wholes = [], []
    for _ in range(turns):
        iterations.append(per_iteration())
        if reading:
            wholes.append(per_read(mix))
    iteration = quiet(iterations)
    if not reading:
        return 0, 0, iteration
    whole = quiet(wholes) - mix[0] / 65536 * iteration
    read = given if given > 0 else whole
    return read, whole - read, iteration


def choose(costs, share):
    """A block takes 2 ms at most."""
    read, call, iteration = costs
    ratio = (read / share - read - call) / iteration
    return int(max(ratio, 0) * 65536), int(min(max(2e6 * share / read, 1), 50))


def wrong(what):
    print("reader:", what, file=sys.stderr)
    sys.exit(2)


def number(text, most):
    """The number, or -1."""
    try:
        value = float(text)
    except ValueError:
        return -1
    return value if 0 <= value <= most else -1


args = sys.argv[1:]
if len(args) < 4:
    wrong("usage: reader.py vdso|none PERCENT THREADS SECONDS [-read-ns NS] [-wait]")
if args[0] not in ("vdso", "none"):
    wrong("the first argument must be vdso or none")
percent, threads, seconds = number(args[1], 100), number(args[2], 64), number(args[3], 86400)
if percent < 0:
    wrong("PERCENT must be from 0 to 100")
if args[0] == "none" and percent > 0:
    wrong("none needs 0 percent")
if threads < 1 or threads != int(threads):
    wrong("THREADS must be from 1 to 64")
if seconds < 0:
    wrong("SECONDS must be from 0 to 86400")
given, wait, rest = 0, False, args[4:]
while rest:
    if rest[0] == "-wait":
        wait = True
    elif rest[0] == "-read-ns" and len(rest) > 1 and number(rest[1], 1e9) > 0:
        given = number(rest.pop(1), 1e9)
    else:
        wrong("the options are -read-ns NS and -wait")
    rest.pop(0)
reading = percent > 0

mix = mixed = (0, 50)
costs = calibrate(mix, 30)
if reading:
    share = percent / 100
    # Where arithmetic takes most of the time, the difference is lost in noise.
    mixed = choose(costs, max(share, 0.1))
    costs = calibrate(mixed, 80)
    if percent < 100:
        mix = choose(costs, share)

print("ready", flush=True)
if wait and not sys.stdin.readline():
    sys.exit(1)

works = [Work(SEED + i) for i in range(int(threads))]
stop = False


def run(w):
    w.block(mix)
    while not stop:
        w.block(mix)


wall, cpu = time.monotonic_ns(), time.process_time_ns()
if seconds > 0:
    running = [threading.Thread(target=run, args=(w,)) for w in works]
    for thread in running:
        thread.start()
    time.sleep(seconds)
    stop = True
    for thread in running:
        thread.join()
cpu, wall = time.process_time_ns() - cpu, time.monotonic_ns() - wall
read, call, iteration = ((a + b) / 2 for a, b in zip(costs, calibrate(mixed, 80)))

reads, iterations = sum(w.reads for w in works), sum(w.iterations for w in works)
in_reads, others = reads * read, iterations * iteration + reads * call
print(json.dumps({
    "reads": reads, "iterations": iterations, "cpu_ns": cpu, "wall_ns": wall,
    "read_ns": read, "call_ns": call, "iteration_ns": iteration,
    "share": in_reads / (in_reads + others) if reads else 0,
    "share_by_reads": in_reads / cpu if reads else 0,
    "share_by_rest": 1 - others / cpu if reads else 0,
}))
