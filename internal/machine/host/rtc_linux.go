package host

import (
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/system/procfile"
)

// RTCSeconds returns the time of the first real-time clock in seconds since 1970, and whether there is one
// that any user can read (Documentation/ABI/testing/sysfs-class-rtc). It may be local time.
func RTCSeconds() (seconds int64, ok bool) {
	text, err := procfile.Read("/sys/class/rtc/rtc0/since_epoch")
	if err != nil {
		return 0, false
	}
	seconds, err = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return seconds, err == nil
}
