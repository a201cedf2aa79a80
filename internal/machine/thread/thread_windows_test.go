package thread

import (
	"encoding/binary"
	"math/bits"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRunPinsToEachCPU(t *testing.T) {
	require.NotEmpty(t, Usable())
	for _, cpu := range Usable() {
		require.NoError(t, Run(cpu, func() {
			for range 100 {
				Yield()
				assert.Equal(t, cpu, Current())
			}
		}))
	}
}

func TestMoveLeavesTheThreadFree(t *testing.T) {
	all := Usable()
	require.NoError(t, Run(Any, func() {
		for _, cpu := range all {
			before, err := confine(cpu)
			assert.NoError(t, err)
			_, err = setAffinity(before)
			assert.NoError(t, err)
			_, err = confine(all[len(all)-1])
			assert.NoError(t, err)
			_, err = setAffinity(before)
			assert.NoError(t, err)
			assert.NoError(t, Move(cpu))
			after, err := confine(cpu)
			assert.NoError(t, err)
			assert.Equal(t, before, after)
			_, err = setAffinity(before)
			assert.NoError(t, err)
		}
	}))
}

func TestRunRefusesACPUThatThereIsNot(t *testing.T) {
	err := Run(maxCPU, func() { t.Error("the function ran") })
	require.EqualError(t, err, "pin a thread to CPU 65536: there is no CPU 65536 in 1 processor groups")
	require.Error(t, Move(-2))
}

// A machine with 32, 20 and 8 CPUs in three groups: a group of a 64-bit Windows has up to 64.
func TestCPUsAreNumberedGroupByGroup(t *testing.T) {
	sizes := []int{32, 20, 8}
	for cpu, want := range map[int]groupAffinity{
		0: {mask: 1, group: 0}, 31: {mask: 1 << 31, group: 0}, 32: {mask: 1, group: 1}, 51: {mask: 1 << 19, group: 1},
		59: {mask: 1 << 7, group: 2},
	} {
		got, err := place(cpu, sizes)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, []int{cpu}, numbers(want.mask, int(want.group), sizes))
	}
	for _, cpu := range []int{-1, 60} {
		_, err := place(cpu, sizes)
		require.Error(t, err)
	}
	require.Equal(t, ^uintptr(0), groupMask(bits.UintSize))
	require.Equal(t, uintptr(0xff), groupMask(8))
}

// entry is a SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX of a core or package.
func entry(relationship uint32, groups ...groupAffinity) []byte {
	const header = 32
	data := make([]byte, header, header+int(unsafe.Sizeof(groupAffinity{}))*len(groups))
	binary.LittleEndian.PutUint32(data, relationship)
	binary.LittleEndian.PutUint16(data[30:], uint16(len(groups)))
	for _, g := range groups {
		data = append(data, unsafe.Slice((*byte)(unsafe.Pointer(&g)), unsafe.Sizeof(g))...)
	}
	binary.LittleEndian.PutUint32(data[4:], uint32(len(data)))
	return data
}

func TestTopologyFromRelations(t *testing.T) {
	data := entry(relationProcessorPackage, groupAffinity{mask: 0xf})
	data = append(data, entry(relationProcessorCore, groupAffinity{mask: 3})...)
	data = append(data, entry(2, groupAffinity{mask: 0xff})...) // a cache
	data = append(data, entry(relationProcessorCore, groupAffinity{mask: 0xc})...)
	data = append(data, entry(relationProcessorCore, groupAffinity{mask: 3, group: 1})...)
	data = append(data, entry(relationProcessorPackage, groupAffinity{mask: 3, group: 1})...)
	relations, err := parseRelations(data)
	require.NoError(t, err)
	require.Equal(t, []CPU{{0, 0, 0}, {1, 0, 0}, {2, 0, 1}, {3, 0, 1}, {5, 1, 2}},
		arranged(flat([]int{0, 1, 2, 3, 5}), relations, []int{4, 2}))
	whole := map[int]bool{} // where an entry ends
	for at := 0; at < len(data); whole[at] = true {
		at += int(binary.LittleEndian.Uint32(data[at+4:]))
	}
	for n := 1; n < len(data); n++ {
		_, err := parseRelations(data[:n])
		require.Equal(t, whole[n], err == nil, "%d bytes", n)
	}
	for _, bad := range [][]byte{{1, 2, 3}, entry(0)[:31], {0, 0, 0, 0, 0, 0, 0, 0}, {9, 0, 0, 0, 255, 0, 0, 0}} {
		_, err := parseRelations(bad)
		require.ErrorIs(t, err, errRelations)
	}
	lying := entry(relationProcessorCore)
	binary.LittleEndian.PutUint16(lying[30:], 9)
	_, err = parseRelations(lying)
	require.ErrorIs(t, err, errRelations)
}

func TestTopologyOfThisMachine(t *testing.T) {
	require.NotEmpty(t, processorRelations())
	require.Len(t, Topology(), len(Usable()))
}
