/* cli/seconds.h — a time as an option has it: "90", "90 s", "10 min". */
#pragma once
#include <stdbool.h>

/* Whether `text` is a time above 0; then *seconds is set. */
bool cap_seconds_read(const char *text, double *seconds);
