//go:build amd64 || arm64

package native

// CallValue calls the C function at address fn n times without arguments, n ≥ 1, and stores each
// result at values, which it advances by step bytes: 0 or 8. If the function returns 32 bits, the
// upper half of a result is undefined.
func CallValue(fn uintptr, values *int64, step uintptr, n int)
