// Package wake measures how late a program wakes up that asked to sleep until a deadline, for each way to sleep that the
// system has, and whose part the lateness is.
package wake
