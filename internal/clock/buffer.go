//go:build linux || windows || darwin

package clock

import "unsafe"

const (
	wordBytes = 8
	pageBytes = 4096 // the smallest page size; larger ones are multiples of it
	// leastWords is the smallest buffer: two cache lines of 64 bytes, so that Readers on
	// different CPUs share neither a line nor the neighbour that the CPU prefetches.
	leastWords = 16
)

// newResultBuffer returns a buffer for the results of calls, of this number of words, at least leastWords. It is on the
// heap, which does not move, and begins half a page after the start of a page.
//
// The vDSO data of the kernel begins at the start of a page, as every large Go slice does. With
// one in about 4000 such pages CLOCK_MONOTONIC took 35.5 ns instead of 21.7, permanently (an AMD
// EPYC; BenchmarkPlaces shows it). A likely cause is the way predictor of the L1 cache, which
// hashes the address (Lipp et al., "Take A Way", 2020): it confuses two lines of the same set
// (bits 6 to 11 of the address) with the same hash, and each load waits as for a miss. Half a
// page away the sets differ.
func newResultBuffer(words int) []int64 { return bufferAt(pageBytes/2, max(words, leastWords)) }

// bufferAt returns words on the heap that begin offset bytes after the start of a page.
func bufferAt(offset uintptr, words int) []int64 {
	memory := make([]int64, words+pageBytes/wordBytes)
	into := uintptr(unsafe.Pointer(&memory[0])) % pageBytes
	first := int((pageBytes + offset - into) % pageBytes / wordBytes)
	return memory[first : first+words : first+words]
}
