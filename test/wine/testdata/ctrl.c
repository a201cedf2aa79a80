/* Sends a program what the system sends when its console is used or closed: a thread in it
   that runs kernelbase's CtrlRoutine, as GenerateConsoleCtrlEvent and the console's host
   make one. It goes on until the program ends, and ends with its status.

   ctrl FOLDER 2 PROGRAM ARG...   once FOLDER is there and two seconds have passed
   ctrl FOLDER 000 PROGRAM ...    three events, one after the other

   0 is Ctrl-C, 1 Ctrl-Break, 2 the console closed, 5 the session ended, 6 the system ends
   (HandlerRoutine, learn.microsoft.com/windows/console). */
#include <windows.h>

static int ended(HANDLE process) { return WaitForSingleObject(process, 0) == WAIT_OBJECT_0; }

/* The command line from the program on, as it was given. */
static char *rest(char *line, int skip)
{
	while (skip-- > 0) {
		int quoted = 0;
		for (; *line && (quoted || *line != ' '); line++)
			quoted ^= *line == '"';
		while (*line == ' ')
			line++;
	}
	return line;
}

int main(int argc, char **argv)
{
	STARTUPINFOA startup = {.cb = sizeof startup};
	PROCESS_INFORMATION of;
	DWORD status;
	LPTHREAD_START_ROUTINE routine = (LPTHREAD_START_ROUTINE)(void *)GetProcAddress(GetModuleHandleA("kernelbase"), "CtrlRoutine");
	if (argc < 4 || !routine)
		return 99;
	if (!CreateProcessA(NULL, rest(GetCommandLineA(), 3), NULL, NULL, TRUE, 0, NULL, NULL, &startup, &of))
		return 98;
	while (GetFileAttributesA(argv[1]) == INVALID_FILE_ATTRIBUTES && !ended(of.hProcess))
		Sleep(20);
	Sleep(2000);
	for (const char *event = argv[2]; *event && !ended(of.hProcess); event++) {
		HANDLE thread = CreateRemoteThread(of.hProcess, NULL, 0, routine, (void *)(ULONG_PTR)(*event - '0'), 0, NULL);
		if (!thread && !ended(of.hProcess))
			return 97;
		/* A handler of 2, 5 and 6 does not return. */
		WaitForSingleObject(thread, 20);
	}
	WaitForSingleObject(of.hProcess, INFINITE);
	GetExitCodeProcess(of.hProcess, &status);
	return status;
}
