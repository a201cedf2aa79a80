// compilers NUMBER FUNCTIONS: so many processes that read a clock from memory without a file, by a system call, each with a list
// /tmp/perf-PID.map of so many functions with names of 4 kB. The lists are links to one file. Ends with its standard input.
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
// push rbp; mov rbp, rsp; mov rsi, rdi; mov eax, 228; mov edi, 1; syscall; pop rbp; ret
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xfe, 0xb8, 228, 0, 0, 0, 0xbf, 1, 0, 0, 0, 0x0f, 0x05, 0x5d, 0xc3};
#else
#error "for x86-64 only"
#endif

int main(int count, char **arguments) {
  if (count != 3) return 2;
  int number = atoi(arguments[1]);
  char first[64], name[4096];
  memset(name, 'A', sizeof name - 1);
  name[sizeof name - 1] = 0;
  pid_t processes[number];
  for (int i = 0; i < number; i++) {
    if ((processes[i] = fork()) == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      void *memory = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) return 1;
      memcpy(memory, code, sizeof code);
      struct timespec now;
      for (;;) {
        for (int k = 0; k < 200; k++) ((void (*)(struct timespec *))memory)(&now);
        usleep(1000);
      }
    }
    char own[64];
    snprintf(own, sizeof own, "/tmp/perf-%d.map", processes[i]);
    unlink(own);
    if (i > 0) {
      if (link(first, own)) return perror(own), 1;
      continue;
    }
    FILE *list = fopen(strcpy(first, own), "w");
    if (!list) return perror(first), 1;
    for (long at = 1; at <= atol(arguments[2]); at++) fprintf(list, "%lx 10 %s\n", at * 16, name);
    if (fclose(list)) return perror(first), 1;
  }
  printf("ready %d\n", getpid());
  fflush(stdout);
  struct pollfd input = {.fd = 0};
  poll(&input, 1, -1);
  for (int i = 0; i < number; i++) {
    char own[64];
    snprintf(own, sizeof own, "/tmp/perf-%d.map", processes[i]);
    unlink(own);
    kill(processes[i], SIGKILL);
    waitpid(processes[i], 0, 0);
  }
}
