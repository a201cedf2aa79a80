package perfevent

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ringKiB are the sizes of the data of a ring in KiB, in the order in which they are tried. With a control page of 4
// KiB, the largest is as much as an ordinary user may lock for each CPU (perf_event_mlock_kb is 516), and holds the
// samples of a second. The kernel refuses it if the user's other programs hold rings.
var ringKiB = []int{512, 128, 32}

// A Ring is the memory into which the kernel writes the records of a CPU.
//
// The kernel moves data_head after it has written a whole record, and Read moves data_tail after it has copied the
// records; perf_event_open(2) describes the order. The memory is mapped and not part of Go's heap, so the garbage
// collector neither moves nor frees it.
type Ring struct {
	owner   int // the event whose ring it is
	memory  []byte
	control *unix.PerfEventMmapPage
	data    []byte
	copied  []byte // by Read
}

func newRing(fd int) (*Ring, error) {
	var refused error
	page := os.Getpagesize()
	for _, kib := range ringKiB {
		pages := max(1, kib*1024/page) // a power of two, as the kernel requires
		memory, err := unix.Mmap(fd, 0, (1+pages)*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err == nil {
			return &Ring{owner: fd, memory: memory, control: (*unix.PerfEventMmapPage)(unsafe.Pointer(&memory[0])),
				data: memory[page:]}, nil
		}
		refused = fmt.Errorf("a ring of %d KiB for each CPU (kernel.perf_event_mlock_kb): %w", (1+pages)*page/1024, err)
		if !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.ENOMEM) {
			break
		}
	}
	return nil, refused
}

// Read calls visit for each record that is new since the last Read.
func (r *Ring) Read(visit func(*Record)) error {
	head, tail := atomic.LoadUint64(&r.control.Data_head), r.control.Data_tail
	size := uint64(len(r.data))
	r.copied = r.copied[:0]
	for at := tail; at < head; {
		part := r.data[at%size:]
		part = part[:min(uint64(len(part)), head-at)]
		r.copied, at = append(r.copied, part...), at+uint64(len(part))
	}
	atomic.StoreUint64(&r.control.Data_tail, head)
	return decode(r.copied, visit)
}

func (r *Ring) close() error { return unix.Munmap(r.memory) }
