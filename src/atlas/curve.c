/* atlas/curve.c — see curve.h. */
#include "atlas/curve.h"
#include "base/units.h"
#include "io/channel_names.h"
#include "io/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cap_status no_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for a series");
}

static const char *shown_name(const cap_results_dataset *d)
{
  return d->long_name[0] ? d->long_name : d->name;
}

/* " (it has a, b, c)" of at most a line. */
static const char *add_name(char *list, size_t size, const char *name)
{
  size_t used = strlen(list);
  if (used + 8 < size) snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
  return list;
}

static cap_status find_group(cap_results_file *file, const char *name, const cap_results_group **group,
                             cap_error *error)
{
  const cap_results_tree *tree = cap_results_read_tree(file);
  *group = cap_results_tree_group(tree, name);
  if (*group) return CAP_OK;
  char known[256] = "";
  for (int i = 0; i < tree->ngroup; i++) add_name(known, sizeof known, tree->groups[i]->name);
  return cap_status_fail(error, CAP_ERR_INPUT, "the run has no group \"%s\"; it has %s", name, known);
}

static cap_status find_dataset(const cap_results_group *group, const char *name,
                               const cap_results_dataset **dataset, cap_error *error)
{
  *dataset = cap_results_tree_dataset(group, name);
  if (*dataset) return CAP_OK;
  char known[512] = "";
  for (int i = 0; i < group->ncolumn; i++) add_name(known, sizeof known, group->columns[i].name);
  for (int i = 0; i < group->nitem; i++) add_name(known, sizeof known, group->items[i].name);
  return cap_status_fail(error, CAP_ERR_INPUT, "\"%s\" has no dataset \"%s\"; expected one of %s",
                         group->name, name, known);
}

/* One piece being taken out of a group. */
typedef struct taker {
  cap_results_file *file;
  const cap_results_group *group;
  cap_arena *arena;
  cap_error *error;
} taker;

/* All values of a dataset, moved into the arena. */
static cap_status take_all(const taker *t, const cap_results_dataset *d, double **values)
{
  double *read;
  int64_t count;
  CAP_TRY(cap_results_read_all(t->file, t->group, d, &read, &count, t->error));
  *values = CAP_ARENA_NEW(t->arena, double, count);
  if (*values) memcpy(*values, read, (size_t)count * sizeof *read);
  free(read);
  return *values ? CAP_OK : no_memory(t->error);
}

/* The dimension whose axis has this name (of `length` characters), -1 when there is none. */
static int dimension_named(const cap_results_dataset *d, const char *name, size_t length)
{
  const char *axis = d->axes;
  for (int i = 0; i < d->rank && axis; i++) {
    axis += strspn(axis, " ");
    if (strcspn(axis, ",") == length && strncmp(axis, name, length) == 0) return i;
    axis = strchr(axis, ',');
    if (axis) axis++;
  }
  return -1;
}

static cap_status index_of_value(const taker *t, const cap_results_dataset *d, int dim, double wanted,
                                 int64_t *index)
{
  const cap_results_dataset *axis = cap_results_tree_axis(t->group, d, dim);
  double *values;
  if (!axis)
    return cap_status_fail(t->error, CAP_ERR_INPUT,
                           "an axis of \"%s\" has no values to select by; expected its index", d->name);
  CAP_TRY(take_all(t, axis, &values));
  for (int64_t i = 0; i < d->dims[dim]; i++)
    if (fabs(values[i] - wanted) <= 1e-9 * fmax(fabs(wanted), fabs(values[i]))) {
      *index = i;
      return CAP_OK;
    }
  return cap_status_fail(t->error, CAP_ERR_INPUT, "expected a value on the axis \"%s\", got %g %s",
                         axis->name, wanted, axis->unit);
}

/* "axis=value", or an index of dimension number `at`. */
static cap_status fix_dimension(const taker *t, const cap_results_dataset *d, const char *text, int at,
                                int64_t *fixed)
{
  const char *sign = strchr(text, '=');
  char *end;
  size_t length = sign ? (size_t)(sign - text) : 0;
  while (length > 0 && text[length - 1] == ' ') length--;
  int dim = sign ? dimension_named(d, text, length) : at;
  double value = strtod(sign ? sign + 1 : text, &end);
  end += strspn(end, " ");
  if (dim < 0 || dim >= d->rank || *end)
    return cap_status_fail(t->error, CAP_ERR_INPUT, "\"%s\" does not select from \"%s\" with axes \"%s\"",
                           text, d->name, d->axes);
  if (sign) return index_of_value(t, d, dim, value, &fixed[dim]);
  if (!(value >= 0 && value < (double)d->dims[dim]) || value != floor(value))
    return cap_status_fail(t->error, CAP_ERR_INPUT, "\"%s\" has no index %s along dimension %d", d->name,
                           text, dim);
  fixed[dim] = (int64_t)value;
  return CAP_OK;
}

/* Indexes of all dimensions but one (-1 there), whose number is *along. */
static cap_status find_line(const taker *t, const cap_results_dataset *d, const cap_texts *select,
                            int64_t fixed[CAP_RESULTS_RANK], int *along)
{
  int nfree = 0;
  for (int i = 0; i < d->rank; i++) fixed[i] = -1;
  for (int i = 0; select && i < select->n; i++) CAP_TRY(fix_dimension(t, d, select->v[i], i, fixed));
  for (int i = 0; i < d->rank; i++)
    if (fixed[i] < 0) {
      nfree++;
      *along = i;
    }
  if (nfree == 1) return CAP_OK;
  return cap_status_fail(
      t->error, CAP_ERR_INPUT,
      "\"%s\" has %d dimensions (axes \"%s\"); expected that select fixes all but one, got %d that are left",
      d->name, d->rank, d->axes, nfree);
}

/* The values along one dimension at the fixed indexes of the others. */
static cap_status take_line(const taker *t, const cap_results_dataset *d, const int64_t *fixed, int along,
                            const double **line)
{
  double *all;
  CAP_TRY(take_all(t, d, &all));
  double *values = CAP_ARENA_NEW(t->arena, double, d->dims[along]);
  if (!values) return no_memory(t->error);
  int64_t start = 0, step = 1;
  for (int i = 0; i < d->rank; i++) {
    start = start * d->dims[i] + (i == along ? 0 : fixed[i]);
    if (i > along) step *= d->dims[i];
  }
  for (int64_t i = 0; i < d->dims[along]; i++) values[i] = all[start + i * step];
  *line = values;
  return CAP_OK;
}

static cap_status count_up(const taker *t, int64_t n, cap_curve *curve)
{
  double *index = CAP_ARENA_NEW(t->arena, double, n);
  if (!index) return no_memory(t->error);
  for (int64_t i = 0; i < n; i++) index[i] = (double)i;
  curve->value.x = index;
  curve->x_name = "index";
  curve->x_unit = "";
  return CAP_OK;
}

/* x of a line through `d`: an array with the same dimensions, or one with the length of the line. */
static cap_status take_abscissa(const taker *t, const cap_results_dataset *d, const cap_results_dataset *x,
                                const int64_t *fixed, int along, cap_curve *curve)
{
  curve->x_name = shown_name(x);
  curve->x_unit = x->unit;
  if (x->rank == d->rank && memcmp(x->dims, d->dims, (size_t)d->rank * sizeof *d->dims) == 0)
    return take_line(t, x, fixed, along, &curve->value.x);
  if (x->rank == 1 && x->dims[0] == d->dims[along]) {
    double *values;
    CAP_TRY(take_all(t, x, &values));
    curve->value.x = values;
    return CAP_OK;
  }
  return cap_status_fail(t->error, CAP_ERR_INPUT,
                         "\"%s\" and \"%s\" have different lengths; expected the same", d->name, x->name);
}

static cap_status take_curve(const taker *t, const cap_results_dataset *d, const char *x,
                             const cap_texts *select, cap_curve *curve)
{
  int64_t fixed[CAP_RESULTS_RANK];
  int along = 0;
  CAP_TRY(find_line(t, d, select, fixed, &along));
  const cap_results_dataset *abscissa = NULL;
  if (x) CAP_TRY(find_dataset(t->group, x, &abscissa, t->error));
  else if (d->role == CAP_RESULTS_COLUMN) abscissa = &t->group->columns[0];
  else abscissa = cap_results_tree_axis(t->group, d, along);

  curve->value = (cap_expr_value){.series = true, .n = d->dims[along]};
  CAP_TRY(take_line(t, d, fixed, along, &curve->value.y));
  if (!abscissa) return count_up(t, d->dims[along], curve);
  return take_abscissa(t, d, abscissa, fixed, along, curve);
}

cap_status cap_curve_from_results(cap_results_file *file, const char *group, const char *y, const char *x,
                                  const cap_texts *select, cap_arena *arena, cap_curve *curve,
                                  cap_error *error)
{
  taker t = {.file = file, .arena = arena, .error = error};
  const cap_results_dataset *d;
  CAP_TRY(find_group(file, group, &t.group, error));
  CAP_TRY(find_dataset(t.group, y, &d, error));
  if (d->role == CAP_RESULTS_TEXT)
    return cap_status_fail(error, CAP_ERR_INPUT, "\"%s\" of \"%s\" is a text", y, group);
  *curve = (cap_curve){.y_name = shown_name(d), .y_unit = d->unit, .x_name = "", .x_unit = ""};
  if (d->role != CAP_RESULTS_NUMBER) return take_curve(&t, d, x, select, curve);
  curve->value = (cap_expr_value){.number = d->number};
  return CAP_OK;
}

cap_status cap_curve_from_audit(cap_results_file *file, const char *group, const char *name, cap_curve *curve,
                                cap_error *error)
{
  const cap_results_group *g;
  CAP_TRY(find_group(file, group, &g, error));
  const cap_results_balance *b = &g->balance;
  if (b->nline == 0) return cap_status_fail(error, CAP_ERR_INPUT, "\"%s\" has no energy balance", group);
  bool relative = strcmp(name, "relative") == 0;
  *curve = (cap_curve){.y_name = name, .y_unit = relative ? "" : "J", .x_name = "", .x_unit = ""};
  double *number = &curve->value.number;
  if (relative) {
    *number = b->relative;
    return CAP_OK;
  }
  if (strcmp(name, "residual") == 0 || strcmp(name, "scale") == 0) {
    *number = name[0] == 'r' ? b->residual : b->scale;
    return CAP_OK;
  }
  for (int i = 0; i < b->nline; i++)
    if (strcmp(b->lines[i].name, name) == 0) {
      *number = b->lines[i].energy;
      return CAP_OK;
    }
  return cap_status_fail(error, CAP_ERR_INPUT, "the energy balance of \"%s\" has no line \"%s\"", group,
                         name);
}

/* Names of an entry are present ones by now (io/renames.h), the header of a file is as somebody wrote it. */
static int find_column(const cap_csv *csv, const char *name, cap_arena *arena)
{
  int found = cap_csv_find(csv, name);
  for (int k = 0; k < csv->ncolumn && found < 0; k++) {
    const char *present = cap_channel_names_present(csv->names[k], NULL, arena);
    if (present && strcmp(present, name) == 0) found = k;
  }
  return found;
}

static cap_status pick_columns(const cap_csv *csv, const char *path, const char *y, const char *x,
                               cap_arena *arena, cap_curve *curve, cap_error *error)
{
  int ix = find_column(csv, x, arena), iy = find_column(csv, y, arena);
  if (ix < 0 || iy < 0)
    return cap_status_fail(error, CAP_ERR_INPUT, "%s: has no column \"%s\"", path, ix < 0 ? x : y);
  *curve = (cap_curve){.value = {.series = true, .n = csv->nrow, .x = csv->values[ix], .y = csv->values[iy]},
                       .x_name = csv->names[ix],
                       .x_unit = csv->units[ix],
                       .y_name = csv->names[iy],
                       .y_unit = csv->units[iy]};
  return CAP_OK;
}

cap_status cap_curve_from_csv(const char *path, const char *y, const char *x, cap_arena *arena,
                              cap_curve *curve, cap_error *error)
{
  cap_csv csv = {0};
  cap_diag diag;
  cap_units *units = cap_units_create();
  if (!units) return no_memory(error);
  cap_diag_init(&diag, path);
  cap_status status = cap_csv_read(path, units, arena, &diag, &csv);
  if (status == CAP_OK) status = pick_columns(&csv, path, y, x, arena, curve, error);
  else cap_status_fail(error, status, "%s", cap_diag_text(&diag));
  cap_diag_free(&diag);
  cap_units_free(units);
  return status;
}
