package host

import (
	"cmp"
	"sync"
	"unsafe"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// w32timeKey is the service that sets the wall clock of Windows.
const w32timeKey = `SYSTEM\CurrentControlSet\Services\W32Time`

// getSystemTimeAdjustmentPrecise is in kernelbase.dll since Windows 10.
var getSystemTimeAdjustmentPrecise = windows.NewLazySystemDLL("kernelbase.dll").
	NewProc("GetSystemTimeAdjustmentPrecise")

func w32time() *result.W32Time {
	service, err := registry.OpenKey(registry.LOCAL_MACHINE, w32timeKey, registry.QUERY_VALUE)
	if err != nil {
		debuglog.Printf("host", "HKEY_LOCAL_MACHINE\\%s: %v", w32timeKey, err)
		return nil
	}
	defer func() { _ = service.Close() }()
	facts := w32timeOf(service)
	facts.State = serviceState("W32Time")
	return facts
}

// w32timeOf returns the settings in the registry key of the service. winsvc.h has the numbers of Start.
func w32timeOf(service registry.Key) *result.W32Time {
	facts := &result.W32Time{}
	if start, _, err := service.GetIntegerValue("Start"); err == nil {
		facts.Start = map[uint64]string{
			windows.SERVICE_AUTO_START: "auto", windows.SERVICE_DEMAND_START: "manual", windows.SERVICE_DISABLED: "disabled",
		}[start]
	}
	parameters, err := registry.OpenKey(service, "Parameters", registry.QUERY_VALUE)
	if err != nil {
		debuglog.Printf("host", "W32Time\\Parameters: %v", err)
		return facts
	}
	defer func() { _ = parameters.Close() }()
	facts.Type, _, _ = parameters.GetStringValue("Type")
	facts.Servers, _, _ = parameters.GetStringValue("NtpServer")
	return facts
}

// serviceState returns the state of a service: running, stopped or changing; "" if it cannot be queried.
func serviceState(name string) string {
	state, err := queryService(name)
	if err != nil {
		debuglog.Printf("host", "service %s: %v", name, err)
		return ""
	}
	known := map[uint32]string{windows.SERVICE_RUNNING: "running", windows.SERVICE_STOPPED: "stopped"}
	return cmp.Or(known[state], "changing")
}

// queryService returns the current state of a service, SERVICE_*. It needs no administrator rights.
func queryService(name string) (uint32, error) {
	text, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return 0, err
	}
	manager, err := windows.OpenSCManager(nil, nil, windows.SC_MANAGER_CONNECT)
	if err != nil {
		return 0, err
	}
	defer func() { _ = windows.CloseServiceHandle(manager) }()
	service, err := windows.OpenService(manager, text, windows.SERVICE_QUERY_STATUS)
	if err != nil {
		return 0, err
	}
	defer func() { _ = windows.CloseServiceHandle(service) }()
	var status windows.SERVICE_STATUS
	err = windows.QueryServiceStatus(service, &status)
	return status.CurrentState, err
}

func adjustment() *result.Adjustment {
	if err := getSystemTimeAdjustmentPrecise.Find(); err != nil {
		debuglog.Printf("host", "GetSystemTimeAdjustmentPrecise: %v", err)
		return nil
	}
	return adjustmentBy(getSystemTimeAdjustmentPrecise.Call)
}

// adjustmentAnswer is what GetSystemTimeAdjustmentPrecise writes.
var adjustmentAnswer struct {
	sync.Mutex
	values   [2]int64
	disabled int32
}

func adjustmentBy(call func(...uintptr) (uintptr, uintptr, error)) *result.Adjustment {
	// In memory that never moves: the stack may grow between taking an address and the call.
	values, disabled := &adjustmentAnswer.values, &adjustmentAnswer.disabled
	adjustmentAnswer.Lock()
	defer adjustmentAnswer.Unlock()
	ok, _, err := call(uintptr(unsafe.Pointer(&values[0])), uintptr(unsafe.Pointer(&values[1])),
		uintptr(unsafe.Pointer(disabled)))
	switch {
	case ok == 0:
		debuglog.Printf("host", "GetSystemTimeAdjustmentPrecise: %v", err)
		return nil
	case *disabled != 0 || values[0] <= 0 || values[1] <= 0:
		return nil
	}
	return &result.Adjustment{AdjustedHz: values[0], NominalHz: values[1]}
}
