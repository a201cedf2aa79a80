package host

import (
	"slices"
	"strings"
)

// firecrackerOEM is the OEM id of the ACPI tables of Firecracker guests. The CPU reports only
// KVM to them.
const firecrackerOEM = "FIRECK"

// acpiTables are tables that every Firecracker guest has. Only root may read them.
var acpiTables = []string{"APIC", "DSDT", "FACP"}

// firecracker reports whether a KVM guest runs on Firecracker: from the kernel log, which lists the tables with their OEM id ("ACPI: FACP 0x00000000000A0C97 000114 (v06
// FIRECK FCVMFADT ..."), or by the tables.
func firecracker(root string, messages []message) bool {
	return slices.ContainsFunc(messages, func(m message) bool {
		return strings.HasPrefix(m.text, "ACPI: ") && strings.Contains(m.text, " "+firecrackerOEM)
	}) || slices.ContainsFunc(acpiTables, func(table string) bool {
		return tableOEM(readFile(root, "sys/firmware/acpi/tables/"+table)) == firecrackerOEM
	})
}

// tableOEM returns the OEM id in the header of an ACPI table, bytes 10 to 15 (ACPI
// specification 6.5, table 5.4); "" if there is no header.
func tableOEM(table string) string {
	if len(table) < 36 {
		return ""
	}
	return table[10:16]
}
