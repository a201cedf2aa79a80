/* A fake Python for timebench, which calls it as PROGRAM --version, and as PROGRAM [OPTION...] FILE MODE ARG...
   The name of the program is what it does as a benchmark:

   honest.exe   prints known figures: 1 ns for a turn of the loop, 2 for a call, 50 for the others
   hangs.exe    starts a child, and neither ends
   leaves.exe   starts a child that does not end, and prints the figures of honest.exe

   The child makes the folder PROGRAM.started. */
#include <direct.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* Starts this program as a child and returns when the child runs. */
static int start_child(const char *self, const char *started)
{
	char line[2 * MAX_PATH];
	STARTUPINFOA startup = {.cb = sizeof startup};
	PROCESS_INFORMATION child;
	snprintf(line, sizeof line, "\"%s\" child", self);
	/* Wine 8 loses one of some thousand. */
	while (!CreateProcessA(self, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &child))
		if (GetLastError() != ERROR_INTERNAL_ERROR)
			return 0;
	while (GetFileAttributesA(started) == INVALID_FILE_ATTRIBUTES)
		Sleep(10);
	return 1;
}

int main(int argc, char **argv)
{
	char self[MAX_PATH], started[MAX_PATH + 16];
	GetModuleFileNameA(NULL, self, sizeof self);
	snprintf(started, sizeof started, "%s.started", self);
	int hangs = strstr(self, "hangs.exe") != NULL, leaves = strstr(self, "leaves.exe") != NULL;
	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "--version")) {
		puts("Python 9.9");
		return 0;
	}
	if (!strcmp(argv[1], "child")) {
		_mkdir(started);
		Sleep(INFINITE);
	}
	if ((hangs || leaves) && !start_child(self, started))
		return 3;
	if (hangs)
		Sleep(INFINITE);
	int mode = 1;
	while (mode < argc && strcmp(argv[mode], "cost"))
		mode++;
	if (mode + 1 < argc)
		for (int round = 0; round < atoi(argv[mode + 1]); round++)
			for (int i = mode + 3; i < argc; i++)
				printf("cost\t%s\t1000\t%d\n", argv[i], !strcmp(argv[i], "loop") ? 1000 : !strcmp(argv[i], "call") ? 2000 : 50000);
	puts("done");
	return 0;
}
