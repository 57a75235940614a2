/* base/clock.h — seconds that passed, for progress, pauses and logs; never for results. */
#pragma once
#include <time.h>

/* Since some moment in the past, and never set back. */
static inline double cap_clock_wall(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Of the processors, all threads of this process together. */
static inline double cap_clock_processor(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
