package perfevent

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

const headerSize = 8

// trailerSize is the size of struct sample_id at the end of each record that is no Sample:
// thread and time.
const trailerSize = 16

// commExec is PERF_RECORD_MISC_COMM_EXEC.
const commExec = 1 << 13

// The marks between the parts of a callchain: enum perf_callchain_context. Every address from
// contextMax on is a mark.
const (
	contextKernel = ^uint64(128) + 1
	contextUser   = ^uint64(512) + 1
	contextMax    = ^uint64(4095) + 1
)

// decode calls visit for each record. An error means that the bytes are not records of such events; nothing after them
// can be decoded.
func decode(data []byte, visit func(*Record)) error {
	for at := 0; len(data)-at >= headerSize; {
		header := data[at:]
		kind, misc, size := Kind(binary.NativeEndian.Uint32(header)), binary.NativeEndian.Uint16(header[4:]), int(binary.NativeEndian.Uint16(header[6:]))
		if size < headerSize || size > len(header) {
			return fmt.Errorf("record of kind %d at byte %d: its size is %d; it must be from %d to %d", kind, at, size,
				headerSize, len(header))
		}
		record := Record{Kind: kind}
		known, ok := record.fill(misc, header[headerSize:size])
		if !ok {
			return fmt.Errorf("record of kind %d at byte %d: %d bytes are too few", kind, at, size)
		}
		if known {
			visit(&record)
		}
		at += size
	}
	return nil
}

// fill fills in a record from its body. known is false for a kind that is skipped; ok is false if the body is too
// short.
func (r *Record) fill(misc uint16, body []byte) (known, ok bool) {
	if r.Kind == Sample {
		return true, r.fillSample(body)
	}
	least, known := map[Kind]int{Lost: 16, Comm: 8, Exit: 24, Throttle: 24, Fork: 24, Map: 64, LostSamples: 8}[r.Kind]
	if !known {
		return false, true
	}
	if len(body) < least+trailerSize {
		return true, false
	}
	r.fillTrailer(body[len(body)-trailerSize:])
	body = body[:len(body)-trailerSize]
	word := func(i int) int { return int(int32(binary.NativeEndian.Uint32(body[4*i:]))) } //nolint:gosec // a PID is an int32
	long := func(i int) uint64 { return binary.NativeEndian.Uint64(body[8*i:]) }
	switch r.Kind {
	case Lost:
		r.Lost = long(1)
	case LostSamples:
		r.Lost = long(0)
	case Comm:
		r.PID, r.TID, r.Name, r.Exec = word(0), word(1), text(body[8:]), misc&commExec != 0
	case Fork, Exit:
		r.PID, r.ParentPID, r.TID = word(0), word(1), word(2)
	case Map:
		r.PID, r.TID, r.Start, r.Length, r.Name = word(0), word(1), long(1), long(2), text(body[64:])
	}
	return true, true
}

func (r *Record) fillTrailer(b []byte) {
	r.PID, r.TID = int(int32(binary.NativeEndian.Uint32(b))), int(int32(binary.NativeEndian.Uint32(b[4:]))) //nolint:gosec // a PID is an int32
	r.TimeNS = binary.NativeEndian.Uint64(b[8:])
}

// fillSample fills in a sample: the address, the thread, the time, and the callchain.
func (r *Record) fillSample(body []byte) bool {
	const fixed = 8 + trailerSize + 8
	if len(body) < fixed {
		return false
	}
	r.fillTrailer(body[8:])
	count, chain := binary.NativeEndian.Uint64(body[8+trailerSize:]), body[fixed:]
	if count > uint64(len(chain)/8) {
		return false
	}
	var part *[]uint64
	for i := range count {
		switch address := binary.NativeEndian.Uint64(chain[8*i:]); {
		case address == contextKernel:
			part = &r.Kernel
		case address == contextUser:
			part = &r.User
		case address >= contextMax:
			part = nil // of a hypervisor or a guest
		case part != nil:
			*part = append(*part, address)
		}
	}
	return true
}

func text(b []byte) string {
	before, _, _ := bytes.Cut(b, []byte{0})
	return string(before)
}
