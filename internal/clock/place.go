//go:build (linux || windows) && (amd64 || arm64)

package clock

import "unsafe"

const (
	wordBytes = 8
	pageBytes = 4096 // the least of any system here; larger ones are multiples of it
	// placeWords is the least room of a place: two cache lines of 64 bytes, so that
	// Readers on different CPUs do not share one, nor the line that is loaded with it.
	placeWords = 16
)

// newPlace returns so many words of the heap, or placeWords where that is more, for what
// calls store: nothing there moves, and they begin half a page behind the start of a page.
//
// The kernel's data for the vDSO begin a page, and so does every large slice of Go's. With one
// page in some 4000 of those CLOCK_MONOTONIC took 35.5 ns instead of 21.7, all the time (an
// AMD EPYC; BenchmarkPlaces shows it). What fits is that AMD's CPUs predict which way of the L1
// cache holds a line from a hash of its address (Lipp et al., "Take A Way", 2020): two lines of
// one set, bits 6 to 11 of the address, with the same hash are taken for each other, and each
// load waits as for a miss. Half a page away the sets differ.
func newPlace(words int) []int64 {
	words = max(words, placeWords)
	memory := make([]int64, words+pageBytes/wordBytes)
	into := uintptr(unsafe.Pointer(&memory[0])) % pageBytes
	first := int((pageBytes + pageBytes/2 - into) % pageBytes / wordBytes)
	return memory[first : first+words : first+words]
}
