//go:build lab && linux

package lab

import (
	"bytes"
	"fmt"
)

// An archive is a root file system in the form that a kernel unpacks when it starts: cpio
// with the header "newc" (the kernel's Documentation/driver-api/early-userspace).
type archive struct {
	packed bytes.Buffer
}

// The modes of entries, as in inode(7).
const (
	folder  = 0o040755
	program = 0o100755
)

// add appends an entry. Folders come before their contents.
func (a *archive) add(name string, mode int, content []byte) {
	header := []any{0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0}
	a.packed.WriteString("070701")
	for _, field := range header {
		fmt.Fprintf(&a.packed, "%08X", field)
	}
	a.packed.WriteString(name + "\x00")
	a.align()
	a.packed.Write(content)
	a.align()
}

// align brings the next part to a multiple of four bytes.
func (a *archive) align() {
	for a.packed.Len()%4 != 0 {
		a.packed.WriteByte(0)
	}
}

// whole ends the archive and returns it.
func (a *archive) whole() []byte {
	a.add("TRAILER!!!", 0, nil)
	return a.packed.Bytes()
}
