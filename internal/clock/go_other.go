//go:build !windows

package clock

const goIsCoarse = false
