package cmd

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/windows"
)

// locked keeps other runs of this session from writing into a folder until unlock. Folders have
// no locks here, so a mutex has the folder's name.
func locked(folder string) (unlock func()) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return func() {}
	}
	name, err := windows.UTF16PtrFromString(fmt.Sprintf(`Local\timebench-%x`, sha256.Sum256([]byte(strings.ToLower(absolute)))))
	if err != nil {
		return func() {}
	}
	mutex, _ := windows.CreateMutex(nil, false, name) // where it was there already: an error, and a handle
	if mutex == 0 {
		return func() {}
	}
	runtime.LockOSThread() // a thread has a mutex
	waited, _ := windows.WaitForSingleObject(mutex, uint32(lockPatience.Milliseconds()))
	return func() {
		if waited == windows.WAIT_OBJECT_0 || waited == windows.WAIT_ABANDONED {
			_ = windows.ReleaseMutex(mutex)
		}
		runtime.UnlockOSThread()
		_ = windows.CloseHandle(mutex)
	}
}
