package clock

import "golang.org/x/sys/unix"

// clockIDs are the clocks of clock_gettime(2).
var clockIDs = []clockID{
	{name: "CLOCK_REALTIME", id: unix.CLOCK_REALTIME, kind: Wall},
	{name: "CLOCK_MONOTONIC", id: unix.CLOCK_MONOTONIC, kind: Monotonic},
	{name: "CLOCK_MONOTONIC_RAW", id: unix.CLOCK_MONOTONIC_RAW, kind: Monotonic},
	{name: "CLOCK_REALTIME_COARSE", id: unix.CLOCK_REALTIME_COARSE, kind: Wall},
	{name: "CLOCK_MONOTONIC_COARSE", id: unix.CLOCK_MONOTONIC_COARSE, kind: Monotonic},
	{name: "CLOCK_BOOTTIME", id: unix.CLOCK_BOOTTIME, kind: Monotonic},
	{name: "CLOCK_TAI", id: unix.CLOCK_TAI, kind: Wall},
	{name: "CLOCK_PROCESS_CPUTIME_ID", id: unix.CLOCK_PROCESS_CPUTIME_ID, kind: CPUTime},
	{name: "CLOCK_THREAD_CPUTIME_ID", id: unix.CLOCK_THREAD_CPUTIME_ID, kind: CPUTime},
	{name: "CPUCLOCK_VIRT", id: threadUserTime, kind: UserTime, kernelOnly: true},
	{name: "CLOCK_REALTIME_ALARM", id: unix.CLOCK_REALTIME_ALARM, kind: Wall, kernelOnly: true, needs: wakingRTC},
	{name: "CLOCK_BOOTTIME_ALARM", id: unix.CLOCK_BOOTTIME_ALARM, kind: Monotonic, kernelOnly: true, needs: wakingRTC},
}

// threadUserTime is the user time of the calling thread: CPUCLOCK_VIRT and CPUCLOCK_PERTHREAD_MASK of thread 0, by
// MAKE_THREAD_CPUCLOCK in include/linux/posix-timers_types.h. Java's getCurrentThreadUserTime reads it since JDK 26.
const threadUserTime = ^0<<3 | 1 | 4

// wakingRTC is what the alarm clocks need: alarm_clock_get_timespec in
// kernel/time/alarmtimer.c fails if no real-time clock can wake the machine. A read needs no
// privilege; a timer needs CAP_WAKE_ALARM.
const wakingRTC = "real-time clock (RTC) that can wake this machine"

// NameOf returns the name of an id of clock_gettime(2); "" if the catalogue lacks it.
func NameOf(id int32) string {
	for _, c := range clockIDs {
		if c.id == id {
			return c.name
		}
	}
	return ""
}
