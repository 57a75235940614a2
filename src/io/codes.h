/* io/codes.h — names of what results hold as numbers: the long name of such a dataset lists them,
 * "macro slip: 0 = none, 1 = on the primary, 2 = on the secondary" or "0: computed, 1: failed".
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Whether a long name lists the names of codes: at least those of 0 and of 1. */
bool cap_codes_listed(const char *long_name);
/* The name of a code within the long name, and its length; NULL where none is listed for the value. */
const char *cap_codes_name(const char *long_name, double value, size_t *length);
