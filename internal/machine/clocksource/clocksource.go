// Package clocksource switches the clock source of the Linux kernel for a while, and guarantees that the original is
// restored.
//
// The kernel derives its time from one clock source (tsc, hpet, kvm-clock ...). Root selects it by writing its name to
// a file in [Sysfs]. The selection applies to the whole machine, and a slow clock source makes every program slow.
//
// [Hold] starts a guardian: another process of timebench. It alone writes to that file. The measuring process asks it
// over a pipe to switch ([Switch.To]), and at the end of the pipe the guardian restores the original.
//
// # Why the original is restored
//
//   - The measuring process ends in any way: it calls [Switch.Restore], which closes the pipe, or it panics, exits, or
//     is killed at any point, and the kernel closes the pipe (exit_files in kernel/exit.c). No other process has that
//     end of the pipe open, because it is close-on-exec. The guardian completes the switch that it is in, reads the
//     end, and restores.
//   - The guardian is killed, at any point. The measuring process reads the end of the answers, and starts another
//     guardian, which restores. It writes last: the kernel closes the files of a process when its last thread has left
//     the kernel, and a thread in write(2) leaves it only after the switch (current_clocksource_store in
//     kernel/time/clocksource.c).
//   - Both are killed. The [Record] in /run/timebench/clocksource.json stays, which the guardian wrote before the first
//     switch. Doctor reports it, and the next experiment starts with a guardian that restores ([Folder.Recover]).
//
// The guardian survives what ends the measuring process. It is in its own session, so it gets no signal from a terminal
// and none for a process group. It ignores all signals that can be ignored. Its name is not timebench, so killall(1)
// and pkill(1) do not find it. If permitted, it exempts itself from the out-of-memory killer. It is ready before the
// first switch. Both processes hold a lock on the folder, so that a second timebench is refused instead of taking a
// switched clock source for the original.
//
// # What this does not cover
//
//   - A measuring process that is stopped (SIGSTOP) instead of killed: the clock source stays switched until it
//     continues or is killed.
//   - An original that the kernel withdraws meanwhile, because it finds it unstable. The guardian then lets the kernel
//     select the best remaining one, and reports it.
//   - A container that loses its /run, and with it the record.
//   - A timebench in another network namespace, as in another container: sysfs is a separate file system there, with
//     its own locks.
//   - The original is written as a manual selection, which counts as `clocksource=` on the kernel command line does,
//     until the next boot.
package clocksource

import "strings"

// A Folder is the folder in sysfs with the files of the clock sources.
type Folder string

// Sysfs is the path of that folder in every Linux kernel (kernel/time/clocksource.c).
const Sysfs Folder = "/sys/devices/system/clocksource/clocksource0"

// GuardianRole is the role of a guardian: it calls [Guard].
const GuardianRole = "guardian"

// GuardianName is the process name of a guardian. It is not timebench, so that `killall timebench`
// does not match it. The kernel allows 15 bytes.
const GuardianName = "clock-guardian"

// maxName is the maximum length of the name of a clock source in bytes: CS_NAME_LEN without the
// final zero (kernel/time/tick-internal.h).
const maxName = 31

// Name returns the text if it can be the name of a clock source; otherwise "".
func Name(text string) string {
	if len(text) > maxName || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return text
}
