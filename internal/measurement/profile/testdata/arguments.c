// arguments MIB: reads a clock, with an argument list and an environment of so many MiB each in /proc/PID, which cost it no
// memory. It ends with its standard input.
#include <linux/prctl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **arguments) {
  unsigned long size = strtoul(arguments[count - 1], 0, 10) << 20;
  char *memory = mmap(0, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return perror("mmap"), 1;
  char line[4096];
  FILE *stat = fopen("/proc/self/stat", "r");
  if (!stat || !fgets(line, sizeof line, stat)) return perror("/proc/self/stat"), 1;
  unsigned long long fields[64] = {0};
  int i = 3; // the first field after the name: proc_pid_stat(5)
  for (char *field = strtok(strrchr(line, ')') + 2, " "); field && i < 64; field = strtok(0, " ")) fields[i++] = strtoull(field, 0, 10);
  struct prctl_mm_map map = {
    .start_code = fields[26], .end_code = fields[27], .start_stack = fields[28], .start_data = fields[45], .end_data = fields[46],
    .start_brk = fields[47], .brk = (unsigned long)sbrk(0), .exe_fd = -1,
    .arg_start = (unsigned long)memory, .arg_end = (unsigned long)memory + size,
    .env_start = (unsigned long)memory, .env_end = (unsigned long)memory + size,
  };
  if (prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0)) return perror("PR_SET_MM_MAP"), 1;
  printf("ready %d\n", getpid());
  fflush(stdout);
  struct pollfd input = {.fd = 0};
  struct timespec now;
  while (poll(&input, 1, 1) == 0)
    for (int k = 0; k < 20000; k++) clock_gettime(CLOCK_MONOTONIC, &now);
}
