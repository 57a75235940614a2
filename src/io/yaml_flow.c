/* io/yaml_flow.c — see yaml_flow.h. */
#include "io/yaml_flow.h"

#include <stdio.h>
#include <string.h>

/* Where the text goes: counted only while `text` is NULL. */
typedef struct pen {
  char *text;
  size_t n;
} pen;

static void put(pen *p, const char *piece)
{
  size_t length = strlen(piece);
  if (p->text) memcpy(p->text + p->n, piece, length);
  p->n += length;
}

static void put_quoted(pen *p, const char *text)
{
  char piece[8];
  put(p, "\"");
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') snprintf(piece, sizeof piece, "\\%c", c);
    else if (c < 0x20 || c == 0x7f) snprintf(piece, sizeof piece, "\\x%02x", c);
    else snprintf(piece, sizeof piece, "%c", c);
    put(p, piece);
  }
  put(p, "\"");
}

static void write_node(pen *p, const cap_yaml_node *node)
{
  switch (node->kind) {
  case CAP_YAML_NULL:
    put(p, "~");
    break;
  case CAP_YAML_SCALAR:
    put_quoted(p, node->text);
    break;
  case CAP_YAML_LIST:
    put(p, "[");
    for (int i = 0; i < node->n; i++) {
      if (i) put(p, ", ");
      write_node(p, node->items[i]);
    }
    put(p, "]");
    break;
  case CAP_YAML_MAP:
    put(p, "{");
    for (int i = 0; i < node->n; i++) {
      if (i) put(p, ", ");
      put_quoted(p, node->pairs[i].key);
      put(p, ": ");
      write_node(p, node->pairs[i].value);
    }
    put(p, "}");
    break;
  }
}

const char *cap_yaml_flow_text(const cap_yaml_node *node, cap_arena *arena)
{
  if (node->kind == CAP_YAML_SCALAR) return cap_arena_copy_text(arena, node->text);
  pen p = {0};
  write_node(&p, node);
  p.text = cap_arena_alloc(arena, p.n + 1);
  p.n = 0;
  if (p.text) write_node(&p, node);
  return p.text;
}
