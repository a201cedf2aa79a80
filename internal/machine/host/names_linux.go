package host

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
)

func addNames(facts *result.Host, of reader, flags []string) {
	release := osRelease(of)
	facts.Distribution = distribution(of, release)
	facts.DistributionID = printable(release["ID"])
	for id := range strings.FieldsSeq(release["ID_LIKE"]) {
		if id = printable(id); id != "" {
			facts.DistributionLike = append(facts.DistributionLike, id)
		}
	}
	facts.Arch = architecture(of, flags)
	facts.Kernel = kernelRelease(of)
}

// architectures maps the UTS_MACHINE of the kernel to GOARCH.
var architectures = map[string]string{
	"x86_64": "amd64", "i686": "386", "aarch64": "arm64", "armv7l": "arm", "riscv64": "riscv64",
	"ppc64le": "ppc64le", "s390x": "s390x", "loongarch64": "loong64",
}

// architecture returns the GOARCH of a recorded machine: from /proc/sys/kernel/arch (Linux
// 6.1), otherwise from a CPU flag that only one architecture has.
func architecture(of reader, flags []string) string {
	if name := architectures[of("proc/sys/kernel/arch")]; name != "" {
		return name
	}
	for _, only := range []struct{ flag, architecture string }{{"lm", "amd64"}, {"asimd", "arm64"}} {
		if slices.Contains(flags, only.flag) {
			return only.architecture
		}
	}
	return ""
}

// kernelRelease returns the release of a recorded machine's kernel. /proc/version
// begins with "Linux version 6.1.0-56-cloud-amd64 ".
func kernelRelease(of reader) string {
	if release := of.name("proc/sys/kernel/osrelease"); release != "" {
		return release
	}
	rest, ok := strings.CutPrefix(of("proc/version"), "Linux version ")
	if !ok {
		return ""
	}
	release, _, _ := strings.Cut(rest, " ")
	return printable(release)
}

func osRelease(of reader) map[string]string {
	text := of("etc/os-release")
	if text == "" {
		text = of("usr/lib/os-release")
	}
	values := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[name] = strings.Trim(value, `"'`)
	}
	return values
}

// distribution returns the name and version in os-release(5). On Debian the point release is in a separate file.
// gopsutil is not used: it may start lsb_release.
func distribution(of reader, release map[string]string) string {
	version := release["VERSION_ID"]
	if point := of("etc/debian_version"); release["ID"] == "debian" && point != "" {
		version = point
	}
	return printable(release["ID"] + " " + version)
}
