package remedy

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/show/texts"
)

//go:embed hypervisors.txt
var hypervisorsFile string

// hypervisors are the known hypervisors; the first that matches counts.
var hypervisors = sync.OnceValue(func() []texts.Entry { return texts.Entries(hypervisorsFile) })

// HypervisorOf returns the facts about the clocks of the guests of a machine's hypervisor: an entry of hypervisors.txt,
// without a name if it is unknown or missing.
func HypervisorOf(s *machine) (known texts.Entry) {
	if e := situation.First(hypervisors(), func(e texts.Entry) bool { return Holds(s, e.Get("where")) }); e != nil {
		known = *e
	}
	return known
}

// A Cloud is a provider that the firmware of its machines names. Its users have no access to its hosts. The advice is
// about its own time service, if it has one.
type Cloud struct{ vendor, product, advice, Link string }

// clouds are recognised by vendor and product, as systemd does (src/basic/virt.c, dmi_vendor_table) and cloud-init
// (tools/ds-identify): Google also makes Chromebooks, and Microsoft the Surface.
var clouds = []Cloud{
	{"Amazon EC2", "", "Amazon provides a time service at 169.254.169.123, and a PTP clock of the network adapter (ENA) " +
		"on newer instances", "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/set-time.html"},
	{"Google", "Google Compute Engine", "Google provides a time service at metadata.google.internal",
		"https://cloud.google.com/compute/docs/instances/configure-ntp"},
	{"Microsoft Corporation", "Virtual Machine", "Azure and Hyper-V provide a PTP clock for chrony, /dev/ptp_hyperv",
		"https://learn.microsoft.com/en-us/azure/virtual-machines/linux/time-sync"},
	{"Alibaba Cloud", "Alibaba Cloud ECS", "Alibaba Cloud provides NTP servers: ntp.cloud.aliyuncs.com and, in a VPC, " +
		"ntp7.cloud.aliyuncs.com to ntp12.cloud.aliyuncs.com",
		"https://www.alibabacloud.com/help/en/ecs/user-guide/alibaba-cloud-ntp-server"},
	{vendor: "Tencent Cloud", product: "CVM"}, {vendor: "DigitalOcean"}, {vendor: "Hetzner"}, {vendor: "Vultr"},
	{vendor: "Scaleway"}, {vendor: "UpCloud"}, {vendor: "NWCS"},
}

// CloudOf returns the cloud of a machine; nil outside of a known cloud.
func CloudOf(s *machine) *Cloud {
	if s.Host.Machine == nil {
		return nil
	}
	return situation.First(clouds, func(c Cloud) bool { // a kernel log has vendor and product in one text
		return strings.HasPrefix(s.Host.Machine.Name()+" ", strings.TrimSpace(c.vendor+" "+c.product)+" ")
	})
}
