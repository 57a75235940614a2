/* io/text_decode.c — see text_decode.h. Each decoder runs twice: the first run counts bytes, the second
 * writes them. */
#include "io/text_decode.h"
#include "io/text_file.h"

#include <stdio.h>
#include <string.h>

/* Unicode of the bytes 0x80 to 0x9f of Windows-1252; 0 = not assigned. All others are their own. */
static const unsigned short windows_1252[32] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

typedef struct place {
  int line, column;
} place;

static void pass(place *p, unsigned code)
{
  p->column++;
  if (code == '\n') p->line++, p->column = 1;
}

/* UTF-8 of one character into `out` (NULL: nothing is written); the number of its bytes. */
static size_t put(char *out, unsigned code)
{
  unsigned char bytes[4];
  size_t n = 0;
  if (code < 0x80) bytes[n++] = (unsigned char)code;
  else if (code < 0x800) bytes[n++] = (unsigned char)(0xc0 | code >> 6);
  else if (code < 0x10000) {
    bytes[n++] = (unsigned char)(0xe0 | code >> 12);
    bytes[n++] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
  } else {
    bytes[n++] = (unsigned char)(0xf0 | code >> 18);
    bytes[n++] = (unsigned char)(0x80 | (code >> 12 & 0x3f));
    bytes[n++] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
  }
  if (code >= 0x80) bytes[n++] = (unsigned char)(0x80 | (code & 0x3f));
  if (out) memcpy(out, bytes, n);
  return n;
}

/* ---- UTF-16 ---- */

static unsigned unit_at(const unsigned char *at, bool big)
{
  return big ? (unsigned)at[0] << 8 | at[1] : (unsigned)at[1] << 8 | at[0];
}

/* Bytes of the character at `at`, its code into `code`; 0 when it is none. */
static size_t take_utf16(const unsigned char *at, size_t left, bool big, unsigned *code)
{
  if (left < 2) return 0;
  *code = unit_at(at, big);
  if (*code < 0xd800 || *code > 0xdfff) return 2;
  if (*code > 0xdbff || left < 4) return 0;
  unsigned low = unit_at(at + 2, big);
  if (low < 0xdc00 || low > 0xdfff) return 0;
  *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
  return 4;
}

static bool decode_utf16(const char *bytes, size_t size, bool big, char *out, size_t *length, place *p)
{
  const unsigned char *at = (const unsigned char *)bytes, *end = at + size;
  *length = 0;
  while (at < end) {
    unsigned code;
    size_t n = take_utf16(at, (size_t)(end - at), big, &code);
    if (!n) return false;
    *length += put(out ? out + *length : NULL, code);
    pass(p, code);
    at += n;
  }
  return true;
}

static cap_status read_utf16(const char *bytes, size_t size, cap_arena *arena, cap_diag *diag,
                             cap_text_decoded *decoded)
{
  bool big = (unsigned char)bytes[0] == 0xfe;
  place p = {1, 1};
  size_t n;
  if (!decode_utf16(bytes + 2, size - 2, big, NULL, &n, &p)) {
    cap_diag_add(diag, p.line, p.column, NULL,
                 "expected UTF-16, as the byte order mark says, got an incomplete character; save the file "
                 "as UTF-8");
    return CAP_ERR_INPUT;
  }
  char *text = cap_arena_alloc(arena, n + 1);
  if (!text) return CAP_ERR_NOMEM;
  decode_utf16(bytes + 2, size - 2, big, text, &n, &p);
  *decoded = (cap_text_decoded){.text = text, .size = n};
  return CAP_OK;
}

/* ---- Windows-1252 ---- */

static unsigned code_1252(unsigned char byte)
{
  return byte < 0x80 || byte > 0x9f ? byte : windows_1252[byte - 0x80];
}

static cap_status read_1252(const char *bytes, size_t size, cap_arena *arena, cap_diag *diag,
                            cap_text_decoded *decoded)
{
  size_t n = 0;
  place p = {1, 1};
  for (size_t i = 0; i < size; i++) {
    unsigned char byte = (unsigned char)bytes[i];
    unsigned code = code_1252(byte);
    if (!code && byte) {
      cap_diag_add(diag, p.line, p.column, NULL,
                   "expected text in UTF-8, Windows-1252 or UTF-16 with a byte order mark, got the byte "
                   "0x%02x; save the file as UTF-8",
                   byte);
      return CAP_ERR_INPUT;
    }
    pass(&p, code);
    n += put(NULL, code);
  }
  char *text = cap_arena_alloc(arena, n + 1), *to = text;
  if (!text) return CAP_ERR_NOMEM;
  for (size_t i = 0; i < size; i++) to += put(to, code_1252((unsigned char)bytes[i]));
  decoded->text = text;
  decoded->size = n;
  return CAP_OK;
}

/* ---- which one ---- */

/* What a spreadsheet saves unless it is asked for CSV. */
static bool is_workbook(const char *bytes, size_t size)
{
  return size >= 4 && (memcmp(bytes, "PK\x03\x04", 4) == 0 || memcmp(bytes, "\xd0\xcf\x11\xe0", 4) == 0);
}

/* The first byte that is not UTF-8 into `decoded`, the first character that only UTF-8 has into `whole`. */
static void survey(const char *bytes, size_t size, cap_text_decoded *decoded, place *whole)
{
  const unsigned char *at = (const unsigned char *)bytes, *end = at + size;
  place p = {1, 1};
  while (at < end) {
    size_t n = *at < 0x80 ? 1 : cap_text_file_character(at, (size_t)(end - at));
    if (n > 1 && !whole->line) *whole = p;
    if (n == 0 && !decoded->foreign) {
      decoded->foreign = *at;
      decoded->line = p.line;
      decoded->column = p.column;
    }
    pass(&p, *at);
    at += n ? n : 1;
  }
}

cap_status cap_text_decode(const char *bytes, size_t size, cap_arena *arena, cap_diag *diag,
                           cap_text_decoded *decoded)
{
  *decoded = (cap_text_decoded){.text = bytes, .size = size};
  if (is_workbook(bytes, size)) {
    cap_diag_add(
        diag, 0, 0, NULL,
        "expected a text file, got a workbook (.xlsx, .xls, .ods) or another archive; save the sheet "
        "as CSV");
    return CAP_ERR_INPUT;
  }
  bool marked = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
  if (marked) decoded->text += 3, decoded->size -= 3;
  else if (size >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0))
    return read_utf16(bytes, size, arena, diag, decoded);
  place whole = {0, 0};
  survey(decoded->text, decoded->size, decoded, &whole);
  if (!decoded->foreign) return CAP_OK;
  if (!marked && !whole.line) return read_1252(bytes, size, arena, diag, decoded);
  char mark[60] = "a byte order mark";
  if (!marked) snprintf(mark, sizeof mark, "UTF-8 in line %d, column %d", whole.line, whole.column);
  cap_diag_add(
      diag, decoded->line, decoded->column, NULL,
      "expected UTF-8, since the file has %s, got the byte 0x%02x of another encoding; save the file "
      "as UTF-8",
      mark, decoded->foreign);
  return CAP_ERR_INPUT;
}
