/* The allocator seen at work: a computation that must not allocate is seen not to, and one that must survive
 * a refusal is refused. Call test_count_allocations() once, then compare test_allocations. After cmocka.h. */
#pragma once
#include <stdbool.h>

/* Of this thread, since a BLAS starts threads of its own when it is loaded; volatile, since the compiler
 * thinks that malloc changes no variable. */
extern _Thread_local volatile long test_allocations;

/* Asked at every allocation, with the address that it was called from; true refuses it. NULL, as at the
 * start: none is refused. Without effect where test_refusals_work is false: the sanitizers have their own
 * allocator. */
extern bool (*test_refuse)(void *caller);
extern const bool test_refusals_work;

bool test_allocations_counted(void); /* sees to it that they are; false = that cannot be had */

#define test_count_allocations() assert_true(test_allocations_counted())
