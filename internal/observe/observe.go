// Package observe has the tools that every measurement of timebench watches clocks with,
// one of each kind:
//
//   - The stopwatch: [Now] returns the nanoseconds by which timebench times everything, and
//     [StopwatchCost] and [StopwatchTick] say how good they are.
//   - The tick of a clock: [Steps] are by which steps its values move, and [Step] makes one
//     figure of them.
//   - The value of one clock at a moment of another: a [Bracket], of which [Tightest] keeps
//     the best, and what follows from two of them, the [Rate] of a clock.
//   - Threads on several CPUs: a [Crew] is threads that do tasks, and [Together] has one on
//     each CPU read a clock at the same time. They end by themselves even where they own their
//     CPUs, notice that they were moved from them, and nobody waits for ever for one that gets
//     no CPU.
package observe
