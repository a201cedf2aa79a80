// Package wake measures how late a program wakes up that asked to sleep until a deadline, for each way to sleep that
// the system has, and which part of the lateness has which cause.
//
// The lateness of a sleep is the time of its wake-up minus its deadline. The deadline is an absolute time at a random
// phase, so a way that misses it by a tick pays for the whole tick. In each pass the ways sleep in
// turn, in an order shuffled anew.
//
// Layers come from passes that differ in one cause only: timer slack of 1 ns, and CPUs that a thread of SCHED_IDLE
// keeps awake. A way that rounds to milliseconds is compared with the same call in nanoseconds. Without a cause the
// median falls by its layer. A difference within the intervals of the medians is part of the rest.
//
// The measuring thread blocks its signals and makes raw system calls. On Linux it sleeps outside of Go's scheduler, as
// a C program does: see outside. The garbage collector is off while the ways sleep.
package wake
