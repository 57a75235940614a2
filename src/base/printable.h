/* base/printable.h — texts of others on their way to a terminal, which obeys control characters. */
#pragma once
#include <stddef.h>

/* Whether the `left` bytes at `at` begin with a character that may be shown, and its bytes; a tab and the
 * end of a line may. 0 = a control character (C0, C1 or delete) or no UTF-8: `*taken` bytes to leave out. */
size_t cap_printable_length(const char *at, size_t left, size_t *taken);
/* Put "?" for each of them. */
void cap_printable(char *text);
/* Put " ... " for the middle of a text that has more than `most` bytes. */
void cap_printable_shorten(char *text, size_t most);
