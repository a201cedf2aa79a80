//go:build linux && !cgo && (amd64 || arm64)

// The Go runtime reads the counter of the CPU before it runs any code of a program, and the vDSO reads it too. If
// prctl(PR_SET_TSC) forbids that, a setting inherited from the parent, the program would end by SIGSEGV without a
// message. The runtime calls the function in _cgo_init first, if it is set; without cgo nothing else sets it
// (runtime·rt0_go in asm_amd64.s and asm_arm64.s). Here it is beforeStart, which ends the program with a message in
// that case.
//
// With cgo the program has a dynamic linker, which reads the counter even before that.

package native

// threadLocal is the memory of the first thread for the word in which Go keeps the running goroutine. On amd64 the
// runtime leaves setting it to _cgo_init. On arm64 that word is a register.
var threadLocal [2]uintptr //nolint:unused // beforeStart uses it

// forbiddenCounter is what beforeStart prints. It is a constant that assembly can address.
var forbiddenCounter = "timebench: prctl(PR_SET_TSC) forbids this process to read the counter of the CPU, which the Go runtime and the vDSO need; start it from a process that may\n" //nolint:unused // beforeStart uses it
