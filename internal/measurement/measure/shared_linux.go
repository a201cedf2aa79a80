package measure

import (
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sharedFD is the descriptor of the shared memory in a worker process: the first after the
// standard ones, where exec.Cmd.ExtraFiles begin.
const sharedFD = 3

// shared is memory that worker processes can map: memfd_create(2).
type shared struct {
	file   *os.File
	memory unsafe.Pointer // zeroed; it stays mapped when the rest is closed
}

func newShared(size uintptr) (*shared, error) {
	fd, err := unix.MemfdCreate("timebench-gate", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	s := &shared{file: os.NewFile(uintptr(fd), "timebench-gate")}
	if err = s.file.Truncate(int64(size)); err == nil {
		s.memory, err = mapFD(fd, size)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *shared) inherit(command *exec.Cmd) { command.ExtraFiles = []*os.File{s.file} }

func (s *shared) close() { _ = s.file.Close() }

func inherited(size uintptr) (unsafe.Pointer, error) { return mapFD(sharedFD, size) }

func mapFD(fd int, size uintptr) (unsafe.Pointer, error) {
	memory, err := unix.Mmap(fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return unsafe.Pointer(&memory[0]), nil
}

func unmap(memory unsafe.Pointer, size uintptr) {
	_ = unix.Munmap(unsafe.Slice((*byte)(memory), size))
}
