package thread

import (
	"encoding/binary"
	"errors"
	"unsafe"
)

var getLogicalProcessorInformationEx = kernel32.NewProc("GetLogicalProcessorInformationEx")

// LOGICAL_PROCESSOR_RELATIONSHIP of winnt.h.
const (
	relationProcessorCore    = 0
	relationProcessorPackage = 3
	relationAll              = 0xffff
)

// Topology returns the CPUs that this process may use, in the order of their numbers, with package and core from
// GetLogicalProcessorInformationEx. If that fails, each CPU is a core of the same package.
func Topology() []CPU {
	return arranged(flat(Usable()), processorRelations(), sizes())
}

func arranged(cpus []CPU, relations []relation, sizes []int) []CPU {
	index := map[int]int{}
	for i, cpu := range cpus {
		index[cpu.ID] = i
	}
	cores, packages := 0, 0
	for _, r := range relations {
		for _, group := range r.groups {
			for _, id := range numbers(group.mask, int(group.group), sizes) {
				i, usable := index[id]
				if !usable {
					continue
				}
				if r.relationship == relationProcessorCore {
					cpus[i].Core = cores
				} else {
					cpus[i].Package = packages
				}
			}
		}
		if r.relationship == relationProcessorCore {
			cores++
		} else {
			packages++
		}
	}
	return cpus
}

// Packages returns the number of sockets of the machine, also those whose CPUs the process may
// not use; 0 if Windows does not report it.
func Packages() int {
	count := 0
	for _, r := range processorRelations() {
		if r.relationship == relationProcessorPackage {
			count++
		}
	}
	return count
}

// processorRelations returns the cores and packages that Windows reports; nil if it fails.
func processorRelations() []relation {
	size := new(uint32)
	_, _, _ = getLogicalProcessorInformationEx.Call(relationAll, 0, uintptr(unsafe.Pointer(size)))
	if *size == 0 {
		return nil
	}
	buffer := make([]byte, *size)
	if ok, _, _ := getLogicalProcessorInformationEx.Call(relationAll, uintptr(unsafe.Pointer(&buffer[0])),
		uintptr(unsafe.Pointer(size))); ok == 0 {
		return nil
	}
	relations, err := parseRelations(buffer[:min(int(*size), len(buffer))])
	if err != nil {
		return nil
	}
	return relations
}

type relation struct {
	relationship uint32
	groups       []groupAffinity
}

var errRelations = errors.New("the list of processors is truncated")

// parseRelations parses a sequence of SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX structures, and returns the structures of
// cores and packages: PROCESSOR_RELATIONSHIP in winnt.h.
func parseRelations(data []byte) ([]relation, error) {
	const (
		header     = 8  // Relationship, Size
		groupCount = 30 // of the first group's affinity, at 32
		groupsAt   = 32
	)
	groupSize := int(unsafe.Sizeof(groupAffinity{}))
	var all []relation
	for len(data) > 0 {
		if len(data) < header {
			return nil, errRelations
		}
		relationship, size := binary.LittleEndian.Uint32(data), int(binary.LittleEndian.Uint32(data[4:]))
		if size < header || size > len(data) {
			return nil, errRelations
		}
		entry := data[:size]
		data = data[size:]
		if relationship != relationProcessorCore && relationship != relationProcessorPackage {
			continue
		}
		if size < groupsAt {
			return nil, errRelations
		}
		r := relation{relationship: relationship}
		groups := entry[groupsAt:]
		for range binary.LittleEndian.Uint16(entry[groupCount:]) {
			if len(groups) < groupSize {
				return nil, errRelations
			}
			// The list begins at an address that suits any type, and the sizes of its entries are multiples of a pointer's.
			r.groups = append(r.groups, *(*groupAffinity)(unsafe.Pointer(&groups[0])))
			groups = groups[groupSize:]
		}
		all = append(all, r)
	}
	return all, nil
}
