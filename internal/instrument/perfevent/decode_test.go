package perfevent

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// record returns the bytes of a record: its header, its words of 32 and 64 bits as they come, and a
// text that is padded to 8 bytes.
func record(kind Kind, misc uint16, parts ...any) []byte {
	body := []byte{}
	for _, part := range parts {
		switch part := part.(type) {
		case uint32:
			body = binary.NativeEndian.AppendUint32(body, part)
		case int32:
			body = binary.NativeEndian.AppendUint32(body, uint32(part)) //nolint:gosec // its bits
		case uint64:
			body = binary.NativeEndian.AppendUint64(body, part)
		case string:
			body = append(append(body, part...), make([]byte, 8-len(part)%8)...)
		}
	}
	b := binary.NativeEndian.AppendUint32(nil, uint32(kind))
	b = binary.NativeEndian.AppendUint16(b, misc)
	b = binary.NativeEndian.AppendUint16(b, uint16(headerSize+len(body))) //nolint:gosec // short
	return append(b, body...)
}

// trailer is the end of a record that is not a sample, which the kernel adds.
var trailer = []any{uint32(7), uint32(8), uint64(1234)}

func with(parts ...any) []any { return append(parts, trailer...) }

// all are records of each kind, and the values that they decode to.
var all = []struct {
	bytes []byte
	means Record
}{
	{record(Lost, 0, with(uint64(5), uint64(42))...), Record{Kind: Lost, PID: 7, TID: 8, TimeNS: 1234, Lost: 42}},
	{record(LostSamples, 0, with(uint64(3))...), Record{Kind: LostSamples, PID: 7, TID: 8, TimeNS: 1234, Lost: 3}},
	{record(Comm, commExec, with(uint32(70), uint32(71), "java")...),
		Record{Kind: Comm, PID: 70, TID: 71, TimeNS: 1234, Name: "java", Exec: true}},
	{record(Comm, 0, with(uint32(70), uint32(71), "sixteen.bytes.at")...),
		Record{Kind: Comm, PID: 70, TID: 71, TimeNS: 1234, Name: "sixteen.bytes.at"}},
	{record(Fork, 0, with(uint32(70), uint32(60), uint32(71), uint32(61), uint64(9))...),
		Record{Kind: Fork, PID: 70, ParentPID: 60, TID: 71, TimeNS: 1234}},
	{record(Exit, 0, with(uint32(70), uint32(60), uint32(71), uint32(61), uint64(9))...),
		Record{Kind: Exit, PID: 70, ParentPID: 60, TID: 71, TimeNS: 1234}},
	{record(Throttle, 0, with(uint64(1), uint64(2), uint64(3))...),
		Record{Kind: Throttle, PID: 7, TID: 8, TimeNS: 1234}},
	{
		record(Map, 0, with(uint32(70), uint32(71), uint64(0x7fff0000), uint64(0x2000), uint64(0), uint32(0), uint32(0),
			uint64(0), uint64(0), uint32(5), uint32(2), "[vdso]")...),
		Record{Kind: Map, PID: 70, TID: 71, TimeNS: 1234, Start: 0x7fff0000, Length: 0x2000, Name: "[vdso]"},
	},
	{
		record(Sample, 0, uint64(0x1), uint32(70), uint32(71), uint64(1234), uint64(8),
			contextKernel, uint64(0xffffffff81000000), uint64(0xffffffff81000001), ^uint64(32)+1, uint64(0xbad),
			contextUser, uint64(0x7fff0100), uint64(0x400000)),
		Record{Kind: Sample, PID: 70, TID: 71, TimeNS: 1234, Kernel: []uint64{0xffffffff81000000, 0xffffffff81000001},
			User: []uint64{0x7fff0100, 0x400000}},
	},
	{ // of a process in another PID namespace
		record(Sample, 0, uint64(0x1), int32(-1), int32(-1), uint64(1234), uint64(0)),
		Record{Kind: Sample, PID: -1, TID: -1, TimeNS: 1234},
	},
}

func TestDecode(t *testing.T) {
	var together []byte
	var means []Record
	for _, of := range all {
		together = append(append(together, of.bytes...), record(99, 0, uint64(1))...) // an unknown kind between them
		means = append(means, of.means)
	}
	var got []Record
	visit := func(r *Record) { got = append(got, *r) }
	require.NoError(t, decode(together, visit))
	require.Equal(t, means, got)
}

func TestDecodeRefusesWhatIsNoRecord(t *testing.T) {
	none := func(*Record) { t.Error("visited a damaged record") }
	short := record(Sample, 0)
	short[6] = 4
	require.EqualError(t, decode(short, none), "record of kind 9 at byte 0: its size is 4; it must be from 8 to 8")
	require.EqualError(t, decode(record(Fork, 0, uint64(1)), none),
		"record of kind 7 at byte 0: 16 bytes are too few")
	// A callchain longer than its record.
	require.EqualError(t, decode(record(Sample, 0, uint64(1), uint32(7), uint32(8), uint64(1), ^uint64(0)), none),
		"record of kind 9 at byte 0: 40 bytes are too few")
}

func FuzzDecode(f *testing.F) {
	for _, of := range all {
		f.Add(of.bytes)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		addresses := 0
		_ = decode(data, func(r *Record) { addresses += len(r.Kernel) + len(r.User) })
		if addresses > len(data)/8 {
			t.Errorf("%d addresses of %d bytes", addresses, len(data))
		}
	})
}
