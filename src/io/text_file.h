/* io/text_file.h — a text that a user wrote, read whole and checked before anything parses it. */
#pragma once
#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

enum { CAP_TEXT_FILE_MOST = 16 * 1024 * 1024 }; /* bytes of a model file */

/* Read all of `path` into `arena`, ending with a NUL that `size` does not count. Findings (cannot be read,
 * larger than `most` bytes) go to `diag` under its current file name. */
cap_status cap_text_file_read(const char *path, size_t most, cap_arena *arena, cap_diag *diag, char **text,
                              size_t *size);

/* Make a piece of text fit for a message: what is left of a character that was cut goes, control characters
 * become spaces. */
void cap_text_file_clean(char *text);

/* Bytes of the UTF-8 character at `at` (with `left` bytes left, at least one); 0 when it is none. */
size_t cap_text_file_character(const unsigned char *at, size_t left);

/* Refuse what is no UTF-8 text (another encoding, control characters, a binary file), with its place. */
cap_status cap_text_file_check(const char *text, size_t size, cap_diag *diag);
