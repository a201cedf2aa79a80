package remedy

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/timebench/timebench/internal/diagnose/situation"
)

const asRoot = "# as root:" // a remark on the next commands: a command that begins with # is not for the shell

// A bootTool is a program that changes the kernel command line.
type bootTool struct {
	name string
	// likely are the ids of distributions with this program (ID or ID_LIKE of os-release(5)), for documents that do not
	// name the installed programs.
	likely []string
	// change returns the commands that add one parameter and remove others.
	change func(add string, remove []string) []string
}

// bootTools are the known programs. The program that the distribution recommends comes before the programs below it.
var bootTools = []bootTool{
	{"rpm-ostree", nil, options("sudo rpm-ostree kargs", " --append-if-missing=", " --delete=", false)},
	{"transactional-update", nil, edited("sudo transactional-update grub.cfg")},
	{"kernelstub", []string{"pop"}, options("sudo kernelstub", " -a ", " -d ", true)},
	{
		"grubby", []string{"fedora", "rhel", "redhat", "centos", "rocky", "almalinux", "amzn", "amazon", "ol",
			"oracle"},
		options("sudo grubby --update-kernel=ALL", " --args=", " --remove-args=", true),
	},
	{"update-bootloader", []string{"suse", "opensuse", "sles"}, edited("sudo update-bootloader --config")},
	{"update-grub", []string{"debian", "ubuntu"}, edited("sudo update-grub")},
	{"grub2-mkconfig", nil, edited("sudo grub2-mkconfig -o /boot/grub2/grub.cfg")},
	{"grub-mkconfig", []string{"arch", "gentoo"}, edited("sudo grub-mkconfig -o /boot/grub/grub.cfg")},
	{"update-extlinux", []string{"alpine"}, func(add string, remove []string) []string {
		change := changes(add, remove, "default_kernel_opts")
		return []string{change, asRoot, "vi /etc/update-extlinux.conf", "update-extlinux"}
	}},
}

// options returns the change of a program that takes the parameters as its options. The parameters to remove are
// together in one option, or each in its own.
func options(program, adds, removes string, together bool) func(string, []string) []string {
	return func(add string, remove []string) []string {
		command := program
		switch {
		case len(remove) > 1 && together:
			command += removes + `"` + strings.Join(remove, " ") + `"`
		case len(remove) > 0:
			command += removes + strings.Join(remove, removes)
		}
		if add != "" {
			command += adds + add
		}
		return []string{command}
	}
}

func edited(program string) func(string, []string) []string {
	return func(add string, remove []string) []string {
		return []string{changes(add, remove, "GRUB_CMDLINE_LINUX"), "sudoedit /etc/default/grub", program}
	}
}

// changes returns a comment on the change of a variable of a file: "# in GRUB_CMDLINE_LINUX, add tsc=nowatchdog".
func changes(add string, remove []string, variable string) string {
	var parts []string
	if len(remove) > 0 {
		parts = append(parts, "remove "+strings.Join(remove, " "))
	}
	if add != "" {
		parts = append(parts, "add "+add)
	}
	return "# in " + variable + ", " + strings.Join(parts, " and ")
}

// commandLine returns where and how the kernel command line of a machine is changed: the end of an advice, and the
// commands. Without facts about the machine it returns the commands of the two commonest families of distributions.
func commandLine(s *machine, add string, remove []situation.Parameter) (hint string, commands []string) {
	var texts []string
	for _, p := range remove {
		if !safeInShell().MatchString(p.Text) {
			p.Text = "PARAMETER"
		}
		texts = append(texts, p.Text)
	}
	switch h := s.Host; {
	case s.InContainer():
		return ". Then reboot the host", nil
	case s.InWSL():
		return " (kernelCommandLine in the file .wslconfig of the Windows user). " +
			"Then run `wsl --shutdown` in Windows", nil
	case s.IsGuest() && h.Virtualization.System == "firecracker":
		return " (boot_args of the machine's configuration on the host). Then boot the machine again", nil
	case distribution(s) == "" && len(h.BootTools) == 0:
		grubby := bootTools[slices.IndexFunc(bootTools, func(tool bootTool) bool { return tool.name == "grubby" })]
		return ". Then reboot", []string{
			"# Debian, Ubuntu:", changes(add, texts, "GRUB_CMDLINE_LINUX"),
			"sudoedit /etc/default/grub && sudo update-grub", "# Fedora, RHEL:", grubby.change(add, texts)[0],
		}
	}
	i := slices.IndexFunc(bootTools, func(tool bootTool) bool {
		return slices.Contains(s.Host.BootTools, tool.name) || likely(s, tool)
	})
	if i < 0 {
		return " (in the configuration of the boot loader). Then reboot", nil
	}
	return ". Then reboot", bootTools[i].change(add, texts)
}

// distribution returns the id of a machine's distribution; "" if it is unknown. Without the id, it is the beginning of
// the name.
func distribution(s *machine) string {
	name, _, _ := strings.Cut(s.Host.Distribution, " ")
	return cmp.Or(s.Host.DistributionID, name)
}

// likely reports whether the distribution of a machine has a program. It counts only if the document does not name the
// installed programs.
func likely(s *machine, tool bootTool) bool {
	return len(s.Host.BootTools) == 0 && slices.ContainsFunc(tool.likely, func(id string) bool {
		return id == distribution(s) || slices.Contains(s.Host.DistributionLike, id)
	})
}

// safeInShell matches names of clock sources and parameters of the kernel command line. A document from another machine
// may have another text instead, which must not become part of a command.
var safeInShell = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.,:=/-]*$`)
})
