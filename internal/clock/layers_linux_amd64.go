package clock

import "bytes"

// orderIn returns how code reads the counter in order: by RDTSCP, or by LFENCE before RDTSC. Nothing else in a vDSO has
// these bytes.
func orderIn(code []byte) string {
	switch {
	case bytes.Contains(code, []byte{0x0f, 0x01, 0xf9}):
		return "RDTSCP"
	case bytes.Contains(code, []byte{0x0f, 0xae, 0xe8, 0x0f, 0x31}):
		return "LFENCE"
	default:
		return ""
	}
}
