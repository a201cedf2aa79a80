package native

import "golang.org/x/sys/unix"

// vsyscall is the address of __kernel_vsyscall of the vDSO; 0 if the kernel names none.
var vsyscall = func() uintptr { //nolint:unused // the assembly uses it
	const atSysinfo = 32 // AT_SYSINFO of getauxval(3)
	vector, _ := unix.Auxv()
	for _, pair := range vector {
		if pair[0] == atSysinfo {
			return pair[1]
		}
	}
	return 0
}()
