package wake

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// uringParameters is struct io_uring_params of include/uapi/linux/io_uring.h.
type uringParameters struct {
	sqEntries, cqEntries uint32
	_                    [8]uint32
	sq                   struct{ head, tail, mask, entries, flags, dropped, array, _, _, _ uint32 }
	cq                   struct{ head, tail, mask, entries, overflow, cqes, flags, _, _, _ uint32 }
}

// uringEntry is struct io_uring_sqe.
type uringEntry struct {
	opcode, flags        uint8
	priority             uint16
	fd                   int32
	offset, address      uint64
	length, timeoutFlags uint32
	data                 uint64
	_                    [3]uint64
}

// ioUring opens a ring with one entry, and submits a timeout at an absolute time in it.
func ioUring(c *cleanup) (sleeper, error) {
	const (
		offSQRing, offSQEs             = 0, 0x10000000
		opTimeout, absolute, getEvents = 11, 1, 1
	)
	p := new(uringParameters)
	ring, _, errno := unix.RawSyscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(p)), 0)
	if errno != 0 {
		return nil, fmt.Errorf("io_uring_setup(2): %w", errno)
	}
	c.add(func() { _ = unix.Close(int(ring)) })
	const cqe = 16 // bytes
	size := max(p.sq.array+4*p.sqEntries, p.cq.cqes+cqe*p.cqEntries)
	// Both rings are in one mapping since Linux 5.4 (IORING_FEAT_SINGLE_MMAP), in which timeouts are new too.
	rings, err := unix.Mmap(int(ring), offSQRing, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return nil, fmt.Errorf("io_uring: mmap(2): %w", err)
	}
	entries, err := unix.Mmap(int(ring), offSQEs, int(unsafe.Sizeof(uringEntry{})), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED|unix.MAP_POPULATE)
	c.add(func() { _ = unix.Munmap(rings); _ = unix.Munmap(entries) })
	if err != nil {
		return nil, fmt.Errorf("io_uring: mmap(2): %w", err)
	}
	at := new([2]int64) // struct __kernel_timespec
	entry, word := (*uringEntry)(unsafe.Pointer(&entries[0])), func(offset uint32) *uint32 {
		return (*uint32)(unsafe.Pointer(&rings[offset]))
	}
	*word(p.sq.array) = 0
	tail, head, completed := word(p.sq.tail), word(p.cq.head), word(p.cq.tail)
	enter := &sleepingCall{number: unix.SYS_IO_URING_ENTER, args: [6]uintptr{ring, 1, 1, getEvents}}
	return func(span int64) (int64, error) {
		deadline := monotonic() + span
		at[0], at[1] = deadline/1e9, deadline%1e9
		*entry = uringEntry{opcode: opTimeout, fd: -1, address: uint64(uintptr(unsafe.Pointer(at))), length: 1,
			timeoutFlags: absolute}
		atomic.AddUint32(tail, 1)
		enter.args[1] = 1 // to submit
		late, err := enter.until(deadline)
		enter.args[1] = 0
		if err == nil && atomic.LoadUint32(completed) == *head { // a signal ended the wait, and the timeout runs on
			for err = unix.EINTR; errors.Is(err, unix.EINTR); {
				late, err = enter.until(deadline)
			}
			if err == nil && atomic.LoadUint32(completed) == *head {
				err = errors.New("io_uring_enter(2) returned before the timeout") // not by a kernel: by a sandbox
			}
		}
		if err == nil {
			result := *(*int32)(unsafe.Pointer(&rings[p.cq.cqes+cqe*(*head&(p.cqEntries-1))+8]))
			atomic.AddUint32(head, 1)
			if errno := unix.Errno(-result); errno != unix.ETIME {
				return 0, errno
			}
		}
		return late, err
	}, nil
}
