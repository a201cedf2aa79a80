package host

import (
	"cmp"
	"fmt"
	"strings"
	"unsafe"

	"github.com/shirou/gopsutil/v4/host"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/machine/wintime"
	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

var (
	ntdll                 = windows.NewLazySystemDLL("ntdll.dll")
	wineGetVersion        = ntdll.NewProc("wine_get_version")
	wineGetHostVersion    = ntdll.NewProc("wine_get_host_version")
	kernel32              = windows.NewLazySystemDLL("kernel32.dll")
	getProcessInformation = kernel32.NewProc("GetProcessInformation")
	getSystemPowerStatus  = kernel32.NewProc("GetSystemPowerStatus")
	getSystemTimes        = kernel32.NewProc("GetSystemTimes")
)

// Registry keys under HKEY_LOCAL_MACHINE.
const (
	versionKey   = `SOFTWARE\Microsoft\Windows NT\CurrentVersion`
	processorKey = `HARDWARE\DESCRIPTION\System\CentralProcessor\0`
	firmwareKey  = `HARDWARE\DESCRIPTION\System\BIOS`
)

// addSystemFacts adds the facts that are specific to Windows. It does not use WMI, which can
// take seconds.
func addSystemFacts(facts *result.Host) {
	// GetVersionEx returns Windows 8 to a program without a manifest; RtlGetVersion does not.
	version := windows.RtlGetVersion()
	facts.Kernel = fmt.Sprintf("%d.%d.%d", version.MajorVersion, version.MinorVersion, version.BuildNumber)
	if revision := number(versionKey, "UBR"); revision > 0 {
		facts.Kernel += fmt.Sprintf(".%d", revision)
	}
	if platform, _, _, err := host.PlatformInformation(); err == nil {
		facts.Distribution = platform
	}
	// If the firmware has no model name, the registry has family, model and stepping.
	facts.CPU.Model = cmp.Or(strings.TrimSpace(text(processorKey, "ProcessorNameString")),
		text(processorKey, "Identifier"))
	facts.CPU.Packages = thread.Packages()
	facts.CPU.Groups = thread.Groups()
	facts.Virtualization = virtualization()
	facts.Windows = &result.Windows{
		Edition: strings.TrimSpace(text(versionKey, "EditionID") + " " + text(versionKey, "DisplayVersion")),
		Wine:    wine(), Timer: timer(), QPC: qpc(wintime.SharedPage, wintime.QueryHypervisorPage(), wintime.Wine()),
		W32Time: w32time(), Adjustment: adjustment(),
		PowerThrottling: powerThrottling(), Power: power(),
	}
}

func text(key, name string) string   { return value(key, name, registry.Key.GetStringValue) }
func number(key, name string) uint64 { return value(key, name, registry.Key.GetIntegerValue) }

func value[T any](key, name string, get func(registry.Key, string) (T, uint32, error)) (found T) {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, key, registry.QUERY_VALUE)
	if err != nil {
		debuglog.Printf("host", "HKEY_LOCAL_MACHINE\\%s: %v", key, err)
		return found
	}
	defer func() { _ = k.Close() }()
	found, _, _ = get(k, name)
	return found
}

// virtualization returns the hypervisor that the CPU reports. The CPU reports Hyper-V also to
// a host that runs Windows on it, for example for virtualization-based security. Then the
// names in the firmware decide the role.
func virtualization() *result.Virtualization {
	system := cpuHypervisor()
	if system == "" {
		return nil
	}
	role := "guest"
	firmware := text(firmwareKey, "SystemManufacturer") + " " + text(firmwareKey, "SystemProductName")
	if system == "hyperv" && kernellog.OfFirmware(firmware) == "" {
		role = "guest or host"
	}
	return &result.Virtualization{System: system, Role: role}
}

func wine() *result.Wine {
	if !wintime.Wine() {
		return nil
	}
	version, _, _ := wineGetVersion.Call()
	found := &result.Wine{Version: ascii(version)}
	if wineGetHostVersion.Find() == nil {
		names := new([2]uintptr) // char *sysname, *release
		_, _, _ = wineGetHostVersion.Call(uintptr(unsafe.Pointer(&names[0])), uintptr(unsafe.Pointer(&names[1])))
		found.Host = strings.TrimSpace(ascii(names[0]) + " " + ascii(names[1]))
	}
	return found
}

// ascii returns the C string at an address outside Go memory.
func ascii(address uintptr) string {
	if address == 0 {
		return ""
	}
	return windows.BytePtrToString(*(**byte)(unsafe.Pointer(&address)))
}

func timer() *result.Timer {
	t, ok := wintime.QueryTimer()
	if !ok {
		return nil
	}
	return &result.Timer{PeriodNS: int64(t.Period), FinestNS: int64(t.Finest), CoarsestNS: int64(t.Coarsest)}
}

func qpc(page wintime.Page, hypervisor wintime.HypervisorPage, wine bool) *result.QPC {
	counter := &result.QPC{Hz: wintime.PerformanceFrequency()}
	bypass, ok := page.QPCBypass()
	if !ok || wine && !bypass.Enabled {
		return counter // Wine leaves the fields empty, but does not enter the kernel
	}
	counter.HypervisorPage = bypass.Enabled && bypass.HypervisorPage
	if userMode, known := page.CounterInUserMode(hypervisor); known {
		counter.UserMode = &userMode
	}
	return counter
}

// powerThrottling returns PROCESS_POWER_THROTTLING_STATE as "on", "off" or "system"; "" before
// Windows 10 version 1709.
func powerThrottling() string {
	if getProcessInformation.Find() != nil {
		return ""
	}
	const (
		processPowerThrottling = 4 // PROCESS_INFORMATION_CLASS
		executionSpeed         = 1 // PROCESS_POWER_THROTTLING_EXECUTION_SPEED
	)
	state := &struct{ version, control, state uint32 }{version: 1}
	ok, _, _ := getProcessInformation.Call(uintptr(windows.CurrentProcess()), processPowerThrottling,
		uintptr(unsafe.Pointer(state)), unsafe.Sizeof(*state))
	switch {
	case ok == 0:
		return ""
	case state.control&executionSpeed == 0:
		return "system"
	case state.state&executionSpeed != 0:
		return "on"
	}
	return "off"
}

// power returns ACLineStatus of SYSTEM_POWER_STATUS as "battery" or "mains"; "" if unknown.
func power() string {
	if getSystemPowerStatus.Find() != nil {
		return ""
	}
	status := new([3]uint32) // 12 bytes, of which the first is ACLineStatus
	if ok, _, _ := getSystemPowerStatus.Call(uintptr(unsafe.Pointer(status))); ok == 0 {
		return ""
	}
	return map[uint8]string{0: "battery", 1: "mains"}[uint8(status[0])]
}
