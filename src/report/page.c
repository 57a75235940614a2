/* report/page.c — see page.h. */
#include "report/page.h"
#include "base/outfile.h"
#include "report/template.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct cap_page {
  cap_outfile out;
  int failed; /* errno of the first call that failed */
  cap_block_list blocks;
};

static const char data_mark[] = "<!--capstan:data-->", block_mark[] = "<!--capstan:blocks-->";

/* Where the template has the mark, or NULL. */
static const unsigned char *find_mark(const char *mark)
{
  return cap_template_size ? memmem(cap_template_html, cap_template_size, mark, strlen(mark)) : NULL;
}

static void put_bytes(cap_page *page, const void *bytes, size_t size)
{
  if (page->failed || size == 0) return;
  if (fwrite(bytes, 1, size, page->out.stream) != size) page->failed = errno ? errno : EIO;
}

static void put_char(cap_page *page, char c)
{
  put_bytes(page, &c, 1);
}

void cap_page_put(cap_page *page, const char *format, ...)
{
  if (page->failed) return;
  va_list args;
  va_start(args, format);
  if (vfprintf(page->out.stream, format, args) < 0) page->failed = errno ? errno : EIO;
  va_end(args);
}

static void free_page(cap_page *page)
{
  cap_block_free(&page->blocks);
  cap_outfile_abandon(&page->out);
  free(page);
}

cap_status cap_page_start(const char *html, cap_page **page, cap_error *error)
{
  *page = NULL;
  const unsigned char *mark = find_mark(data_mark);
  if (!mark)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "this build has no report page; install Node.js and npm, run `npm ci` in web/ "
                           "(scripts/setup.sh does both), and build again");
  cap_page *made = calloc(1, sizeof *made);
  if (!made) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = cap_outfile_open(&made->out, html, error);
  if (status != CAP_OK) {
    free_page(made);
    return status;
  }
  put_bytes(made, cap_template_html, (size_t)(mark - cap_template_html));
  *page = made;
  return CAP_OK;
}

/* Three bytes (or the last one or two) are four characters of base64. */
static void put_base64(cap_page *page, const unsigned char *bytes, size_t size)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char line[4 * 1024];
  size_t n = 0;
  for (size_t i = 0; i < size; i += 3) {
    unsigned second = i + 1 < size ? bytes[i + 1] : 0, third = i + 2 < size ? bytes[i + 2] : 0;
    unsigned group = (unsigned)bytes[i] << 16 | second << 8 | third;
    line[n++] = digits[group >> 18];
    line[n++] = digits[group >> 12 & 63];
    line[n++] = i + 1 < size ? digits[group >> 6 & 63] : '=';
    line[n++] = i + 2 < size ? digits[group & 63] : '=';
    if (n < sizeof line) continue;
    put_bytes(page, line, n);
    n = 0;
  }
  put_bytes(page, line, n);
}

static void put_blocks(cap_page *page)
{
  if (!cap_block_finish(&page->blocks) && !page->failed) page->failed = ENOMEM;
  for (int i = 0; i < page->blocks.nblock; i++) {
    cap_page_put(page, "<script type=\"text/plain\" class=\"capstan-block\">");
    put_base64(page, page->blocks.blocks[i].bytes, page->blocks.blocks[i].size);
    cap_page_put(page, "</script>\n");
  }
}

void cap_page_discard(cap_page *page)
{
  if (!page) return;
  free_page(page);
}

cap_status cap_page_finish(cap_page *page, cap_error *error)
{
  const unsigned char *middle = find_mark(data_mark) + sizeof data_mark - 1;
  const unsigned char *gap = find_mark(block_mark), *end = cap_template_html + cap_template_size;
  put_bytes(page, middle, (size_t)(gap - middle));
  put_blocks(page);
  gap += sizeof block_mark - 1;
  put_bytes(page, gap, (size_t)(end - gap));
  cap_status status = page->failed ? cap_status_fail(error, CAP_ERR_IO, "cannot write '%s': %s",
                                                     page->out.path, strerror(page->failed))
                                   : cap_outfile_commit(&page->out, error);
  free_page(page);
  return status;
}

/* Length of the valid UTF-8 sequence at `s`, 0 when there is none. */
static int sequence_length(const unsigned char *s)
{
  int length = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
  for (int i = 1; i < length; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
  bool beyond = (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF4 && s[1] > 0x8F);
  return overlong || beyond ? 0 : length;
}

/* One character of a JSON string. "<" is escaped: no text may end the page's script element. */
static const char *put_escaped(cap_page *page, const char *at)
{
  unsigned char c = (unsigned char)*at;
  if (c == '"' || c == '\\') {
    put_char(page, '\\');
    put_char(page, (char)c);
  } else if (c == '\n') {
    cap_page_put(page, "\\n");
  } else if (c < 0x20 || c == '<' || c == 0x7F) {
    cap_page_put(page, "\\u%04x", c);
  } else {
    int length = sequence_length((const unsigned char *)at);
    if (length == 0) cap_page_put(page, "\\ufffd");
    else put_bytes(page, at, (size_t)length);
    return at + (length ? length : 1);
  }
  return at + 1;
}

static bool ends_path(char c)
{
  return c == '\0' || strchr(" \t\r\n\"'`,;:()[]{}<>|=", c) != NULL;
}

/* Whether the path goes on behind a space: "/home/me and you/loop.csv". Words that begin with a letter may
 * belong to it as long as one of the next few has a separator inside. */
static bool goes_on(const char *space)
{
  const char *at = space;
  for (int word = 0; word < 3 && *at == ' '; word++) {
    at++;
    if (!((*at | 32) >= 'a' && (*at | 32) <= 'z') && (unsigned char)*at < 0x80) return false;
    for (; !ends_path(*at); at++)
      if (*at == '/' || *at == '\\') return true;
  }
  return false;
}

/* The last part of an absolute path that starts at `at` ("/home/me/loop.csv", "C:\Users\me\loop.csv"), or
 * NULL. A single "/x" is left alone: it may be a unit, and names no folder. */
static const char *last_part(const char *at)
{
  bool windows = ((at[0] | 32) >= 'a' && (at[0] | 32) <= 'z') && at[1] == ':' && at[2] == '\\';
  bool address = at[0] == '/' && at[1] == '/' &&
                 at[2] != '/'; /* https://example.org, but not file:///home/me */
  if (address || (at[0] != '/' && !windows)) return NULL;
  const char *last = NULL, *c = windows ? at + 2 : at;
  /* The name of a home is the name of its user. */
  bool home = strncmp(c, "/home/", 6) == 0 || strncasecmp(c, "/users/", 7) == 0 ||
              strncasecmp(c, "\\users\\", 7) == 0;
  int separators = 0;
  for (; !ends_path(*c) || (*c == ' ' && goes_on(c)); c++)
    if (*c == '/' || *c == '\\') {
      separators++;
      last = c + 1;
    }
  if (home && separators == 2) return c;
  return separators > 1 || windows ? last : NULL;
}

static void put_text(cap_page *page, const char *text)
{
  bool fresh = true; /* the character before `at` cannot be part of a path */
  for (const char *at = text; *at;) {
    const char *part = fresh ? last_part(at) : NULL;
    if (part) {
      cap_page_put(page, "…/");
      at = part;
      fresh = false;
      continue;
    }
    fresh = ends_path(*at);
    at = put_escaped(page, at);
  }
}

void cap_page_string(cap_page *page, const char *text)
{
  put_char(page, '"');
  if (text) put_text(page, text);
  put_char(page, '"');
}

void cap_page_flags(cap_page *page, const char *flags)
{
  const char *gap = "";
  put_char(page, '"');
  for (const char *at = flags ? flags : ""; *at;) {
    at += strspn(at, " ");
    size_t length = strcspn(at, " ");
    if (length && !memchr(at, '/', length) && !memchr(at, '\\', length)) {
      cap_page_put(page, "%s", gap);
      for (const char *end = at + length, *c = at; c < end;) c = put_escaped(page, c);
      gap = " ";
    }
    at += length;
  }
  put_char(page, '"');
}

void cap_page_number(cap_page *page, double value)
{
  if (isfinite(value)) cap_page_put(page, "%.17g", value);
  else cap_page_put(page, "null");
}

void cap_page_json(cap_page *page, const char *json)
{
  /* In JSON "<" occurs inside strings only, where it may be written as an escape. */
  for (const char *at = json; *at;) {
    size_t length = strcspn(at, "<");
    put_bytes(page, at, length);
    at += length;
    if (*at) {
      cap_page_put(page, "\\u003c");
      at++;
    }
  }
}

void cap_page_values(cap_page *page, int64_t n, const double *values, cap_block_form form)
{
  cap_block_place place;
  if (!page->failed && !cap_block_add(&page->blocks, n, values, &form, &place)) page->failed = ENOMEM;
  if (page->failed) return;
  cap_page_put(page, "\"f%d:%d:%zu:%lld:%lld", form.single ? 4 : 8, place.block, place.offset, (long long)n,
               (long long)place.stride);
  if (form.single && form.base != 0.0) cap_page_put(page, ":%.17g", form.base);
  put_char(page, '"');
}

int cap_page_blocks(const cap_page *page)
{
  return page->blocks.nblock + (page->blocks.nopen > 0);
}

int64_t cap_page_size(const cap_page *page)
{
  size_t bytes = page->blocks.nopen / 3 * 4 + cap_template_size;
  for (int i = 0; i < page->blocks.nblock; i++) bytes += page->blocks.blocks[i].size / 3 * 4 + 64;
  long written = ftell(page->out.stream);
  return (int64_t)bytes + (written > 0 ? written : 0);
}
