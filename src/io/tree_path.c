/* io/tree_path.c — see tree_path.h. */
#include "io/tree_path.h"
#include "base/selector.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_KEY = CAP_SELECTOR_LONGEST, MOST_STEPS = 16, REASON = 448 };

/* One step of a path: a key, or an item when the key is empty. */
typedef struct step {
  char key[LONGEST_KEY];
  cap_selector item;
} step;

/* Take one step off *path (of which `end` is the end); false when the path is malformed. */
static bool take_step(const char **path, const char *end, bool first, step *out)
{
  const char *at = *path;
  if (at < end && *at == '[') {
    *out = (step){0};
    return cap_selector_take(path, end, &out->item);
  }
  if (!first) {
    if (at >= end || *at != '.') return false;
    at++;
  }
  size_t length = 0;
  while (at + length < end && !strchr(".[]", at[length]) && !isspace((unsigned char)at[length])) length++;
  if (length == 0 || length >= LONGEST_KEY) return false;
  *out = (step){0};
  memcpy(out->key, at, length);
  *path = at + length;
  return true;
}

/* The key `name` of an item, which may stand below the name of its variant: "{gap: {name: inner}}". */
static const char *name_of_item(const void *self, int index)
{
  const cap_yaml_node *list = self, *item = list->items[index];
  for (int depth = 0; depth < 2 && item && item->kind == CAP_YAML_MAP; depth++) {
    const cap_yaml_node *name = cap_yaml_find(item, "name");
    if (name) return name->kind == CAP_YAML_SCALAR ? name->text : NULL;
    item = item->n == 1 ? item->pairs[0].value : NULL;
  }
  return NULL;
}

static const cap_yaml_node *child_of(const cap_yaml_node *node, const step *to, int *line, int *column,
                                     const char **origin)
{
  if (!to->key[0]) {
    char unused[REASON];
    if (node->kind != CAP_YAML_LIST) return NULL;
    int index = cap_selector_find(&to->item, node->n, name_of_item, node, unused, sizeof unused);
    return index < 0 ? NULL : node->items[index];
  }
  const cap_yaml_pair *pair = cap_yaml_find_pair(node, to->key);
  if (!pair) return NULL;
  *line = pair->line;
  *column = pair->column;
  *origin = pair->origin;
  return pair->value;
}

/* As cap_tree_path_locate; *found is the node at `path` itself, NULL when the tree does not have it. */
static bool follow(const cap_yaml_node *root, const char *path, int *line, int *column, const char **origin,
                   const cap_yaml_node **found)
{
  const char *end = path + strlen(path);
  const cap_yaml_node *node = root;
  *found = NULL;
  *line = root->line;
  *column = root->column;
  *origin = root->origin;
  bool first = true;
  while (path < end) {
    step to;
    if (!take_step(&path, end, first, &to)) return !first;
    first = false;
    node = child_of(node, &to, line, column, origin);
    if (!node) return true;
    if (node->kind == CAP_YAML_SCALAR || !to.key[0]) {
      *line = node->line;
      *column = node->column;
      *origin = node->origin;
    }
  }
  *found = node;
  return true;
}

bool cap_tree_path_locate(const cap_yaml_node *root, const char *path, int *line, int *column,
                          const char **origin)
{
  const cap_yaml_node *found;
  return follow(root, path, line, column, origin, &found);
}

const char *cap_tree_path_written(const cap_yaml_node *root, const char *path)
{
  int line, column;
  const char *origin;
  const cap_yaml_node *found;
  follow(root, path, &line, &column, &origin, &found);
  while (found && found->kind == CAP_YAML_LIST) found = found->n ? found->items[0] : NULL;
  return found && found->kind == CAP_YAML_SCALAR ? found->text : NULL;
}

/* ----------------------------------------------------------------------------------------------- settings */

typedef struct setter {
  cap_arena *arena;
  cap_diag *diag;
  const char *origin; /* "--set PATH=VALUE" */
  int nstep, done;
  step steps[MOST_STEPS];
  cap_yaml_node *value;
} setter;

static cap_status no_memory(const setter *s)
{
  cap_diag_add(s->diag, 0, 0, NULL, "out of memory");
  return CAP_ERR_NOMEM;
}

/* The path as far as it has been followed, for messages. */
static const char *followed(const setter *s, char *buffer, size_t size)
{
  size_t n = 0;
  buffer[0] = 0;
  for (int i = 0; i < s->done && n < size; i++) {
    const step *to = &s->steps[i];
    if (to->key[0]) n += (size_t)snprintf(buffer + n, size - n, "%s%s", n ? "." : "", to->key);
    else if (to->item.name[0]) n += (size_t)snprintf(buffer + n, size - n, "[%s]", to->item.name);
    else n += (size_t)snprintf(buffer + n, size - n, "[%d]", to->item.index);
  }
  return buffer;
}

static cap_status split_path(setter *s, const char *path, const char *end)
{
  const char *at = path;
  while (at < end && s->nstep < MOST_STEPS) {
    if (!take_step(&at, end, s->nstep == 0, &s->steps[s->nstep])) break;
    s->nstep++;
  }
  if (at == end && s->nstep > 0) return CAP_OK;
  cap_diag_add(
      s->diag, 0, 0, NULL,
      "expected a path such as load.amplitude, pulleys[2].radius or pulleys[crank].radius before the "
      "\"=\"");
  return CAP_ERR_INPUT;
}

/* A copy of `node` with room for one more child, because an alias may share the original. */
static cap_yaml_node *own_copy(const setter *s, const cap_yaml_node *node, cap_yaml_kind kind)
{
  cap_yaml_node *copy = CAP_ARENA_NEW(s->arena, cap_yaml_node, 1);
  if (!copy) return NULL;
  *copy = node ? *node : (cap_yaml_node){.origin = s->origin};
  if (copy->kind != kind) *copy = (cap_yaml_node){.origin = s->origin};
  copy->kind = kind;
  if (kind == CAP_YAML_LIST) {
    copy->items = CAP_ARENA_NEW(s->arena, cap_yaml_node *, copy->n + 1);
    if (!copy->items) return NULL;
    if (copy->n) memcpy(copy->items, node->items, (size_t)copy->n * sizeof *copy->items);
  } else {
    copy->pairs = CAP_ARENA_NEW(s->arena, cap_yaml_pair, copy->n + 1);
    if (!copy->pairs) return NULL;
    if (copy->n) memcpy(copy->pairs, node->pairs, (size_t)copy->n * sizeof *copy->pairs);
  }
  return copy;
}

/* The place in `copy` that the step leads to; made when it is missing. */
static cap_yaml_node **child_place(const setter *s, cap_yaml_node *copy, const step *to)
{
  if (!to->key[0]) {
    if (to->item.index == copy->n) copy->n++;
    return &copy->items[to->item.index];
  }
  cap_yaml_pair *pair = cap_yaml_find_pair(copy, to->key);
  if (!pair) {
    char *key = cap_arena_copy_text(s->arena, to->key);
    if (!key) return NULL;
    pair = &copy->pairs[copy->n++];
    *pair = (cap_yaml_pair){.key = key, .origin = s->origin};
  }
  return &pair->value;
}

/* Whether the step can be taken from the node; an item that is meant by its name gets its index. */
static cap_status check_step(const setter *s, const cap_yaml_node *node, step *to)
{
  char path[256];
  bool list = !to->key[0];
  cap_yaml_kind wanted = list ? CAP_YAML_LIST : CAP_YAML_MAP;
  if (node && node->kind != CAP_YAML_NULL && node->kind != wanted) {
    const char *what = s->done ? followed(s, path, sizeof path) : "the file";
    cap_diag_add(s->diag, 0, 0, NULL, "%s: expected a %s, got %s", what, list ? "list" : "section",
                 node->kind == CAP_YAML_LIST  ? "a list"
                 : node->kind == CAP_YAML_MAP ? "a section"
                                              : "a single value");
    return CAP_ERR_INPUT;
  }
  if (!list) return CAP_OK;
  int n = node && node->kind == CAP_YAML_LIST ? node->n : 0;
  if (!to->item.name[0] && to->item.index == n) return CAP_OK; /* one more */
  char reason[REASON];
  int index = cap_selector_find(&to->item, n, name_of_item, node, reason, sizeof reason);
  if (index < 0) {
    cap_diag_add(s->diag, 0, 0, NULL, "%s %s", followed(s, path, sizeof path), reason);
    return CAP_ERR_INPUT;
  }
  to->item.index = index;
  return CAP_OK;
}

/* All of it or nothing: a path that ends early leaves no section without a value behind. */
static cap_status put(setter *s, cap_yaml_node **root)
{
  cap_yaml_node *top = *root, **place = &top;
  for (int i = 0; i < s->nstep; i++) {
    step *to = &s->steps[i];
    s->done = i;
    CAP_TRY(check_step(s, *place, to));
    cap_yaml_node *copy = own_copy(s, *place, to->key[0] ? CAP_YAML_MAP : CAP_YAML_LIST);
    if (!copy) return no_memory(s);
    *place = copy;
    place = child_place(s, copy, to);
    if (!place) return no_memory(s);
  }
  *place = s->value;
  *root = top;
  return CAP_OK;
}

static cap_status apply(setter *s, const char *setting, cap_yaml_node **root)
{
  const char *equals = strchr(setting, '=');
  if (!equals) {
    cap_diag_add(s->diag, 0, 0, NULL, "expected PATH=VALUE, such as load.amplitude=13 N");
    return CAP_ERR_INPUT;
  }
  CAP_TRY(split_path(s, setting, equals));
  const char *value = equals + 1;
  if (!value[strspn(value, " \t")]) {
    cap_diag_add(s->diag, 0, 0, NULL, "expected a value after the \"=\"");
    return CAP_ERR_INPUT;
  }
  CAP_TRY(cap_yaml_parse(value, strlen(value), s->origin, s->arena, s->diag, &s->value));
  return put(s, root);
}

cap_status cap_tree_path_set(cap_yaml_node **root, const char *setting, cap_arena *arena, cap_diag *diag)
{
  const char *file = diag->file;
  /* In the arena of the findings, which outlive the tree. */
  const char *origin = cap_arena_format(&diag->arena, "--set %s", setting);
  if (!origin) return CAP_ERR_NOMEM;
  setter s = {.arena = arena, .diag = diag, .origin = origin};
  diag->file = origin;
  cap_status status = apply(&s, setting, root);
  diag->file = file;
  return status;
}

cap_status cap_tree_path_drop(cap_yaml_node **root, const char *path, cap_arena *arena)
{
  setter s = {.arena = arena};
  const char *at = path, *end = path + strlen(path);
  for (; at < end && s.nstep < MOST_STEPS; s.nstep++)
    if (!take_step(&at, end, s.nstep == 0, &s.steps[s.nstep])) return CAP_OK;
  int line, column;
  const char *origin;
  const cap_yaml_node *found;
  follow(*root, path, &line, &column, &origin, &found);
  if (!found || at != end || !s.steps[s.nstep - 1].key[0]) return CAP_OK;
  cap_yaml_node **place = root, *copy = NULL;
  for (int i = 0; i < s.nstep; i++) {
    step *to = &s.steps[i];
    CAP_TRY(check_step(&s, *place, to)); /* a name becomes an index; the item is there */
    *place = copy = own_copy(&s, *place, to->key[0] ? CAP_YAML_MAP : CAP_YAML_LIST);
    if (!copy) return CAP_ERR_NOMEM;
    if (i + 1 < s.nstep) place = child_place(&s, copy, to);
  }
  cap_yaml_pair *pair = cap_yaml_find_pair(copy, s.steps[s.nstep - 1].key);
  for (; pair + 1 < copy->pairs + copy->n; pair++) *pair = pair[1];
  copy->n--;
  return CAP_OK;
}
