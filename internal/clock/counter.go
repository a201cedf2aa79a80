//go:build amd64 || arm64

package clock

// counterReader reads a CPU counter with an instruction.
type counterReader struct {
	spin func(n int)
	read func(ticks *int64, n int)
}

func (r counterReader) Spin(n int) { r.spin(n) }

func (r counterReader) Read(ticks []int64) { r.read(&ticks[0], len(ticks)) }
