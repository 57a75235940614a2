/* base/markup.c — see markup.h. */
#include "base/markup.h"

void cap_markup_put(FILE *out, const char *text)
{
  for (; *text; text++) switch (*text) {
    case '&':
      fputs("&amp;", out);
      break;
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    default:
      fputc(*text, out);
    }
}
