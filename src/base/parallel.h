/* base/parallel.h — independent tasks on several threads.
 *
 * Task k computes the same whatever thread runs it and in whatever order, so results do not depend on the
 * number of threads: that is the caller's side of the contract. With one thread nothing is started.
 */
#pragma once
#include "base/status.h"

/* Call task(self, k, error) for k = 0 .. count-1 on at most `threads` threads. After a failure no further
 * task starts; the failure of the smallest k that failed is returned, its text in `error`. */
cap_status cap_parallel_for(int count, int threads, cap_status (*task)(void *self, int k, cap_error *error),
                            void *self, cap_error *error);
