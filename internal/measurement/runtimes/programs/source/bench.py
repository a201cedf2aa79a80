# The benchmark of Python's calls, for Python 3.6 and later. timebench runs it as
# python3 -I -S bench.py MODE ARGS... It prints lines of fields with tabs between them.
#
#   cost ROUNDS SPAN_NS NAME...       the time of many calls, in rounds
#   steps MOST MOST_NS NAME...        the differences between consecutive values
#   mark TIMES NAME...                single calls, each after a stat() that a tracer recognizes
import gc
import os
import re
import sys
import time
from itertools import repeat, starmap

NS = 1000000000
EPOCH = None  # of datetime, which is imported only if it is measured


def call():
    return 1


def now():
    global EPOCH
    import datetime
    EPOCH = datetime.datetime(1970, 1, 1), datetime.timedelta(microseconds=1)
    return datetime.datetime.now


def since_epoch(value):
    return (value - EPOCH[0]) // EPOCH[1] * 1000


def seconds(value):
    return value * 1e9  # applied to a difference of two floats, which is exact


# For each name: a function that returns the call, the nanoseconds of a difference or None if the
# value is not a time, and a conversion of the value to a number.
CALLS = {
    "loop": (lambda: None, None, None),
    "call": (lambda: call, None, None),
    "time.time": (lambda: time.time, seconds, None),
    "time.time_ns": (lambda: time.time_ns, int, None),
    "time.monotonic": (lambda: time.monotonic, seconds, None),
    "time.perf_counter": (lambda: time.perf_counter, seconds, None),
    "time.process_time": (lambda: time.process_time, seconds, None),
    "datetime.now": (now, int, since_epoch),
}

# The reads of a block of steps.
BLOCK = 1000

# As timeit does it: the fastest loop of Python, over an iterator that creates no numbers, with the
# call in a local variable. Python never removes a call whose value is unused.
LOOP = """
def run(n, f):
    for _ in repeat(None, n):
        %s
"""


def stopwatch():
    return int(time.perf_counter() * 1e9)  # before Python 3.7


stopwatch = getattr(time, "perf_counter_ns", stopwatch)


def runner(name):
    """Return a function that makes n calls."""
    scope = {"repeat": repeat}
    exec(LOOP % ("pass" if name == "loop" else "f()"), scope)
    run, f = scope["run"], CALLS[name][0]()
    return lambda n: run(n, f)


def timed(run, n):
    begin = stopwatch()
    run(n)
    return stopwatch() - begin


def first(run):
    """Return the nanoseconds of one of the first 100 calls. If the stopwatch has not moved, more follow."""
    begin, n = stopwatch(), 0
    while True:
        run(100)
        n += 100
        elapsed = stopwatch() - begin
        if elapsed > 0:
            return elapsed / n


def calibrated(run, span):
    """Return the calls that take a span, after a warm-up of one span."""
    n = 1
    while True:
        elapsed = timed(run, n)
        if elapsed >= span / 2:  # twice again: another program may have had the CPU
            elapsed = min(elapsed, timed(run, n), timed(run, n))
            if elapsed >= span / 2:
                break
        n *= 2
    n = max(1, n * span // elapsed)
    run(n)
    return n


def cost(rounds, span, names):
    runs = [runner(name) for name in names]
    for name, run in zip(names, runs):
        print("warm\t%s\t%.9f" % (name, first(run)))
    counts = [calibrated(run, span) for run in runs]
    for r in range(rounds):
        for i in range(len(names)):
            k = (r + i) % len(names)
            print("cost\t%s\t%d\t%d" % (names[k], counts[k], timed(runs[k], counts[k])))
    print("sink\t0")


def steps(most, most_ns, names):
    for name in names:
        get, difference, convert = CALLS[name]
        if difference is None:
            continue
        f = get()

        def read():
            # The loop without bytecode: the reads follow each other as fast as the call allows. The
            # values are kept as they are, and converted afterwards.
            values = list(starmap(f, repeat((), BLOCK)))
            return [convert(value) for value in values] if convert else values

        found, reads, repeats = [], 0, 0
        read()  # the warm-up
        begin = stopwatch()
        while len(found) < most and stopwatch() - begin < most_ns:
            values = read()
            for last, value in zip(values, values[1:]):
                reads += 1
                if value == last:
                    repeats += 1
                elif len(found) < most:
                    found.append(difference(value - last))
        for step in found:
            print("step\t%s\t%s" % (name, ("%.9f" % step).rstrip("0").rstrip(".")))
        print("seen\t%s\t%d\t%d" % (name, reads, repeats))


def mark(name):
    try:
        os.stat("/timebench-mark/" + re.sub(r"[^A-Za-z0-9._-]", "_", name))
    except OSError:
        pass


def marked(times, names):
    runs = [runner(name) for name in names]
    mark("start")
    for name, run in zip(names, runs):
        re.sub(r"[^A-Za-z0-9._-]", "_", name)
        run(1)
    for name, run in zip(names, runs):
        for _ in repeat(None, times):
            mark(name)
            run(1)
    mark("end")


def lacking(name):
    """Return why the call cannot be measured, or None."""
    if name not in CALLS:
        return "no such call"
    try:
        CALLS[name][0]()
    except (AttributeError, ImportError) as error:
        return str(error)


def main(mode, *args):
    gc.disable()  # as timeit does
    numbers = {"cost": 2, "steps": 2, "mark": 1}[mode]
    values, names = [int(arg) for arg in args[:numbers]], args[numbers:]
    if not names or min(values) < 1:
        raise ValueError
    for name in names:
        reason = lacking(name)
        if reason:
            print("missing\t%s\t%s" % (name, reason))
    names = [name for name in names if not lacking(name)]
    if names:
        {"cost": cost, "steps": steps, "mark": marked}[mode](*values, names)
    print("done")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (KeyError, TypeError, ValueError):
        sys.stderr.write("usage: cost ROUNDS SPAN_NS NAME... | steps MOST MOST_NS NAME... | mark TIMES NAME...\n")
        sys.exit(2)
