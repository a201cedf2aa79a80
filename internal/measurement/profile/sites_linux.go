package profile

import "github.com/timebench/timebench/internal/instrument/perfevent"

// maxSites is the maximum number of sites of a program: the kernel is also entered by interrupts and
// page faults, from anywhere.
const maxSites = 2000

// A site is the instruction of a program after a system call. Samples at the beginning and the end
// of the call, before and after its function, are unknown: some are in the kernel, some at the
// instruction itself, because the end of a call runs with interrupts disabled, and the sample comes
// with the return to the program. They belong to the same calls as the others at the site, in the
// same proportion.
type site struct{ clock, other, unknown int }

// all returns the number of samples of the site.
func (s *site) all() int { return s.clock + s.other + s.unknown }

// clocks returns how many samples of the site are of system calls of clocks.
func (s *site) clocks() float64 {
	if s.clock == 0 {
		return 0
	}
	return float64(s.clock) + float64(s.unknown)*float64(s.clock)/float64(s.clock+s.other)
}

// The instructions that make a system call lie this far before its site and after it: those that
// bring the arguments into registers, and those that look at the result.
const (
	beforeSite = 32
	afterSite  = 16
)

// siteNear returns the site that an instruction belongs to; nil if there is none.
func (p *program) siteNear(address uint64) (uint64, *site) {
	for away := range uint64(beforeSite + 1) {
		if s := p.outside[address+away]; s != nil {
			return address + away, s
		}
		if s := p.outside[address-away]; s != nil && away < afterSite {
			return address - away, s
		}
	}
	return 0, nil
}

// enter counts a sample in the kernel at its site. It returns whether the sample is in the system
// call of a clock, and that clock.
func (t *tally) enter(p *program, sites map[uint64]*site, r *perfevent.Record) (membership, string) {
	at, of := sites[r.User[0]], t.kernel.call(r.Kernel)
	if at == nil {
		if len(sites) >= maxSites && of.kind != clockCall {
			p.otherSites++
			return noRead, ""
		}
		at = &site{}
		sites[r.User[0]] = at
	}
	in := noRead
	switch of.kind {
	case clockCall:
		at.clock++
		in = aRead
	case otherCall:
		at.other++
	default:
		in = at.addUnknown()
	}
	if vsyscall.has(r.User[0]) {
		return aRead, "" // the kernel emulates it, at another cost
	}
	return in, of.clock
}

// addUnknown counts a sample at the beginning or the end of a call. Before the first sample in a clock
// call it is taken for none of a read: the callers of all other calls would be looked up too.
func (s *site) addUnknown() membership {
	s.unknown++
	if s.clock == 0 {
		return noRead
	}
	return maybeRead
}

// clockSamples returns the samples of reads: in user mode, in the kernel from the vDSO, and by
// direct system calls. hidden are samples in the kernel that may be of reads too, if the kernel hides
// which system call it is in; enters is whether reads by the vDSO enter the kernel on this machine.
func (p *program) clockSamples(callsAreHidden, enters bool) (user, kernel, syscalls, hidden float64) {
	for _, s := range p.inVDSO {
		switch {
		case !callsAreHidden:
			kernel += s.clocks()
		case enters:
			kernel += float64(s.all())
		default:
			hidden += float64(s.all())
		}
	}
	for address, s := range p.outside {
		switch {
		case vsyscall.has(address):
			syscalls += float64(s.clock + s.unknown)
		case callsAreHidden:
			hidden += float64(s.all())
		default:
			syscalls += s.clocks()
		}
	}
	if callsAreHidden {
		hidden += float64(p.otherSites)
	}
	return float64(p.user), kernel, syscalls, hidden
}

// dividedVariance returns the variance that dividing the unknown samples of sites adds to the number of samples of
// reads: the proportion in which they are divided is itself one of samples. By the delta method, for a site with c samples
// of clocks, o of other calls and u unknown ones, of which u·c/(c+o) are counted. One sample of each is added
// (Laplace's rule of succession): none of a kind among few does not show that there is none.
func (p *program) dividedVariance() float64 {
	sum := 0.0
	for _, sites := range []map[uint64]*site{p.inVDSO, p.outside} {
		for address, s := range sites {
			if s.clock > 0 && !vsyscall.has(address) {
				clock, other, unknown := float64(s.clock+1), float64(s.other+1), float64(s.unknown)
				known := clock + other
				sum += unknown * clock * other / (known * known) * (1 + unknown/known)
			}
		}
	}
	return sum
}
