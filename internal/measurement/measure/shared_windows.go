package measure

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// sharedHandle is the environment variable with the handle of the shared memory, which a worker process inherits.
const sharedHandle = "TIMEBENCH_WORKER_MEMORY"

// shared is memory that worker processes can map: CreateFileMapping of the paging file, with
// a handle that only those processes inherit.
type shared struct {
	handle windows.Handle
	memory unsafe.Pointer // zeroed; it stays mapped when the rest is closed
}

func newShared(size uintptr) (*shared, error) {
	attributes := &windows.SecurityAttributes{InheritHandle: 1}
	attributes.Length = uint32(unsafe.Sizeof(*attributes))
	handle, err := windows.CreateFileMapping(windows.InvalidHandle, attributes, windows.PAGE_READWRITE,
		uint32(uint64(size)>>32), uint32(size), nil)
	if err != nil {
		return nil, err
	}
	s := &shared{handle: handle}
	if s.memory, err = mapHandle(handle, size); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *shared) inherit(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{syscall.Handle(s.handle)}}
	command.Env = append(os.Environ(), sharedHandle+"="+strconv.FormatUint(uint64(s.handle), 10))
}

func (s *shared) close() { _ = windows.CloseHandle(s.handle) }

func inherited(size uintptr) (unsafe.Pointer, error) {
	handle, err := strconv.ParseUint(os.Getenv(sharedHandle), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s holds no handle", sharedHandle)
	}
	return mapHandle(windows.Handle(handle), size)
}

func mapHandle(handle windows.Handle, size uintptr) (unsafe.Pointer, error) {
	address, err := windows.MapViewOfFile(handle, windows.FILE_MAP_READ|windows.FILE_MAP_WRITE, 0, 0, size)
	if err != nil {
		return nil, err
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&address)), nil // memory that is not Go's and does not move
}

func unmap(memory unsafe.Pointer, _ uintptr) { _ = windows.UnmapViewOfFile(uintptr(memory)) }
