/* io/results_tree.c — see results_tree.h. */
#include "io/results_tree.h"
#include "base/digest.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cap_results_tree_free_checkpoint(cap_results_checkpoint *checkpoint)
{
  for (int i = 0; i < checkpoint->nview; i++) free(checkpoint->views[i].view.values);
  free(checkpoint->views);
  *checkpoint = (cap_results_checkpoint){0};
}

static void group_free(cap_results_group *group)
{
  if (!group) return;
  cap_results_tree_cut_items(group, 0);
  cap_results_tree_free_checkpoint(&group->checkpoint);
  free(group->columns);
  free(group->items);
  free(group->balance.lines);
  free(group->buffer);
  free(group);
}

void cap_results_tree_free(cap_results_tree *tree)
{
  for (int i = 0; i < tree->ngroup; i++) group_free(tree->groups[i]);
  free(tree->groups);
  cap_arena_free(&tree->arena);
  *tree = (cap_results_tree){0};
}

static const char *copy_or_empty(cap_arena *arena, const char *text)
{
  return cap_arena_copy_text(arena, text ? text : "");
}

cap_status cap_results_tree_set_meta(cap_results_tree *tree, const cap_results_meta *meta, cap_error *error)
{
  cap_results_meta copy = *meta;
  bool ok = true;
#define CAP_RESULTS_META_COPY(member, attribute)                                                             \
  copy.member = copy_or_empty(&tree->arena, meta->member);                                                   \
  ok = ok && copy.member;
  CAP_RESULTS_META_TEXTS(CAP_RESULTS_META_COPY)
  CAP_RESULTS_META_MACHINE(CAP_RESULTS_META_COPY)
#undef CAP_RESULTS_META_COPY
#define CAP_RESULTS_TITLE_COPY(member, label, example, doc)                                                  \
  copy.title.member = copy_or_empty(&tree->arena, meta->title.member);                                       \
  ok = ok && copy.title.member;
  CAP_TITLE_BLOCK(CAP_RESULTS_TITLE_COPY)
#undef CAP_RESULTS_TITLE_COPY
  copy.model = copy_or_empty(&tree->arena, meta->model);
  copy.fed_by = copy_or_empty(&tree->arena, meta->fed_by);
  const char **settings = CAP_ARENA_NEW(&tree->arena, const char *, meta->nsetting);
  ok = ok && copy.model && copy.fed_by && settings;
  for (int i = 0; ok && i < meta->nsetting; i++) {
    settings[i] = copy_or_empty(&tree->arena, meta->settings[i]);
    ok = settings[i] != NULL;
  }
  if (!ok) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for the result file's description");
  copy.settings = settings;
  tree->meta = copy;
  return CAP_OK;
}

cap_results_group *cap_results_tree_group(const cap_results_tree *tree, const char *name)
{
  for (int i = 0; i < tree->ngroup; i++)
    if (strcmp(tree->groups[i]->name, name) == 0) return tree->groups[i];
  return NULL;
}

cap_results_group *cap_results_tree_add_group(cap_results_tree *tree, const char *name, const char *kind,
                                              const char *title)
{
  cap_results_group **groups = realloc(tree->groups, ((size_t)tree->ngroup + 1) * sizeof(*groups));
  if (!groups) return NULL;
  tree->groups = groups;
  cap_results_group *group = calloc(1, sizeof *group);
  if (!group) return NULL;
  group->name = copy_or_empty(&tree->arena, name);
  group->kind = copy_or_empty(&tree->arena, kind);
  group->title = copy_or_empty(&tree->arena, title);
  if (!group->name || !group->kind || !group->title) {
    free(group);
    return NULL;
  }
  group->index = tree->ngroup;
  groups[tree->ngroup++] = group;
  return group;
}

void cap_results_tree_remove_group(cap_results_tree *tree, int index)
{
  group_free(tree->groups[index]);
  tree->ngroup--;
  memmove(tree->groups + index, tree->groups + index + 1,
          (size_t)(tree->ngroup - index) * sizeof *tree->groups);
}

bool cap_results_tree_open_group(cap_results_tree *tree, cap_results_group *group)
{
  int from = 0, to = 0;
  while (tree->groups[from] != group) from++;
  while (tree->groups[to]->opened) to++; /* they stand first */
  memmove(tree->groups + to + 1, tree->groups + to, (size_t)(from - to) * sizeof *tree->groups);
  tree->groups[to] = group;
  group->opened = true;
  for (int i = 0; i < tree->ngroup; i++) tree->groups[i]->index = i;
  return from != to;
}

cap_results_dataset *cap_results_tree_dataset(const cap_results_group *group, const char *name)
{
  for (int i = 0; i < group->ncolumn; i++)
    if (strcmp(group->columns[i].name, name) == 0) return &group->columns[i];
  for (int i = 0; i < group->nitem; i++)
    if (strcmp(group->items[i].name, name) == 0) return &group->items[i];
  return NULL;
}

const char *cap_results_tree_text(const cap_results_group *group, const char *name)
{
  const cap_results_dataset *d = cap_results_tree_dataset(group, name);
  return d && d->role == CAP_RESULTS_TEXT && d->text ? d->text : "";
}

const cap_results_dataset *cap_results_tree_axis(const cap_results_group *group,
                                                 const cap_results_dataset *dataset, int dim)
{
  const char *name = dataset->axes;
  for (int i = 0; i < dim && name; i++) {
    name = strchr(name, ',');
    if (name) name++;
  }
  if (!name) return NULL;
  while (*name == ' ') name++;
  size_t length = strcspn(name, ",");
  for (int i = 0; i < group->nitem; i++) {
    const cap_results_dataset *axis = &group->items[i];
    if (axis != dataset && axis->role == CAP_RESULTS_ARRAY && axis->rank == 1 &&
        axis->dims[0] == dataset->dims[dim] && strlen(axis->name) == length &&
        strncmp(axis->name, name, length) == 0)
      return axis;
  }
  return NULL;
}

cap_results_dataset *cap_results_tree_add_item(cap_results_group *group)
{
  cap_results_dataset *items = realloc(group->items, ((size_t)group->nitem + 1) * sizeof *items);
  if (!items) return NULL;
  group->items = items;
  items[group->nitem] = (cap_results_dataset){
      .offset = -1, .name = "", .unit = "", .long_name = "", .axes = ""};
  return &items[group->nitem++];
}

void cap_results_tree_cut_items(cap_results_group *group, int64_t nitem)
{
  if (nitem < 0 || nitem >= group->nitem) return;
  for (int i = (int)nitem; i < group->nitem; i++) free(group->items[i].values);
  group->nitem = (int)nitem;
}

int64_t cap_results_tree_count(const cap_results_dataset *dataset)
{
  int64_t count = 1;
  for (int i = 0; i < dataset->rank; i++) count *= dataset->dims[i];
  return count;
}

void cap_results_tree_sum_balance(cap_results_balance *balance)
{
  double open = 0, stated = 0, scale = 0, given = 0;
  bool has_residual = false, has_scale = false;
  for (int i = 0; i < balance->nline; i++) {
    const cap_balance_line *line = &balance->lines[i];
    if (strcmp(line->kind, "residual") == 0) {
      stated += line->energy;
      has_residual = true;
      continue;
    }
    if (strcmp(line->kind, "scale") == 0) {
      given = line->energy;
      has_scale = true;
      continue;
    }
    open += strcmp(line->kind, "input") == 0 ? line->energy : -line->energy;
    if (!(fabs(line->energy) <= scale)) scale = fabs(line->energy); /* lets a NaN through */
  }
  balance->residual = has_residual ? stated : open;
  balance->scale = has_scale ? given : scale;
  balance->relative = balance->scale == 0 ? 0 : balance->residual / balance->scale;
}

uint64_t cap_results_tree_sum(const double *values, int64_t count, int64_t place, int64_t step)
{
  uint64_t sum = 0, bits;
  for (int64_t i = 0; i < count; i++) {
    memcpy(&bits, &values[i], sizeof bits);
    sum += cap_digest_term(bits, (uint64_t)(place + i * step));
  }
  return sum;
}

void cap_results_tree_buffer(cap_results_group *group, int nrow, const double *values)
{
  const int64_t n = group->ncolumn;
  uint64_t sum = group->rows, bits, place = (uint64_t)group->nrow * (uint64_t)n;
  for (int i = 0; i < nrow; i++, values += n) {
    int64_t row = group->nbuffer + i;
    double *to = group->buffer + row / CAP_RESULTS_TILE * CAP_RESULTS_TILE * n + row % CAP_RESULTS_TILE;
    for (int64_t c = 0; c < n; c++) {
      to[c * CAP_RESULTS_TILE] = values[c];
      memcpy(&bits, &values[c], sizeof bits);
      sum += cap_digest_term(bits, place++);
    }
  }
  group->rows = sum;
  group->nbuffer += nrow;
  group->nrow += nrow;
}

void cap_results_tree_gather(const cap_results_group *group, int column, int64_t first, int64_t n,
                             void *values)
{
  char *next = values;
  while (n > 0) {
    int64_t tile = first / CAP_RESULTS_TILE, in_tile = first % CAP_RESULTS_TILE;
    int64_t most = CAP_RESULTS_TILE - in_tile, count = n < most ? n : most;
    const double *from = group->buffer + (tile * group->ncolumn + column) * CAP_RESULTS_TILE + in_tile;
    memcpy(next, from, (size_t)count * sizeof *from);
    next += (size_t)count * sizeof *from;
    first += count;
    n -= count;
  }
}

int64_t cap_results_tree_checksum(const cap_results_checkpoint *checkpoint)
{
  int64_t head[] = {checkpoint->sequence, checkpoint->nrow, checkpoint->nitem, checkpoint->nbalance,
                    (int64_t)checkpoint->rows};
  cap_hash hash;
  cap_hash_init(&hash, 0);
  cap_hash_add(&hash, head, checkpoint->summed ? sizeof head : sizeof head - sizeof *head);
  for (int i = 0; i < checkpoint->nview; i++) {
    const cap_view *view = &checkpoint->views[i].view;
    cap_hash_add(&hash, view->values, (size_t)view->count * 8);
  }
  return (int64_t)cap_hash_value(&hash);
}
