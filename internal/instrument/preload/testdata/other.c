/* A preloaded library that has nothing to do with the clock, and only calls it. */
#include <time.h>

long uptime_of_nothing(void)
{
	return (long)time(0);
}
