/* base/summary_text.h — a summary (base/summary.h) printed for people. */
#pragma once
#include "base/summary.h"
#include <stdio.h>

/* `details`: sections of details, too. */
void cap_summary_text_print(FILE *to, const cap_summary *summary, bool details);
