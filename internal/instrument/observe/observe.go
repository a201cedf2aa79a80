// Package observe has the tools of all measurements of timebench:
//
//   - The stopwatch: [Now] returns the nanoseconds by which timebench times everything; [StopwatchCost] and
//     [StopwatchTick] return its latency and its resolution.
//   - The tick of a clock: [Steps] are the steps of its values, and [Step] returns their median.
//   - The value of one clock at a moment of another: a [Bracket]. [Tightest] keeps the best bracket, and two of them
//     give the [Rate] of a clock.
//   - Threads on several CPUs: a [Crew] runs tasks on threads, and [Together] has a thread on each CPU read a clock at
//     the same time. The threads end by themselves even if they own their CPUs, and detect that they were moved to
//     another CPU. No thread waits forever for another thread that gets no CPU.
package observe
