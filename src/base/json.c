/* base/json.c — see json.h. */
#include "base/json.h"

#include <math.h>

/* Bytes of the UTF-8 sequence at `s` (2 to 4), 0 when there is none:
 * no overlong forms, surrogates or more. */
static int sequence_length(const unsigned char *s)
{
  int length = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
               : (s[0] & 0xf0) == 0xe0        ? 3
               : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                              : 0;
  for (int i = 1; i < length; i++)
    if ((s[i] & 0xc0) != 0x80) return 0; /* the ending zero is none either */
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
  if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
  return length;
}

static void put_ascii(FILE *out, unsigned char c)
{
  switch (c) {
  case '"':
    fputs("\\\"", out);
    break;
  case '\\':
    fputs("\\\\", out);
    break;
  case '\n':
    fputs("\\n", out);
    break;
  case '\r':
    fputs("\\r", out);
    break;
  case '\t':
    fputs("\\t", out);
    break;
  default:
    if (c < 0x20 || c == 0x7f) fprintf(out, "\\u%04x", c);
    else fputc(c, out);
  }
}

void cap_json_text(FILE *out, const char *text)
{
  fputc('"', out);
  for (const unsigned char *s = (const unsigned char *)(text ? text : ""); *s;) {
    int length = *s < 0x80 ? 1 : sequence_length(s);
    if (length == 0) fputs("\\ufffd", out);
    if (length == 1) put_ascii(out, *s);
    else fwrite(s, 1, (size_t)length, out);
    s += length ? length : 1;
  }
  fputc('"', out);
}

void cap_json_number(FILE *out, double value)
{
  if (isfinite(value)) fprintf(out, "%.17g", value);
  else fputs("null", out);
}
