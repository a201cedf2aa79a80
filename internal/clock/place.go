//go:build (linux || windows) && (amd64 || arm64)

package clock

import "unsafe"

const (
	wordBytes = 8
	pageBytes = 4096 // the least of any system here; larger ones are multiples of it
	// placeWords is the room of a place: two cache lines of 64 bytes, so that
	// Readers on different CPUs do not share one, nor the line that is loaded with it.
	placeWords = 16
)

// newPlace returns placeWords of the heap, where nothing moves, for the results that
// Spin drops: half a page behind the start of a page.
//
// The kernel's data for the vDSO begin a page, and so does every large slice of Go's. With one
// page in some 4000 of those CLOCK_MONOTONIC took 35.5 ns instead of 21.7, all the time (an
// AMD EPYC; BenchmarkPlaces shows it). What fits is that AMD's CPUs predict which way of the L1
// cache holds a line from a hash of its address (Lipp et al., "Take A Way", 2020): two lines of
// one set, bits 6 to 11 of the address, with the same hash are taken for each other, and each
// load waits as for a miss. Half a page away the sets differ.
func newPlace() []int64 {
	pages := make([]int64, 2*pageBytes/wordBytes)
	into := uintptr(unsafe.Pointer(&pages[0])) % pageBytes
	first := (pageBytes + pageBytes/2 - into) % pageBytes / wordBytes
	return pages[first : first+placeWords : first+placeWords]
}
