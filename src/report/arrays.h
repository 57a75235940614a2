/* report/arrays.h — the arrays of a group in a page: whole, or left out when they are too large; of a film
 * (arrays film.*) every second, third, ... frame when it is. */
#pragma once
#include "report/writer.h"

/* `"arrays":[...],` */
cap_status cap_arrays_put(cap_writer *writer, const cap_results_group *group);
