package remedy

import "github.com/timebench/timebench/internal/diagnose/situation"

// A machine is the situation that a remedy is for.
type machine = situation.Situation

// A Cloud is a provider that the firmware of its machines names, with its own time service.
type Cloud struct{ vendor, product, advice, Link string }

// clouds are recognised by vendor and product, as systemd does (src/basic/virt.c, dmi_vendor_table): Google also makes
// Chromebooks, and Microsoft the Surface.
var clouds = []Cloud{
	{"Amazon EC2", "", "Amazon provides a time service at 169.254.169.123, and a PTP clock of the network adapter (ENA) on newer instances", "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/set-time.html"},
	{"Google", "Google Compute Engine", "Google provides a time service at metadata.google.internal", "https://cloud.google.com/compute/docs/instances/configure-ntp"},
	{"Microsoft Corporation", "Virtual Machine", "Azure and Hyper-V provide a PTP clock for chrony, /dev/ptp_hyperv", "https://learn.microsoft.com/en-us/azure/virtual-machines/linux/time-sync"},
}

// CloudOf returns the cloud of a machine; nil outside of a known cloud.
func CloudOf(s *machine) *Cloud {
	if s.Host.Machine == nil {
		return nil
	}
	for i, c := range clouds {
		if s.Host.Machine.Vendor == c.vendor && (c.product == "" || s.Host.Machine.Product == c.product) {
			return &clouds[i]
		}
	}
	return nil
}

// onOwnHost reports whether the user may have access to the host of a virtual machine: not in a public cloud.
func onOwnHost(s *machine) bool { return CloudOf(s) == nil && !s.InWSL() }
