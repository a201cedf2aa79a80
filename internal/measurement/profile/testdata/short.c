// Reads a clock until it has used 10 ms of CPU time, and ends.
#include <time.h>

int main(void) {
  struct timespec now;
  while (clock() < CLOCKS_PER_SEC / 100)
    for (int i = 0; i < 100; i++) clock_gettime(CLOCK_MONOTONIC, &now);
}
