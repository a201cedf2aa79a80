# Sleeps 300 times for a span in ns by a way, and prints how late each sleep ended.
import asyncio
import sys
import threading
import time

way, span = sys.argv[1], int(sys.argv[2])
late = []


async def loop():
    for _ in range(300):
        begin = time.monotonic_ns()
        await asyncio.sleep(span / 1e9)
        late.append(time.monotonic_ns() - begin - span)


if way == "asyncio.sleep":
    asyncio.run(loop())
else:
    call = time.sleep if way == "time.sleep" else threading.Event().wait
    for _ in range(300):
        begin = time.monotonic_ns()
        call(span / 1e9)
        late.append(time.monotonic_ns() - begin - span)
print(*late)
