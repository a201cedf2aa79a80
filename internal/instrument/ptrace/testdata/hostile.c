/* Programs that nobody wants to trace. Each ends by itself, after a minute or a bounded number of
   processes, so that a failed test leaves the machine usable. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char **arguments;

static void mark(const char *path) { access(path, 0); }

static void minute(void) {
	for (time_t end = time(NULL) + 60; time(NULL) < end;)
		sleep(1);
	exit(9);
}

static void *sleeps(void *unused) { minute(); return unused; }

static void *execs(void *unused) {
	char *const args[] = {arguments[0], "echo", NULL};
	mark("/timebench-mark/thread");
	execv(arguments[0], args);
	exit(8);
	return unused;
}

static void threads(int n) {
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < n; i++) {
		pthread_t t;
		if (pthread_create(&t, &small, sleeps, NULL) != 0)
			exit(7);
	}
}

static int trapped;
static void on_trap(int unused) { (void)unused; trapped++; }

int main(int argc, char **argv) {
	const char *what = argv[1];
	pthread_t t;
	arguments = argv;
	setvbuf(stdout, NULL, _IONBF, 0);
	if (!strcmp(what, "echo")) {
		mark("/timebench-mark/echo");
		puts("echo");
		mark("/timebench-mark/end");
		return 0;
	}
	if (!strcmp(what, "runs")) { /* each process starts the next one and ends */
		for (int i = 0; i < 20000; i++)
			if (fork() != 0)
				_exit(0);
		minute();
	}
	if (!strcmp(what, "daemon")) { /* the parent ends, or not */
		int ready[2];
		char byte;
		if (pipe(ready) != 0)
			return 6;
		if (fork() == 0) {
			setsid();
			if (fork() != 0)
				_exit(0);
			for (int s = 1; s < 32; s++)
				signal(s, SIG_IGN);
			if (write(ready[1], "r", 1) != 1)
				return 5;
			minute();
		}
		if (read(ready[0], &byte, 1) != 1)
			return 4;
		puts("ready");
		if (argc > 2)
			minute();
		return 0;
	}
	if (!strcmp(what, "sibling")) { /* a child of the tracer that is no tracee */
		if (syscall(SYS_clone, CLONE_UNTRACED | CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0)
			minute();
		puts("ready");
		if (argc > 2)
			minute();
		return 0;
	}
	if (!strcmp(what, "signal"))
		raise(SIGKILL);
	if (!strcmp(what, "crash"))
		raise(SIGSEGV);
	if (!strcmp(what, "status"))
		return 3;
	if (!strcmp(what, "threads")) {
		threads(100);
		puts("ready");
		if (argc > 2)
			minute();
		return 0;
	}
	if (!strcmp(what, "execthread")) { /* a thread other than the main one, among others */
		mark("/timebench-mark/main");
		threads(20);
		pthread_create(&t, NULL, execs, NULL);
		minute();
	}
	if (!strcmp(what, "mainends")) { /* the main thread ends, another one execs */
		pthread_create(&t, NULL, execs, NULL);
		pthread_exit(NULL);
	}
	if (!strcmp(what, "stop")) {
		raise(SIGSTOP);
		raise(SIGTSTP);
		puts("continued");
		return 0;
	}
	if (!strcmp(what, "trap")) { /* its own signals arrive, SIGTRAP and SIGTSTP too */
		signal(SIGTRAP, on_trap);
		signal(SIGTSTP, on_trap);
		signal(SIGUSR1, on_trap);
		raise(SIGTRAP);
		raise(SIGTSTP);
		raise(SIGUSR1);
		return trapped == 3 ? 0 : 4;
	}
	if (!strcmp(what, "parent")) { /* a child that does not stop, for its parent either */
		for (int i = 0; i < 50; i++) {
			int status;
			pid_t child = fork();
			if (child == 0)
				_exit(5);
			if (waitpid(child, &status, WUNTRACED) != child || !WIFEXITED(status))
				return 4;
		}
		return 0;
	}
	if (!strcmp(what, "nested")) /* a tracee cannot be traced by others */
		return ptrace(PTRACE_TRACEME, 0, 0, 0) == 0 ? 4 : 0;
	if (!strcmp(what, "noexec")) {
		char *const args[] = {"/nonexistent/program", NULL};
		execv(args[0], args);
		puts("continued");
		return 0;
	}
	if (!strcmp(what, "marks"))
		for (time_t end = time(NULL) + 60; time(NULL) < end;)
			mark("/timebench-mark/x"); /* and time() reads a clock */
	if (!strcmp(what, "switches")) { /* the context switches of 10,000 system calls */
		struct rusage before, after;
		getrusage(RUSAGE_SELF, &before);
		for (int i = 0; i < 10000; i++)
			mark("/timebench-mark/x");
		getrusage(RUSAGE_SELF, &after);
		printf("%ld\n", after.ru_nvcsw - before.ru_nvcsw);
		return 0;
	}
	if (!strcmp(what, "untraced")) { /* a child that no tracer gets */
		if (syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0) == 0)
			minute();
		return 0;
	}
	if (!strcmp(what, "fails")) {
		struct timespec ts;
		mark("/timebench-mark/first");
		syscall(SYS_clock_gettime, CLOCK_REALTIME, &ts);
		mark("/timebench-mark/second");
		syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
		return 3;
	}
	return 2;
}
