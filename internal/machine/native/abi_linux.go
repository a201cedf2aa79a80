package native

// NoSyscall is the number of a system call that the CPU does not have.
const NoSyscall = ^uintptr(0)
