/* A program whose addresses the tests name. It prints them, and waits for the end of its input. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline)) int exported_function(int x) { return x * 3 + getpid(); }
__attribute__((noinline)) static int local_function(int x) { return x * 5 - getpid(); }

int main(void) {
	void *anonymous = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char byte;
	if (exported_function(1) == local_function(2))
		return 1;
	printf("%lx %lx %lx %lx %lx\n", (unsigned long)exported_function, (unsigned long)local_function,
	       (unsigned long)dlsym(RTLD_DEFAULT, "qsort"), getauxval(AT_SYSINFO_EHDR), (unsigned long)anonymous);
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}
