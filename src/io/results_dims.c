/* io/results_dims.c — see results_dims.h. */
#include "io/results_dims.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scale {
  hid_t dataset;
  hobj_ref_t reference;
  const char *name; /* NULL: a dimension without values */
  int64_t length;
  int nuse, room;
  cap_h5_use *uses;
} scale;

typedef struct scales {
  cap_h5_tools *tools;
  hid_t group;
  scale *list;
  int n, room;
} scales;

static void scales_free(scales *all)
{
  for (int i = 0; i < all->n; i++) {
    if (!all->list[i].name && all->list[i].dataset >= 0) H5Dclose(all->list[i].dataset);
    free(all->list[i].uses);
  }
  free(all->list);
}

/* NULL when that fails. */
static scale *add_scale(scales *all, hid_t dataset, const char *name, int64_t length)
{
  if (all->n == all->room) {
    int room = all->room ? 2 * all->room : 16;
    scale *list = realloc(all->list, (size_t)room * sizeof *list);
    if (!list) return NULL;
    all->list = list;
    all->room = room;
  }
  scale *s = &all->list[all->n];
  *s = (scale){.dataset = dataset, .name = name, .length = length};
  if (dataset < 0) return NULL;
  all->n++;
  return cap_h5_reference(dataset, &s->reference) ? s : NULL;
}

static scale *find_scale(const scales *all, hid_t dataset)
{
  for (int i = 0; i < all->n; i++)
    if (all->list[i].name && all->list[i].dataset == dataset) return &all->list[i];
  return NULL;
}

/* The dimension without values of that length, made when there is none. */
static scale *plain_scale(scales *all, int64_t length)
{
  char name[48];
  for (int i = 0; i < all->n; i++)
    if (!all->list[i].name && all->list[i].length == length) return &all->list[i];
  snprintf(name, sizeof name, CAP_RESULTS_DIMENSION "%" PRId64, length);
  return add_scale(all, cap_h5_dimension(all->tools, all->group, name, length), NULL, length);
}

static bool add_use(scale *s, hobj_ref_t dataset, int dimension)
{
  if (s->nuse == s->room) {
    int room = s->room ? 2 * s->room : 16;
    cap_h5_use *uses = realloc(s->uses, (size_t)room * sizeof *uses);
    if (!uses) return false;
    s->uses = uses;
    s->room = room;
  }
  memset(&s->uses[s->nuse], 0, sizeof *s->uses); /* also between the members: equal contents, equal bytes */
  s->uses[s->nuse].dataset = dataset;
  s->uses[s->nuse++].dimension = dimension;
  return true;
}

/* Attach scales to a dataset; `found` may move with each new one, so it is known by its place. */
static bool attach(scales *all, hid_t dataset, int rank, const int *found)
{
  hobj_ref_t own, references[CAP_RESULTS_RANK];
  if (!cap_h5_reference(dataset, &own)) return false;
  for (int i = 0; i < rank; i++) {
    scale *s = &all->list[found[i]];
    references[i] = s->reference;
    if (!add_use(s, own, i)) return false;
  }
  return cap_h5_put_dimensions(all->tools, dataset, rank, references);
}

/* Which of them say that they are scales, once all are attached. */
static bool finish(scales *all)
{
  char name[80];
  for (int i = 0; i < all->n; i++) {
    const scale *s = &all->list[i];
    /* these words, and ten places for the length, are how netCDF knows it */
    snprintf(name, sizeof name, "This is a netCDF dimension but not a netCDF variable.%10" PRId64, s->length);
    if (!cap_h5_put_scale(all->tools, s->dataset, s->name ? s->name : name, s->nuse, s->uses)) return false;
  }
  return true;
}

/* The arrays that others name as their axes. */
static bool add_axes(scales *all, const cap_results_group *group, const hid_t *items)
{
  for (int i = 0; i < group->nitem; i++) {
    const cap_results_dataset *d = &group->items[i];
    for (int k = 0; d->role == CAP_RESULTS_ARRAY && *d->axes && k < d->rank; k++) {
      const cap_results_dataset *axis = cap_results_tree_axis(group, d, k);
      if (!axis || find_scale(all, items[axis - group->items])) continue;
      if (!add_scale(all, items[axis - group->items], axis->name, axis->dims[0])) return false;
    }
  }
  return true;
}

static bool attach_array(scales *all, const cap_results_group *group, int item, const hid_t *items)
{
  int found[CAP_RESULTS_RANK];
  const cap_results_dataset *d = &group->items[item];
  if (d->role != CAP_RESULTS_ARRAY || find_scale(all, items[item])) return true;
  for (int k = 0; k < d->rank; k++) {
    const cap_results_dataset *axis = cap_results_tree_axis(group, d, k);
    const scale *s = axis ? find_scale(all, items[axis - group->items]) : plain_scale(all, d->dims[k]);
    if (!s) return false;
    found[k] = (int)(s - all->list);
  }
  return attach(all, items[item], d->rank, found);
}

bool cap_results_dims_put(cap_h5_tools *tools, hid_t id, const cap_results_group *group, const hid_t *columns,
                          const hid_t *items)
{
  scales all = {.tools = tools, .group = id};
  bool ok = group->ncolumn == 0 || add_scale(&all, columns[0], group->columns[0].name, group->nrow);
  ok = ok && add_axes(&all, group, items);
  for (int i = 1; ok && i < group->ncolumn; i++) ok = attach(&all, columns[i], 1, (int[]){0});
  for (int i = 0; ok && i < group->nitem; i++) ok = attach_array(&all, group, i, items);
  ok = ok && finish(&all);
  scales_free(&all);
  return ok;
}

bool cap_results_dims_put_along(cap_h5_tools *tools, hid_t axis, const char *name, int n,
                                const hid_t *datasets)
{
  scales all = {.tools = tools};
  bool ok = add_scale(&all, axis, name, 0) != NULL;
  for (int i = 0; ok && i < n; i++) ok = attach(&all, datasets[i], 1, (int[]){0});
  ok = ok && finish(&all);
  scales_free(&all);
  return ok;
}
