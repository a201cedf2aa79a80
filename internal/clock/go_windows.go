package clock

// goIsCoarse: Go reads the interrupt time in the page that the kernel shares with every process
// (runtime/time_windows.h), which the timer interrupt updates.
const goIsCoarse = true
