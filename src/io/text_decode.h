/* io/text_decode.h — the encodings in which spreadsheets and measuring programs save text, turned into UTF-8.
 *
 * UTF-8 (with or without a byte order mark) is taken as it is, UTF-16 needs its byte order mark (Excel's
 * "Unicode text" has one). Text that is not UTF-8 is Windows-1252, of which Latin-1 is a part, unless it also
 * has characters in UTF-8: two encodings in one file are refused.
 */
#pragma once
#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

typedef struct cap_text_decoded {
  const char *text; /* UTF-8 without byte order mark: part of the bytes given, or in the arena */
  size_t size;
  unsigned char foreign; /* the first byte that made it Windows-1252; 0 = none */
  int line, column;      /* of that byte */
} cap_text_decoded;

/* Findings (bytes of no known encoding, an archive such as .xlsx) go to `diag` with their place. Control
 * characters are left to cap_text_file_check. */
cap_status cap_text_decode(const char *bytes, size_t size, cap_arena *arena, cap_diag *diag,
                           cap_text_decoded *decoded);
