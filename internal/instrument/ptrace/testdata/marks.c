/* Marks by each system call with a path. The paths end just before a page that is not mapped. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

static char *page;

static const char *path(const char *text) {
	char *at = page + 4096 - strlen(text) - 1;
	strcpy(at, text);
	return at;
}

#define MARK(name) path("/timebench-mark/" name)
#define READ syscall(SYS_clock_gettime, CLOCK_MONOTONIC, buffer)

int main(void) {
	long buffer[64];
	struct { unsigned long flags, mode, resolve; } how = {0, 0, 0};
	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(page + 4096, 4096);
#ifdef SYS_stat
	syscall(SYS_stat, MARK("stat"), buffer); READ;
	syscall(SYS_lstat, MARK("lstat"), buffer); READ;
	syscall(SYS_access, MARK("access"), 0); READ;
	syscall(SYS_open, MARK("open"), 0); READ;
	syscall(SYS_readlink, MARK("readlink"), buffer, 8); READ;
#endif
	syscall(SYS_newfstatat, AT_FDCWD, MARK("newfstatat"), buffer, 0); READ;
	syscall(SYS_statx, AT_FDCWD, MARK("statx"), 0, 0, buffer); READ;
	syscall(SYS_faccessat, AT_FDCWD, MARK("faccessat"), 0); READ;
	syscall(439, AT_FDCWD, MARK("faccessat2"), 0, 0); READ;
	syscall(SYS_openat, AT_FDCWD, MARK("openat"), 0); READ;
	syscall(437, AT_FDCWD, MARK("openat2"), &how, sizeof how); READ;
	syscall(SYS_readlinkat, AT_FDCWD, MARK("readlinkat"), buffer, 8); READ;
	syscall(SYS_chdir, MARK("chdir")); READ;
	syscall(SYS_statfs, MARK("statfs"), buffer); READ;
	/* Not marks. */
	syscall(SYS_chdir, path("/timebench-mark")); READ;
	syscall(SYS_chdir, path("")); READ;
	syscall(SYS_chdir, NULL); READ;
	syscall(SYS_chdir, 1); READ;
	/* A mark without a name, and one of 200 bytes. */
	syscall(SYS_chdir, MARK("")); READ;
	char longest[256] = "/timebench-mark/";
	memset(longest + 16, 'x', 200);
	syscall(SYS_chdir, path(longest)); READ;
	syscall(SYS_chdir, MARK("end"));
	return 0;
}
