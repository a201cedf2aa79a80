package clock

// goIsCoarse: Go reads the interrupt time that the kernel shares with every process
// (runtime/time_windows.h), which the system timer's interrupt keeps.
const goIsCoarse = true
