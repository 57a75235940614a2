/* io/rewrite.c — see rewrite.h. */
#include "io/rewrite.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text that grows: counted only while `text` is NULL. */
typedef struct pen {
  char *text;
  size_t n;
} pen;

static void put(pen *p, const char *text, size_t length)
{
  if (p->text) memcpy(p->text + p->n, text, length);
  p->n += length;
}

/* Whether a text can stand without quotes, where its old name did. */
static bool plain(const char *text, bool flow)
{
  if (!isalnum((unsigned char)text[0]) && text[0] != '_') return false;
  if (flow && text[strcspn(text, ",[]{}")]) return false;
  return !strstr(text, ": ") && !strstr(text, " #") && !strchr(text, '\n');
}

static void put_single(pen *p, const char *text)
{
  put(p, "'", 1);
  for (; *text; text++) put(p, *text == '\'' ? "''" : text, *text == '\'' ? 2 : 1);
  put(p, "'", 1);
}

static void put_double(pen *p, const char *text)
{
  char piece[8];
  put(p, "\"", 1);
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') snprintf(piece, sizeof piece, "\\%c", c);
    else if (c < 0x20 || c == 0x7f) snprintf(piece, sizeof piece, "\\x%02x", c);
    else snprintf(piece, sizeof piece, "%c", c);
    put(p, piece, strlen(piece));
  }
  put(p, "\"", 1);
}

/* Bytes of an anchor and the space behind it. */
static size_t anchor_length(const char *raw, size_t length)
{
  size_t n = 0;
  if (length == 0 || raw[0] != '&') return 0;
  while (n < length && !isspace((unsigned char)raw[n])) n++;
  while (n < length && isspace((unsigned char)raw[n])) n++;
  return n;
}

static void put_edit(cap_renames *r, pen *p, const cap_renames_edit *edit, const char *raw, size_t length)
{
  size_t anchor = anchor_length(raw, length);
  put(p, raw, anchor);
  raw += anchor, length -= anchor;
  bool as_read = strlen(edit->was) == length && memcmp(edit->was, raw, length) == 0;
  cap_yaml_style style = edit->token.style;
  if (style == CAP_YAML_SINGLE) put_single(p, edit->is);
  else if (style == CAP_YAML_DOUBLE) put_double(p, edit->is);
  else if (style == CAP_YAML_PLAIN && as_read) {
    if (plain(edit->is, edit->token.flow)) put(p, edit->is, strlen(edit->is));
    else put_double(p, edit->is);
  } else { /* several lines: word by word, which keeps them */
    char *own = cap_arena_format(r->arena, "%.*s", (int)length, raw);
    const char *present = !own                             ? NULL
                          : edit->means == CAP_MEANS_VALUE ? cap_renames_text_of(r, edit->path, own)
                                                           : cap_renames_word(r, edit->means, own);
    if (present) put(p, present, strlen(present));
    else r->exhausted = true;
  }
}

static int by_place(const void *a, const void *b)
{
  const cap_renames_edit *x = *(const cap_renames_edit *const *)a, *y = *(const cap_renames_edit *const *)b;
  return (x->token.at > y->token.at) - (x->token.at < y->token.at);
}

/* From a byte to the one `more` characters further on. */
static const char *forward(const char *at, int more)
{
  while (more > 0 && *at) {
    at++;
    if (((unsigned char)*at & 0xc0) != 0x80) more--;
  }
  return at;
}

static void write_all(cap_renames *r, pen *p, const char *text, int n, const cap_renames_edit *const *edits)
{
  const char *at = text;
  int character = 0;
  p->n = 0;
  for (int i = 0; i < n; i++) {
    const cap_yaml_token *token = &edits[i]->token;
    if (token->at < character) continue; /* an alias under two names, which the comparison finds */
    const char *from = forward(at, token->at - character), *to = forward(from, token->end - token->at);
    put(p, at, (size_t)(from - at));
    put_edit(r, p, edits[i], from, (size_t)(to - from));
    at = to, character = token->end;
  }
  put(p, at, strlen(at) + 1);
}

const char *cap_rewrite_text(cap_renames *r, const char *text)
{
  int n = 0;
  for (const cap_renames_edit *e = r->edits; e; e = e->before) n++;
  const cap_renames_edit **edits = CAP_ARENA_NEW(r->arena, const cap_renames_edit *, n + 1);
  if (!edits) return NULL;
  n = 0;
  for (const cap_renames_edit *e = r->edits; e; e = e->before) edits[n++] = e;
  qsort(edits, (size_t)n, sizeof *edits, by_place);
  pen p = {0};
  write_all(r, &p, text, n, edits);
  p.text = cap_arena_alloc(r->arena, p.n);
  if (p.text) write_all(r, &p, text, n, edits);
  return r->exhausted ? NULL : p.text;
}
