// Package observe has the tools that every measurement of timebench watches clocks with,
// one of each kind:
//
//   - The stopwatch: [Now] returns the nanoseconds by which timebench times everything, and
//     [StopwatchCost] and [StopwatchTick] say how good they are.
//   - The tick of a clock: [Steps] are by which steps its values move, and [Step] makes one
//     figure of them.
//   - The value of one clock at a moment of another: a [Bracket], of which [Tightest] keeps
//     the best, and what follows from two of them, the [Rate] of a clock.
//   - Bounds for loops that keep a CPU busy: [Deadline] for the loop, [Patience] for whoever
//     waits for it.
package observe
