// Package clocksource switches the clock source of the Linux kernel for a while, and guarantees
// that the original is restored.
//
// The kernel derives its time from one clock source (tsc, hpet, kvm-clock ...). Root selects it by
// writing its name to a file in [Sysfs]. The selection applies to the whole machine, and a slow
// clock source makes every program slow.
//
// [Hold] starts a guardian: a second process of the same program, which only waits on a pipe.
// The measuring process alone holds the other end. [Switch.To] switches, and [Switch.Restore]
// restores the original and ends the guardian. If the pipe closes before, the guardian restores the original.
//
// # Why the original is always restored
//
// A process can end in these ways:
//
//   - It ends normally, with or without an error, or handles SIGINT, SIGTERM or SIGHUP: it
//     calls Restore, which keeps trying for 10 s.
//   - It ends before that: a panic in any goroutine, os.Exit, a fault, a signal that it does not
//     handle, SIGKILL, the out-of-memory killer. The kernel then closes its end of the pipe
//     (exit_files in kernel/exit.c), which no other process has open, because it is marked
//     close-on-exec. The guardian reads the end of the pipe and restores.
//   - It is killed during a switch. The kernel closes the files when the last thread has left
//     the kernel, and a thread in write(2) leaves it only after the write, which switches under a
//     mutex that no signal interrupts (current_clocksource_store in kernel/time/clocksource.c). So
//     the guardian writes last. It knows of the switch, which is announced on the pipe first.
//   - The guardian ends first. Nothing is switched any more: To first writes to the pipe, which fails if
//     nobody reads it (EPIPE, pipe(7)), and then restores.
//
// The guardian survives what ends the measuring process. It is in its own session, so it gets no
// signal from a terminal and none for a process group. It ignores all signals that can be ignored.
// Its name is not timebench, so killall(1) and pkill(1) do not find it. If permitted, it exempts
// itself from the out-of-memory killer. Nothing is switched before it is ready. Both processes hold a lock on the
// folder, so that a second timebench is refused instead of taking a switched clock source for the original.
//
// If both are killed, a record in /run/timebench/clocksource.json remains: see [Record].
//
// # What this does not cover
//
//   - Both processes killed at the same time with SIGKILL: by hand, with their control group,
//     with process 1 of their container, or by the killall of busybox, which matches the file
//     name of the program. The record reports it afterwards; a container may lose its /run.
//   - A process that is stopped (SIGSTOP) instead of killed: the clock source stays switched
//     until the process continues or is killed.
//   - An original that the kernel withdraws meanwhile, because it finds it unstable. Restore and the
//     guardian then let the kernel select the best remaining one, and report it.
//   - A timebench in another network namespace, as in another container: sysfs is a separate
//     file system there, with its own locks.
//   - The original is written as a manual selection, which counts as `clocksource=` on the kernel
//     command line does, until the next boot.
package clocksource

// A Folder is the folder in sysfs with the files of the clock sources.
type Folder string

// Sysfs is the path of that folder in every Linux kernel (kernel/time/clocksource.c).
const Sysfs Folder = "/sys/devices/system/clocksource/clocksource0"

// GuardianRole is the role of a guardian: it calls [Guard].
const GuardianRole = "guardian"

// GuardianName is the process name of a guardian. It is not timebench, so that `killall timebench`
// does not match it. The kernel allows 15 bytes.
const GuardianName = "clock-guardian"
