//go:build freebsd || openbsd || netbsd

package clock

import (
	"strings"

	"golang.org/x/sys/unix"
)

// systemClocks returns the clocks that golang.org/x/sys offers, on its path. This build has no
// native loop for the calls of the system, so the cost includes the overhead of Go to call the
// C library or the kernel.
//
// As a system call, the FAST clocks of FreeBSD and CLOCK_SECOND return the time of the last tick. The C library returns
// the current time for them, if it reads the timecounter in user mode (lib/libc/sys/__vdso_gettimeofday.c).
func systemClocks() []Clock {
	var all []Clock
	for _, c := range clockIDs {
		all = append(all, Clock{
			ID: c.name + "@" + string(xsysPath), Call: "clock_gettime(" + c.name + ")", Path: xsysPath, Kind: c.kind,
			Hz:         1e9,
			ReportedNS: func() float64 { return resolutionOf(c.id) },
			Coarse:     strings.HasSuffix(c.name, "_FAST") || c.name == "CLOCK_SECOND",
			PerThread:  c.name == "CLOCK_THREAD_CPUTIME_ID",
			Open: func() (Reader, error) {
				reader, err := openXsys(func() (int64, error) {
					var now unix.Timespec
					err := clockGettime(c.id, &now)
					return now.Nano(), refusal(err)
				})
				return reader, c.because(err)
			},
		})
	}
	return append(all, Clock{
		ID: "gettimeofday@" + string(xsysPath), Call: "gettimeofday()", Path: xsysPath, Kind: Wall, Hz: 1e6,
		ReportedNS: notReported,
		Open: func() (Reader, error) {
			return openXsys(func() (int64, error) {
				var now unix.Timeval
				err := unix.Gettimeofday(&now)
				return now.Nano() / 1e3, refusal(err)
			})
		},
	})
}

// OpenFloor returns a Reader whose read is an empty function, called as the clocks are. Its cost is part of the cost of
// each of them.
func OpenFloor() (Reader, error) {
	return openXsys(func() (int64, error) { return 0, nil })
}

// An xsysReader reads a clock through a function of golang.org/x/sys, one read per call.
type xsysReader struct {
	read func() (int64, error)
	err  error
}

func openXsys(read func() (int64, error)) (Reader, error) {
	r := &xsysReader{read: read}
	r.Spin(1)
	if r.err != nil {
		return nil, r.err
	}
	return r, nil
}

func (r *xsysReader) Spin(n int) {
	for range n {
		_, r.err = r.read()
	}
}

func (r *xsysReader) Read(ticks []int64) {
	for i := range ticks {
		ticks[i], r.err = r.read()
	}
}

func (r *xsysReader) Err() error { return r.err }
