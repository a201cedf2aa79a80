package host

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/prometheus/procfs"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

// timePrograms are programs that set or slew the wall clock, by their names in /proc/PID/comm, which has at most 15
// bytes. ptp4l is missing: it disciplines the clock of the network card, and phc2sys the wall clock.
var timePrograms = map[string]string{
	"chronyd": "chronyd", "ntpd": "ntpd", "ntp-daemon": "ntpd-rs", "systemd-timesyn": "systemd-timesyncd",
	"phc2sys": "phc2sys", "htpdate": "htpdate", "vmtoolsd": "vmtoolsd", "VBoxService": "VBoxService",
}

// maxProcesses bounds the inspected processes: reading a name takes about 10 µs.
const maxProcesses = 1 << 15

func timeServices(root string) []result.TimeService {
	var found []result.TimeService
	seen := map[string]bool{}
	var processes procfs.Procs
	fs, err := procfs.NewFS(filepath.Join(root, procfs.DefaultMountPoint))
	if err == nil {
		processes, err = fs.AllProcs()
	}
	traceError(err)
	for _, p := range processes[:min(len(processes), maxProcesses)] {
		folder := filepath.Join(root, procfs.DefaultMountPoint, strconv.Itoa(p.PID))
		name := timePrograms[readFile(folder, "comm")]
		if name != "" && !seen[name] && maySetTime(folder) {
			seen[name] = true
			found = append(found, result.TimeService{Name: name})
		}
	}
	if hypervTimeSync(root) {
		service := result.TimeService{Name: "hyperv-timesync"}
		const parameter = "sys/module/hv_utils/parameters/timesync_implicit"
		if value := readName(root, parameter); value != "" {
			service.Setting = "timesync_implicit=" + value
		}
		found = append(found, service)
	}
	return found
}

// maySetTime reports whether a process has the effective capability to set the clock. Without it, as in most
// containers, chronyd runs with -x, and a program that only has the name of a time service does nothing.
func maySetTime(folder string) bool {
	capabilities, err := strconv.ParseUint(procfile.Field(filepath.Join(folder, "status"), "CapEff:"), 16, 64)
	return err == nil && capabilities&(1<<unix.CAP_SYS_TIME) != 0
}

// hypervTimeSyncClass is the class of the device through which Hyper-V sends the time of its host: HV_TS_GUID in
// include/linux/hyperv.h.
const hypervTimeSyncClass = "{9527e630-d0ae-497b-adce-e80ab0175caf}"

func hypervTimeSync(root string) bool {
	classes, _ := filepath.Glob(filepath.Join(root, "sys/bus/vmbus/devices/*/class_id"))
	for _, class := range classes {
		device := filepath.Dir(class)
		_, err := os.Lstat(filepath.Join(device, "driver"))
		if err == nil && readFile(device, "class_id") == hypervTimeSyncClass {
			return true
		}
	}
	return false
}
