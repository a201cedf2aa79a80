/* Sends a program what the system sends when its console is used or closed: a thread in it
   that runs kernelbase's CtrlRoutine, as GenerateConsoleCtrlEvent and the console's host
   make one. It goes on until the program ends, and ends with its status.

   ctrl FILE 2 PROGRAM ARG...   two seconds after its debug output, which goes to FILE, says that it measures
   ctrl FOLDER/ 2 PROGRAM ...   two seconds after FOLDER is there
   ctrl FILE 000 PROGRAM ...    three events, one after the other

   0 is Ctrl-C, 1 Ctrl-Break, 2 the console closed, 5 the session ended, 6 the system ends
   (HandlerRoutine, learn.microsoft.com/windows/console). */
#include <string.h>
#include <windows.h>

static int ended(HANDLE process) { return WaitForSingleObject(process, 0) == WAIT_OBJECT_0; }

static int measures(const char *file)
{
	static char text[1 << 16];
	DWORD length = 0;
	HANDLE from = CreateFileA(file, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
	ReadFile(from, text, sizeof text - 1, &length, NULL);
	CloseHandle(from);
	text[length] = 0;
	return strstr(text, "the measurement begins") != NULL;
}

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

struct delivery { HANDLE process; LPTHREAD_START_ROUTINE routine; int event; };

/* deliver returns 0 if the event was not sent. */
static DWORD WINAPI deliver(void *argument)
{
	struct delivery *s = argument;
	HANDLE thread = CreateRemoteThread(s->process, NULL, 0, s->routine, (void *)(ULONG_PTR)s->event, 0, NULL);
	if (!thread)
		return 0;
	/* A handler of 2, 5 and 6 does not return. */
	WaitForSingleObject(thread, 20);
	return 1;
}

int main(int argc, char **argv)
{
	SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
	STARTUPINFOA startup = {.cb = sizeof startup, .dwFlags = STARTF_USESTDHANDLES};
	PROCESS_INFORMATION of;
	DWORD status;
	LPTHREAD_START_ROUTINE routine = (LPTHREAD_START_ROUTINE)(void *)GetProcAddress(GetModuleHandleA("kernelbase"), "CtrlRoutine");
	if (argc < 4 || !routine)
		return 99;
	char *slash = strchr(argv[1], '/');
	if (slash)
		*slash = 0;
	startup.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
	startup.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
	startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
	if (!slash) {
		startup.hStdError = CreateFileA(argv[1], GENERIC_WRITE, FILE_SHARE_READ, &inherited, CREATE_ALWAYS, 0, NULL);
		SetEnvironmentVariableA("TIMEBENCH_DEBUG", "1");
	}
	/* Wine 8 loses one of some thousand. */
	while (!CreateProcessA(NULL, rest(GetCommandLineA(), 3), NULL, NULL, TRUE, 0, NULL, NULL, &startup, &of))
		if (GetLastError() != ERROR_INTERNAL_ERROR)
			return 98;
	while (!(slash ? GetFileAttributesA(argv[1]) != INVALID_FILE_ATTRIBUTES : measures(argv[1])) && !ended(of.hProcess))
		Sleep(20);
	Sleep(2000);
	for (const char *event = argv[2]; *event && !ended(of.hProcess); event++) {
		/* In a thread of its own, because under Wine CreateRemoteThread never returns if the process
		   ends meanwhile. */
		struct delivery delivery = {of.hProcess, routine, *event - '0'};
		HANDLE either[] = {CreateThread(NULL, 0, deliver, &delivery, 0, NULL), of.hProcess};
		DWORD sent = 0;
		WaitForMultipleObjects(2, either, FALSE, INFINITE);
		GetExitCodeThread(either[0], &sent);
		if (!sent && !ended(of.hProcess))
			return 97;
	}
	WaitForSingleObject(of.hProcess, INFINITE);
	GetExitCodeProcess(of.hProcess, &status);
	return status;
}
