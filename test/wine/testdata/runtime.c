/* A fake Python for timebench, which calls it as PROGRAM --version, and as PROGRAM [OPTION...] FILE, and sends commands
   (doc comment of internal/measurement/runtimes/programs). The name of the program is what it does as a benchmark:

   honest.exe   answers known figures: 1 ns for a turn of the loop, 2 for a call, 50 for the others
   hangs.exe    starts a child, and neither ends
   leaves.exe   starts a child that does not end, and answers as honest.exe

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
	char self[MAX_PATH], started[MAX_PATH + 16], line[256];
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
	long long counted = 0;
	while (fgets(line, sizeof line, stdin)) {
		char *verb = strtok(line, "\t\n"), *name = strtok(NULL, "\t\n"), *field;
		long long numbers[2] = {0};
		for (int i = 0; i < 2 && (field = strtok(NULL, "\t\n")); i++)
			numbers[i] = atoll(field);
		if (name == NULL)
			return 2;
		int each = !strcmp(name, "loop") ? 1 : !strcmp(name, "call") ? 2 : 50, run = !strcmp(verb, "run");
		for (int i = 0; run && i < numbers[1]; i++)
			printf("%lld ", numbers[0] * each);
		if ((counted += run * numbers[0] * each * numbers[1]) > 1000000) { /* the time that it counts passes */
			Sleep((DWORD)(counted / 1000000 + 1));
			counted = 0;
		}
		if (!strcmp(verb, "steps"))
			putchar('0');
		putchar('\n');
		fflush(stdout);
	}
	return 0;
}
