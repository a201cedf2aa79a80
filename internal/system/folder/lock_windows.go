package folder

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/windows"
)

// Lock keeps other runs of this session from writing into a folder until unlock. Folders
// have no locks here, so it uses a mutex with a name derived from the folder's path.
func Lock(folder *os.Root) (unlock func()) {
	absolute, err := filepath.Abs(folder.Name())
	if err != nil {
		return func() {}
	}
	name, err := windows.UTF16PtrFromString(fmt.Sprintf(`Local\timebench-%x`, sha256.Sum256([]byte(strings.ToLower(absolute)))))
	if err != nil {
		return func() {}
	}
	mutex, _ := windows.CreateMutex(nil, false, name) // a mutex that exists is an error and a handle
	if mutex == 0 {
		return func() {}
	}
	runtime.LockOSThread() // the owner of a mutex is a thread
	waited, _ := windows.WaitForSingleObject(mutex, uint32(lockTimeout.Milliseconds()))
	locked := waited == windows.WAIT_OBJECT_0 || waited == windows.WAIT_ABANDONED
	return func() {
		if locked {
			_ = windows.ReleaseMutex(mutex)
		}
		runtime.UnlockOSThread()
		_ = windows.CloseHandle(mutex)
	}
}
