package profile

// maxSites is the maximum number of sites of a program: the kernel is also entered by interrupts and
// page faults, from anywhere.
const maxSites = 2000

// A place is the address of an instruction of a program; in the vDSO, its offset from the beginning of the vDSO, whose
// address differs between processes.
type place struct {
	inVDSO  bool
	address uint64
}

// A site is the instruction of a program after a system call. Samples at the beginning and the end of the call, before
// and after its function, are unknown. Some are in the kernel; some are at the instruction itself, because the end of a
// call runs with interrupts disabled, and the sample comes with the return to the program. They belong to the same
// calls as the others at the site, in the same proportion.
type site struct{ clock, other, unknown int }

// The instructions that make a system call are this far before its site and after it: they load the arguments into
// registers, and check the result. Without them, a loop of system calls loses up to a third of its samples.
const (
	beforeSite = 32
	afterSite  = 16
)

// near returns the place of the site that an instruction belongs to; false if it belongs to no site.
func (p *target) near(address uint64) (place, bool) {
	for away := range uint64(beforeSite + 1) {
		if at := (place{address: address + away}); p.sites[at] != nil {
			return at, true
		}
		if at := (place{address: address - away}); p.sites[at] != nil && away < afterSite {
			return at, true
		}
	}
	return place{}, false
}

// site returns the site at a place. Beyond maxSites, all reads share a site at address 0, and other places have nil.
func (p *target) site(at place, reads bool) *site {
	if p.sites[at] == nil && len(p.sites) >= maxSites {
		if !reads {
			return nil
		}
		at.address = 0
	}
	return entry(p.sites, at)
}

// enter counts a sample in the kernel at its site. It returns whether the sample is in the system call of a clock.
func (p *target) enter(at place, call kernelCall) bool {
	s := p.site(at, call.kind == clockCall)
	switch {
	case s == nil:
		return false
	case call.kind == clockCall:
		s.clock++
		p.clocks[call.clock]++
		return true
	case call.kind == otherCall:
		s.other++
		return false
	default:
		return s.addUnknown()
	}
}

// addUnknown counts a sample at the beginning or the end of a call. It returns whether most calls at the site read a
// clock.
func (s *site) addUnknown() bool {
	s.unknown++
	return s.clock > s.other
}

// clockSamples returns the samples of reads: in user mode, in the kernel from the vDSO, and by direct system calls.
func (p *target) clockSamples() (user, kernel, syscalls float64) {
	for at, s := range p.sites {
		part := float64(s.clock) / float64(max(s.clock+s.other, 1)) // of the unknown, too
		if n := float64(s.clock) + part*float64(s.unknown); at.inVDSO {
			kernel += n
		} else {
			syscalls += n
		}
	}
	return float64(p.user), kernel, syscalls
}
