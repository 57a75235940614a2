/* io/yaml.c — see yaml.h. libyaml delivers events; the tree is built by descent. */
#include "io/yaml.h"
#include "io/text_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

typedef struct anchor {
  const char *name;
  cap_yaml_node *node; /* NULL while its content is being read */
  struct anchor *next;
} anchor;

typedef struct reader {
  yaml_parser_t parser;
  const char *text;
  size_t size;
  const char *origin;
  cap_arena *arena;
  cap_diag *diag;
  anchor *anchors;
  int nodes, nanchor, depth;
  int flow; /* how many of the sections and lists around are in brackets */
} reader;

/* ----------------------------------------------------------------------------------------------- messages */

__attribute__((format(printf, 4, 5))) static cap_status refuse(reader *r, int line, int column,
                                                               const char *format, ...)
{
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  cap_text_file_clean(text);
  if (r->origin) line = column = 0; /* a place within a --set text says nothing */
  cap_diag_add(r->diag, line, column, NULL, "%s", text);
  return CAP_ERR_INPUT;
}

static cap_status no_memory(reader *r)
{
  cap_diag_add(r->diag, 0, 0, NULL, "out of memory");
  return CAP_ERR_NOMEM;
}

static cap_status refuse_at(reader *r, const yaml_mark_t *mark, const char *what)
{
  return refuse(r, (int)mark->line + 1, (int)mark->column + 1, "%s", what);
}

/* The byte at a place; libyaml's own index counts characters. */
static char byte_at(const reader *r, const yaml_mark_t *mark)
{
  const char *at = r->text, *end = r->text + r->size;
  for (size_t line = 0; line < mark->line && at; line++) {
    at = memchr(at, '\n', (size_t)(end - at));
    if (at) at++;
  }
  for (size_t column = 0; column < mark->column && at && at < end; at++)
    if (((unsigned char)at[1] & 0xc0) != 0x80) column++;
  return at && at < end ? *at : 0;
}

/* What libyaml says, in the words of somebody who edits a model file. */
static const char *plain_words(const reader *r, const yaml_mark_t *mark, const char *problem, char other[80])
{
  static const char *const words[][2] = {
      {"could not find expected ':'", "the \":\" after a key is missing"},
      {"mapping values are not allowed in this context",
       "a second \":\" in one line, or a key that is indented too far"},
      {"did not find expected key", "a key was expected here: is the indentation the same as above?"},
      {"did not find expected '-' indicator", "an item starting with \"-\" was expected here"},
      {"did not find expected ',' or '}'", "a \",\" or the closing \"}\" is missing"},
      {"did not find expected ',' or ']'", "a \",\" or the closing \"]\" is missing"},
      {"found unexpected end of stream", "the text ends within a quoted text"},
      {"block sequence entries are not allowed in this context", "a list item \"-\" is not allowed here"},
      {"did not find expected node content", "a value was expected here"},
      {"found unexpected document indicator", "the text ends within a quoted text"},
      {"found unknown escape character", "an escape that is not known, after \"\\\" in a quoted text"},
      {"did not find expected <document start>", "the text ended above (\"...\"); one file holds one model"},
      {"found incompatible YAML document", "this version of YAML is not read; leave the line out"},
  };
  char at = byte_at(r, mark);
  if (at == '\t') return "a tab: indent with spaces";
  if (strcmp(problem, "found character that cannot start any token") == 0 && at > ' ' && at < 127) {
    snprintf(other, 80, "a text may not start with \"%c\"; put it in quotes", at);
    return other;
  }
  if (strcmp(problem, "did not find expected key") == 0 && (at == '}' || at == ']')) {
    snprintf(other, 80, "a \"%c\" that closes nothing", at);
    return other;
  }
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(problem, words[i][0]) == 0) return words[i][1];
  return problem;
}

/* A character that is UTF-8 but that YAML does not allow; libyaml knows its byte, not its line. */
static cap_status reader_failed(reader *r, size_t offset)
{
  int line = 1, column = 1;
  for (size_t i = 0; i < offset && i < r->size; i++) {
    if (((unsigned char)r->text[i] & 0xc0) != 0x80) column++;
    if (r->text[i] == '\n') line++, column = 1;
  }
  return refuse(r, line, column, "expected characters that YAML allows");
}

static cap_status parser_failed(reader *r)
{
  const yaml_parser_t *p = &r->parser;
  if (p->error == YAML_MEMORY_ERROR) return no_memory(r);
  const char *problem = p->problem ? p->problem : "cannot be read";
  const yaml_mark_t *mark = &p->problem_mark;
  if (p->error == YAML_READER_ERROR) return reader_failed(r, p->problem_offset);
  char other[80];
  const char *what = plain_words(r, mark, problem, other);
  int line = (int)mark->line + 1, column = (int)mark->column + 1;
  if (p->context && p->context_mark.line != mark->line)
    return refuse(r, line, column, "%s (within what starts in line %d)", what, (int)p->context_mark.line + 1);
  return refuse(r, line, column, "%s", what);
}

static cap_status next_event(reader *r, yaml_event_t *event)
{
  if (yaml_parser_parse(&r->parser, event)) return CAP_OK;
  return parser_failed(r);
}

/* -------------------------------------------------------------------------------------------------- nodes */

static cap_status count_nodes(reader *r, const yaml_mark_t *mark, int more)
{
  r->nodes += more;
  if (r->nodes <= CAP_YAML_NODES) return CAP_OK;
  return refuse(r, (int)mark->line + 1, (int)mark->column + 1,
                "too many values; expected at most %d, aliases expanded", CAP_YAML_NODES);
}

static cap_yaml_node *new_node(reader *r, cap_yaml_kind kind, const yaml_mark_t *mark)
{
  cap_yaml_node *node = CAP_ARENA_NEW(r->arena, cap_yaml_node, 1);
  if (!node) return NULL;
  *node = (cap_yaml_node){.kind = kind,
                          .line = (int)mark->line + 1,
                          .column = (int)mark->column + 1,
                          .origin = r->origin,
                          .weight = 1};
  return node;
}

static char *copy_bytes(reader *r, const yaml_char_t *bytes, size_t length)
{
  char *copy = cap_arena_alloc(r->arena, length + 1);
  if (copy) memcpy(copy, bytes, length);
  return copy;
}

static cap_status note_anchor(reader *r, const yaml_char_t *name, const yaml_mark_t *mark, anchor **slot)
{
  *slot = NULL;
  if (!name) return CAP_OK;
  if (++r->nanchor > CAP_YAML_ANCHORS)
    return refuse(r, (int)mark->line + 1, (int)mark->column + 1, "too many anchors; expected at most %d",
                  CAP_YAML_ANCHORS);
  anchor *entry = CAP_ARENA_NEW(r->arena, anchor, 1);
  char *copy = entry ? copy_bytes(r, name, strlen((const char *)name)) : NULL;
  if (!copy) return no_memory(r);
  *entry = (anchor){.name = copy, .next = r->anchors};
  r->anchors = entry;
  *slot = entry;
  return CAP_OK;
}

static cap_status resolve_alias(reader *r, const yaml_event_t *event, cap_yaml_node **node)
{
  const char *name = (const char *)event->data.alias.anchor;
  const anchor *entry = r->anchors;
  while (entry && strcmp(entry->name, name) != 0) entry = entry->next;
  int line = (int)event->start_mark.line + 1, column = (int)event->start_mark.column + 1;
  if (!entry) return refuse(r, line, column, "expected an anchor before the alias \"*%.60s\"", name);
  if (!entry->node)
    return refuse(r, line, column, "expected the alias \"*%.60s\" outside of its own anchor", name);
  *node = entry->node;
  return count_nodes(r, &event->start_mark, entry->node->weight);
}

static cap_status read_node(reader *r, yaml_event_t *event, cap_yaml_node **node);

static bool is_null(const yaml_event_t *event)
{
  const char *text = (const char *)event->data.scalar.value;
  return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
         (!*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
}

static cap_yaml_token token_of(const reader *r, const yaml_event_t *event)
{
  yaml_scalar_style_t style = event->data.scalar.style;
  return (cap_yaml_token){.at = (int)event->start_mark.index,
                          .end = (int)event->end_mark.index,
                          .flow = r->flow > 0,
                          .style = style == YAML_PLAIN_SCALAR_STYLE           ? CAP_YAML_PLAIN
                                   : style == YAML_SINGLE_QUOTED_SCALAR_STYLE ? CAP_YAML_SINGLE
                                   : style == YAML_DOUBLE_QUOTED_SCALAR_STYLE ? CAP_YAML_DOUBLE
                                                                              : CAP_YAML_BLOCK};
}

static cap_status read_scalar(reader *r, const yaml_event_t *event, cap_yaml_node **node)
{
  const yaml_char_t *value = event->data.scalar.value;
  size_t length = event->data.scalar.length;
  if (memchr(value, 0, length))
    return refuse_at(r, &event->start_mark, "expected a text without a zero character");
  *node = new_node(r, is_null(event) ? CAP_YAML_NULL : CAP_YAML_SCALAR, &event->start_mark);
  char *text = *node ? copy_bytes(r, value, length) : NULL;
  if (!text) return no_memory(r);
  (*node)->text = text;
  (*node)->token = token_of(r, event);
  return CAP_OK;
}

/* Room for one more of `size` bytes in an array of n that doubles. */
static bool make_room(reader *r, void *array, int n, size_t size)
{
  if (n & (n - 1)) return true; /* room only runs out at powers of two */
  void *larger = cap_arena_array(r->arena, n ? 2 * (size_t)n : 1, size);
  if (!larger) return false;
  void **place = array;
  if (n) memcpy(larger, *place, (size_t)n * size);
  *place = larger;
  return true;
}

static cap_status read_list(reader *r, cap_yaml_node *list)
{
  for (;;) {
    yaml_event_t event;
    CAP_TRY(next_event(r, &event));
    if (event.type == YAML_SEQUENCE_END_EVENT) {
      yaml_event_delete(&event);
      return CAP_OK;
    }
    cap_yaml_node *item = NULL;
    CAP_TRY(read_node(r, &event, &item));
    if (!make_room(r, &list->items, list->n, sizeof *list->items)) return no_memory(r);
    list->items[list->n++] = item;
    list->weight += item->weight;
  }
}

static cap_status add_pair(reader *r, cap_yaml_node *map, cap_yaml_pair pair)
{
  if (map->n >= CAP_YAML_KEYS)
    return refuse(r, pair.line, pair.column, "too many keys in one section; expected at most %d",
                  CAP_YAML_KEYS);
  if (!make_room(r, &map->pairs, map->n, sizeof *map->pairs)) return no_memory(r);
  map->pairs[map->n++] = pair;
  map->weight += 1 + pair.value->weight;
  return CAP_OK;
}

/* "<<: *base" adds the keys of `base` that the section does not have itself. */
static cap_status merge_one(reader *r, cap_yaml_node *map, const cap_yaml_pair *from,
                            const cap_yaml_node *source)
{
  if (source->kind != CAP_YAML_MAP)
    return refuse(r, from->line, from->column,
                  "expected a section or a list of sections to merge after \"<<\"");
  for (int i = 0; i < source->n; i++) {
    if (cap_yaml_find_pair(map, source->pairs[i].key)) continue;
    yaml_mark_t mark = {.line = (size_t)from->line - 1, .column = (size_t)from->column - 1};
    CAP_TRY(count_nodes(r, &mark, 1 + source->pairs[i].value->weight));
    CAP_TRY(add_pair(r, map, source->pairs[i]));
  }
  return CAP_OK;
}

static cap_status merge(reader *r, cap_yaml_node *map, const cap_yaml_pair *from)
{
  const cap_yaml_node *source = from->value;
  if (source->kind != CAP_YAML_LIST) return merge_one(r, map, from, source);
  for (int i = 0; i < source->n; i++) CAP_TRY(merge_one(r, map, from, source->items[i]));
  return CAP_OK;
}

static cap_status read_key(reader *r, yaml_event_t *event, cap_yaml_pair *pair, const cap_yaml_node *map)
{
  cap_yaml_node *key = NULL;
  yaml_mark_t mark = event->start_mark;
  bool alias = event->type == YAML_ALIAS_EVENT;
  CAP_TRY(read_node(r, event, &key));
  if (alias || key->kind == CAP_YAML_LIST || key->kind == CAP_YAML_MAP)
    return refuse_at(r, &mark, "expected a plain text as key");
  *pair = (cap_yaml_pair){
      .key = key->text, .line = key->line, .column = key->column, .token = key->token, .origin = r->origin};
  if (!*pair->key) return refuse(r, pair->line, pair->column, "expected a key, got an empty text");
  const cap_yaml_pair *twin = cap_yaml_find_pair(map, pair->key);
  if (!twin) return CAP_OK;
  if (twin->line == pair->line)
    return refuse(r, pair->line, pair->column, "duplicate key \"%.60s\" in this section; expected it once",
                  pair->key);
  return refuse(r, pair->line, pair->column, "duplicate key \"%.60s\"; expected it once; first in line %d",
                pair->key, twin->line);
}

static cap_status read_map(reader *r, cap_yaml_node *map)
{
  cap_yaml_pair merged = {0};
  for (;;) {
    yaml_event_t event;
    CAP_TRY(next_event(r, &event));
    if (event.type == YAML_MAPPING_END_EVENT) {
      yaml_event_delete(&event);
      return merged.key ? merge(r, map, &merged) : CAP_OK;
    }
    cap_yaml_pair pair;
    CAP_TRY(read_key(r, &event, &pair, map));
    CAP_TRY(next_event(r, &event));
    CAP_TRY(read_node(r, &event, &pair.value));
    if (strcmp(pair.key, "<<") != 0) {
      CAP_TRY(add_pair(r, map, pair));
    } else if (merged.key) {
      return refuse(r, pair.line, pair.column, "duplicate key \"<<\" in this section; expected it once");
    } else {
      merged = pair;
    }
  }
}

static const yaml_char_t *tag_of(const yaml_event_t *event)
{
  switch (event->type) {
  case YAML_SCALAR_EVENT:
    return event->data.scalar.tag;
  case YAML_SEQUENCE_START_EVENT:
    return event->data.sequence_start.tag;
  case YAML_MAPPING_START_EVENT:
    return event->data.mapping_start.tag;
  default:
    return NULL;
  }
}

static const yaml_char_t *anchor_of(const yaml_event_t *event)
{
  switch (event->type) {
  case YAML_SCALAR_EVENT:
    return event->data.scalar.anchor;
  case YAML_SEQUENCE_START_EVENT:
    return event->data.sequence_start.anchor;
  case YAML_MAPPING_START_EVENT:
    return event->data.mapping_start.anchor;
  default:
    return NULL;
  }
}

static cap_status read_content(reader *r, const yaml_event_t *event, cap_yaml_node **node)
{
  if (event->type == YAML_SCALAR_EVENT) return read_scalar(r, event, node);
  bool map = event->type == YAML_MAPPING_START_EVENT;
  *node = new_node(r, map ? CAP_YAML_MAP : CAP_YAML_LIST, &event->start_mark);
  if (!*node) return no_memory(r);
  if (++r->depth > CAP_YAML_DEPTH)
    return refuse(r, (*node)->line, (*node)->column,
                  "sections are nested deeper than this program reads; expected at most %d levels",
                  CAP_YAML_DEPTH);
  bool flow = map ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                  : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
  r->flow += flow;
  cap_status status = map ? read_map(r, *node) : read_list(r, *node);
  r->flow -= flow;
  r->depth--;
  return status;
}

static cap_status read_started(reader *r, const yaml_event_t *event, cap_yaml_node **node)
{
  if (event->type == YAML_ALIAS_EVENT) return resolve_alias(r, event, node);
  if (tag_of(event))
    return refuse_at(r, &event->start_mark, "expected a value without a tag such as \"!!str\"");
  CAP_TRY(count_nodes(r, &event->start_mark, 1));
  anchor *slot;
  CAP_TRY(note_anchor(r, anchor_of(event), &event->start_mark, &slot));
  CAP_TRY(read_content(r, event, node));
  if (slot) slot->node = *node;
  return CAP_OK;
}

/* The node that `event` starts; releases the event. */
static cap_status read_node(reader *r, yaml_event_t *event, cap_yaml_node **node)
{
  cap_status status = read_started(r, event, node);
  yaml_event_delete(event);
  return status;
}

/* Take an event that carries nothing: the start or the end of the stream or of the document. */
static cap_status expect(reader *r, yaml_event_type_t type, const char *otherwise)
{
  yaml_event_t event;
  CAP_TRY(next_event(r, &event));
  yaml_mark_t mark = event.start_mark;
  bool good = event.type == type;
  yaml_event_delete(&event);
  return good ? CAP_OK : refuse_at(r, &mark, otherwise);
}

/* Directives (%TAG, %YAML) mean nothing here, and libyaml takes a time for them that grows with the square
 * of their number. They stand in front of a document: before the first line with contents, or behind
 * "...". */
static cap_status refuse_directives(reader *r)
{
  const char *at = r->text, *end = r->text + r->size;
  bool front = true;
  for (size_t line = 0; at < end; line++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((stop ? stop : end) - at), blank = 0;
    while (blank < length && strchr(" \t\r", at[blank])) blank++;
    if (front && length && *at == '%')
      return refuse_at(r, &(yaml_mark_t){.line = line},
                       "expected a model without YAML directives; remove this line");
    if (blank < length && at[blank] != '#') front = length >= 3 && memcmp(at, "...", 3) == 0;
    at += length + 1;
  }
  return CAP_OK;
}

static cap_status read_document(reader *r, cap_yaml_node **root)
{
  CAP_TRY(expect(r, YAML_STREAM_START_EVENT, "the text is empty; expected \"capstan: 2\" and further keys"));
  CAP_TRY(
      expect(r, YAML_DOCUMENT_START_EVENT, "the text is empty; expected \"capstan: 2\" and further keys"));
  yaml_event_t event;
  CAP_TRY(next_event(r, &event));
  CAP_TRY(read_node(r, &event, root));
  CAP_TRY(expect(r, YAML_DOCUMENT_END_EVENT, "expected the end of the text"));
  return expect(r, YAML_STREAM_END_EVENT, "a second document begins here; expected one model in one file");
}

cap_status cap_yaml_parse(const char *text, size_t size, const char *origin, cap_arena *arena, cap_diag *diag,
                          cap_yaml_node **root)
{
  reader r = {.text = text, .size = size, .origin = origin, .arena = arena, .diag = diag};
  *root = NULL;
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) r.text = text += 3, r.size = size -= 3;
  CAP_TRY(cap_text_file_check(text, size, diag));
  CAP_TRY(refuse_directives(&r));
  if (!yaml_parser_initialize(&r.parser)) return no_memory(&r);
  yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
  yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
  cap_status status = read_document(&r, root);
  yaml_parser_delete(&r.parser);
  return status;
}

/* ------------------------------------------------------------------------------------------------- access */

cap_yaml_pair *cap_yaml_find_pair(const cap_yaml_node *map, const char *key)
{
  if (map->kind != CAP_YAML_MAP) return NULL;
  for (int i = 0; i < map->n; i++)
    if (strcmp(map->pairs[i].key, key) == 0) return &map->pairs[i];
  return NULL;
}

cap_yaml_node *cap_yaml_find(const cap_yaml_node *map, const char *key)
{
  const cap_yaml_pair *pair = cap_yaml_find_pair(map, key);
  return pair ? pair->value : NULL;
}
