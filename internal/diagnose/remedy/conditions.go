package remedy

import (
	"slices"

	"github.com/timebench/timebench/internal/diagnose/situation"
)

// A condition reports whether a remedy can be suggested in a situation.
type condition func(*situation.Situation) bool

// The conditions of the tables by their names there. What they mean is in package situation.
var (
	onLinux       = (*situation.Situation).OnLinux
	onWindows     = (*situation.Situation).OnWindows
	onBSD         = (*situation.Situation).OnBSD
	onX86         = (*situation.Situation).OnX86
	onXen         = (*situation.Situation).OnXen
	isGuest       = (*situation.Situation).IsGuest
	inContainer   = (*situation.Situation).InContainer
	inGVisor      = (*situation.Situation).InGVisor
	inWSL         = (*situation.Situation).InWSL
	logOnly       = (*situation.Situation).LogOnly
	ownsFirmware  = (*situation.Situation).OwnsFirmware
	hasTSCAdjust  = (*situation.Situation).HasTSCAdjust
	hasOnlyTicks  = (*situation.Situation).HasOnlyTicks
	isTSCRight    = (*situation.Situation).IsTSCRight
	doubtsTSC     = (*situation.Situation).DoubtsTSC
	mayUseTSC     = (*situation.Situation).MayUseTSC
	nothingFailed = (*situation.Situation).NothingFailed
	rtcIsRight    = (*situation.Situation).RTCIsRight
)

func not(holds condition) condition {
	return func(s *situation.Situation) bool { return !holds(s) }
}

func anyOf(conditions ...condition) condition {
	return func(s *situation.Situation) bool {
		return slices.ContainsFunc(conditions, func(holds condition) bool { return holds(s) })
	}
}

func guestUnder(systems ...string) condition {
	return func(s *situation.Situation) bool { return s.GuestUnder(systems...) }
}

// onOwnHost reports whether the user may have access to the host of a virtual machine: not in a public cloud.
func onOwnHost(s *situation.Situation) bool { return CloudOf(s) == nil && !s.InWSL() }

func hasHostClock(s *situation.Situation) bool { return s.HostClock() != nil }

func offersHypervisorClock(s *situation.Situation) bool { return s.HypervisorClock() != "" }

// offered returns the condition that a clock source is available and not in use.
func offered(name string) condition {
	return func(s *situation.Situation) bool { return s.Offers(name) && s.ClockSource != name }
}

func unset(all ...string) condition {
	return func(s *situation.Situation) bool { return s.Unset(all...) }
}

func runs(service string) condition {
	return func(s *situation.Situation) bool { return slices.Contains(s.ServiceNames(), service) }
}

func setsSysctl(text string) condition {
	return func(s *situation.Situation) bool {
		return s.Host.ClockSource != nil && slices.Contains(s.Host.ClockSource.Settings, text)
	}
}

// olderThan returns the condition that the kernel is known and older than a release.
func olderThan(major, minor int) condition {
	return func(s *situation.Situation) bool { return s.OlderThan(major, minor) }
}

func since(major, minor int) condition { return not(olderThan(major, minor)) }

func removing(names ...string) func(*situation.Situation) []situation.Parameter {
	return func(s *situation.Situation) []situation.Parameter { return s.Parameters(names...) }
}
