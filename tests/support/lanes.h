/* A lane of an ensemble against the same system alone, bit for bit. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* many[count][nlane] in one lane against one[count]. */
static inline void test_same_lane(const char *what, const double *many, const double *one, int count,
                                  int nlane, int lane)
{
  for (int k = 0; k < count; k++)
    if (memcmp(&many[k * nlane + lane], &one[k], sizeof(double)) != 0)
      fail_msg("%s[%d] in lane %d of %d is %.17g, alone %.17g", what, k, lane, nlane, many[k * nlane + lane],
               one[k]);
}
