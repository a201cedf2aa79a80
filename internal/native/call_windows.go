//go:build amd64 || arm64

package native

// CallValue calls the C function at address fn n times without arguments, n ≥ 1,
// and stores what each call returned at values, which moves on by step bytes: 0 or
// 8. Of a function that returns 32 bits the upper half is undefined.
func CallValue(fn uintptr, values *int64, step uintptr, n int)
