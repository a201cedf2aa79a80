/* Prints whether there is a vDSO, in a new program that a thread starts after a fork. */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	printf("%s\n", getauxval(AT_SYSINFO_EHDR) ? "vdso" : "none");
	fflush(stdout);
	if (argc > 1)
		return 0;
	pid_t child = vfork();
	if (child == 0) {
		execl(argv[0], argv[0], "child", NULL);
		_exit(3);
	}
	waitpid(child, NULL, 0);
	execl(argv[0], argv[0], "again", NULL);
	return 4;
}
