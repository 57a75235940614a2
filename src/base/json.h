/* base/json.h — the two things of JSON that are easily got wrong: texts and numbers. */
#pragma once
#include <stdio.h>

/* In quotes, with everything escaped that must be; bytes that are no UTF-8 become U+FFFD. NULL = "". */
void cap_json_text(FILE *out, const char *text);
/* With 17 digits, so that it reads back as the same bits; null when it is not finite. */
void cap_json_number(FILE *out, double value);
