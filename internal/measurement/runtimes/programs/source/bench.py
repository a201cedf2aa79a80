# The benchmark of Python's calls, for Python 3.6 and later. timebench runs it as python3 -B -I -S bench.py. The
# protocol is in ../programs.go.
import gc
import os
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
    "time.thread_time": (lambda: time.thread_time, seconds, None),
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


RUNNERS = {}


def runner(name):
    """Return the function that makes n calls."""
    if name not in RUNNERS:
        scope = {"repeat": repeat}
        exec(LOOP % ("pass" if name == "loop" else "f()"), scope)
        run, f = scope["run"], CALLS[name][0]()
        RUNNERS[name] = lambda n: run(n, f)
    return RUNNERS[name]


def timed(run, n):
    begin = stopwatch()
    run(n)
    return stopwatch() - begin


def run(name, n, slices):
    f = runner(name)
    return [timed(f, n) for _ in range(slices)]


def steps(name, blocks, most):
    get, difference, convert = CALLS[name]
    if difference is None:
        return ["missing its value is not a time"]
    f, found, repeats = get(), [], 0
    for _ in range(blocks):
        # The loop without bytecode: the reads follow each other as fast as the call allows. The values
        # are kept as they are, and converted afterwards.
        values = list(starmap(f, repeat((), BLOCK)))
        if convert:
            values = [convert(value) for value in values]
        for last, value in zip(values, values[1:]):
            if value == last:
                repeats += 1
            elif len(found) < most:
                found.append(difference(value - last))
    return ["%.9f" % step for step in found] + [repeats]


def stat(path):
    try:
        os.stat(path)
    except OSError:
        pass


def mark(name, times, number):
    f, path = runner(name), "/timebench-mark/%d" % number
    for _ in repeat(None, times):
        stat(path)
        f(1)
    stat("/timebench-mark/end")
    return []


def sleep(name, count, span):
    import asyncio
    import threading
    if not EVENTS:
        EVENTS.append(asyncio.new_event_loop())
    call = {"time.sleep": time.sleep, "asyncio.sleep": asyncio.sleep}.get(name, threading.Event().wait)

    async def sleeps():
        late = []
        for _ in repeat(None, count):
            begin = stopwatch()
            slept = call(span / NS)
            if name == "asyncio.sleep":
                await slept
            late.append(stopwatch() - begin - span)
        return late

    return EVENTS[0].run_until_complete(sleeps())


EVENTS = []  # the event loop of asyncio, after its first use
VERBS = {"run": run, "steps": steps, "mark": mark, "sleep": sleep}

gc.disable()  # as timeit does
for line in sys.stdin:
    verb, name, *numbers = line.rstrip("\n").split("\t")
    try:
        answer = VERBS[verb](name, *map(int, numbers))
    except (AttributeError, ImportError, KeyError) as error:  # Python 3.6 has no time.time_ns
        answer = ["missing", error]
    print(*answer, flush=True)
