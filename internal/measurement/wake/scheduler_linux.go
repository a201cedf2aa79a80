//go:build !race

package wake

import _ "unsafe" // for go:linkname

// leave tells Go's scheduler that this thread makes a long system call: it takes the thread's P away at once. enter
// waits for a P. Other packages may use both (go.dev/issue/67401).
//
//go:linkname leave runtime.entersyscallblock
func leave()

//go:linkname enter runtime.exitsyscall
func enter()
