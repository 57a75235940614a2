/* tests/support/near.h — comparison of doubles (cmocka compares floats). Include after cmocka.h. */
#pragma once
#include <math.h>

#define assert_near(value, expected, within)                                                                 \
  do {                                                                                                       \
    double near_a = (value), near_b = (expected);                                                            \
    if (!(fabs(near_a - near_b) <= (within)))                                                                \
      fail_msg("%s is %.17g, expected %.17g within %g", #value, near_a, near_b, (double)(within));           \
  } while (0)
