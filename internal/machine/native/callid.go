//go:build (linux || darwin) && (amd64 || arm64)

package native

// CallIDValue calls the C function at address fn n times as fn(id), n ≥ 1, and stores each result at values, which it
// advances by step bytes: 0 or 8. A function without arguments ignores id.
func CallIDValue(fn, id uintptr, values *int64, step uintptr, n int)
