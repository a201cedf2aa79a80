// Package clocksource switches the clock source of the Linux kernel for a while,
// and sees to it that the original comes back.
//
// The kernel makes its time of one clock source (tsc, hpet, kvm-clock ...), which
// root may choose by writing its name into a file in [Sysfs]. Whoever switches it to
// measure must put the original back, whatever becomes of the measuring process: the
// choice is the whole machine's, and a slow one makes every program slow.
//
// [Hold] starts a guardian: a second process of the same program, which does nothing
// but wait on a pipe whose other end the measuring process alone holds. Then
// [Switch.To] switches and [Switch.Restore] puts the original back. When the pipe
// closes and the measuring process has not said that it is done, the guardian does.
//
// # Why the original comes back
//
// A process can end in these ways:
//
//   - It comes to its end, with or without an error, or handles SIGINT, SIGTERM or
//     SIGHUP: it calls Restore, which writes the original and waits until the
//     kernel shows it. Where that fails the guardian goes on trying for 10 s more.
//   - It does not get there: a panic in any goroutine, os.Exit, a fault, a signal
//     that it does not handle, SIGKILL, the kernel's out-of-memory killer. The kernel
//     then closes its files (exit_files in kernel/exit.c), among them its end of the
//     pipe; no one else has that open, for it is marked close-on-exec. The guardian
//     reads the end of the pipe and restores.
//   - It is killed in the middle of a switch. Files are closed when the last thread has
//     left the kernel, and a thread inside write(2) leaves it when the write is done:
//     the kernel switches within that call, under a mutex that no signal interrupts
//     (current_clocksource_store in kernel/time/clocksource.c). So the guardian's write
//     comes after the last one of the measuring process. That said on the pipe that it
//     would switch before it did, so the guardian knows.
//   - The guardian ends first. The measuring process sees its child end, restores at
//     once and closes [Switch.Done]. Nothing is switched any more, not even before it has
//     seen that: To first writes to the pipe, which is an error when no one reads it
//     (EPIPE, pipe(7)).
//
// The guardian survives what ends the measuring process: it is in a session of its
// own, so that no signal from a terminal and none for a process group reaches it, and
// it ignores those that are sent to it by its number, SIGKILL and SIGSTOP aside, which
// no process can ignore. Its name is not timebench, so that killall(1) and pkill(1) do not
// find it, and where that is allowed the out-of-memory killer leaves it alone
// (oom_score_adj). It reads the original itself before it says that it is ready,
// and nothing is switched before. Both hold a lock on the folder, so that a second
// timebench is refused rather than taking a switched clock source for the original.
//
// # What is left where both are killed
//
// From the first switch until the original is back a record stands in
// /run/timebench/clocksource.json: the original, since when, the two processes by their
// ids and starts, and the boot. [Folder.Abandoned] finds it where neither of them lives and
// another clock source is in use; doctor reports that before all else, and the next
// experiment offers [Folder.Recover]. A record that tells nothing any more, as after a
// restore by hand, is taken away by the next experiment. Where /run is missing or
// read-only there is no record, and all else is the same.
//
// # What this cannot cover
//
//   - Both processes killed in one stroke with SIGKILL: by hand, with their control
//     group, with process 1 of the container they run in, or by the killall of busybox,
//     which goes by the program's file. The record tells afterwards, on the machine; a
//     container may take its /run with it.
//   - A process that is stopped (SIGSTOP) rather than ended: the clock source stays as
//     it is until the process goes on, or is killed.
//   - A machine that loses its power. The choice is not kept over a restart anyway.
//   - An original that the kernel takes away in the meantime: it withdraws a clock
//     source that it finds unstable, and it finds so more easily while all CPUs read a
//     slow one. Restore and the guardian then have the kernel choose the best of the
//     others, and say which that is. Until the machine restarts the original is gone.
//   - A timebench in another network namespace, as in another container: sysfs is
//     there another file system, with locks of its own.
//   - What the kernel would choose by itself. The original is written as a choice, as
//     `clocksource=` on the kernel's command line would be, until the machine restarts.
package clocksource

// A Folder is the folder in sysfs in which the kernel shows its clock sources, and
// takes the choice of one.
type Folder string

// Sysfs is where every Linux kernel has that folder (kernel/time/clocksource.c).
const Sysfs Folder = "/sys/devices/system/clocksource/clocksource0"

// GuardianCommand is the command of timebench that makes a process a guardian: it
// calls [Guard].
const GuardianCommand = "guardian"

// GuardianName is the name of a guardian among the processes. It is not timebench, so
// that `killall timebench` does not reach it; 15 bytes are the most that a name can have.
const GuardianName = "clock-guardian"
