// Reads a clock for some milliseconds, and ends.
#include <time.h>

int main(void) {
  struct timespec now;
  for (int i = 0; i < 300000; i++) clock_gettime(CLOCK_MONOTONIC, &now);
}
