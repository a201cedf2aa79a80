package clock

import "encoding/binary"

// orderIn returns how code reads CNTVCT_EL0 in order: by ISB before it. Code that reads CNTVCTSS_EL0, which is in order
// by itself, has only padding there.
func orderIn(code []byte) string {
	const (
		isb      = 0xd5033fdf
		mrs      = 0xd53be040 // MRS Xt, CNTVCT_EL0, with t in the lowest bits
		register = 0x1f
	)
	for ; len(code) >= 8; code = code[4:] {
		if binary.LittleEndian.Uint32(code) == isb && binary.LittleEndian.Uint32(code[4:])&^register == mrs {
			return "ISB"
		}
	}
	return ""
}
