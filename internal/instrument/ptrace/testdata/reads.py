import datetime, os, sys, time

def mark(name):
    try:
        os.stat('/timebench-mark/' + name)
    except OSError:
        pass

calls = {'time.time': time.time, 'time.time_ns': time.time_ns, 'time.monotonic': time.monotonic,
         'time.perf_counter': time.perf_counter, 'time.process_time': time.process_time,
         'time.thread_time': time.thread_time, 'datetime.now': datetime.datetime.now}
for call in calls.values():
    call()
for name, call in calls.items():
    for _ in range(int(sys.argv[1])):
        mark(name)
        call()
mark('end')
