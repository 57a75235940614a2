/* atlas/atlas_branches.c — see atlas_branches.h. */
#include "atlas/atlas_branches.h"
#include "base/whole.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const cap_atlas_branches_kinds[CAP_ATLAS_BRANCHES_KINDS] = {"points", "folds", "branch-points",
                                                                        "doublings", "tori"};

static cap_status no_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for a series of branches");
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* The text "branch.N.<what>", "" when the run has none. */
static const char *text_of(const cap_results_group *group, int number, const char *what)
{
  char name[64];
  snprintf(name, sizeof name, "branch.%d.%s", number, what);
  const cap_results_dataset *d = cap_results_tree_dataset(group, name);
  return d && d->role == CAP_RESULTS_TEXT ? d->text : "";
}

/* Entry `number` of an array over the branches, or `otherwise` when the run has no such array. */
static cap_status entry_of(const cap_atlas_branches *set, const cap_results_group *group, int number,
                           const char *array, double otherwise, cap_arena *arena, double *value,
                           cap_error *error)
{
  *value = otherwise;
  if (!cap_results_tree_dataset(group, array)) return CAP_OK;
  cap_curve curve;
  CAP_TRY(cap_curve_from_results(set->file, set->group, array, NULL, NULL, arena, &curve, error));
  if (number >= 1 && number <= curve.value.n) *value = curve.value.y[number - 1];
  return CAP_OK;
}

static cap_status describe(const cap_atlas_branches *set, const cap_results_group *group,
                           cap_atlas_branch *branch, cap_arena *arena, cap_error *error)
{
  double period, closed;
  CAP_TRY(entry_of(set, group, branch->number, "branch.period", 1, arena, &period, error));
  CAP_TRY(entry_of(set, group, branch->number, "branch.closed", 0, arena, &closed, error));
  branch->period = capm_whole_between(period, 0, INT_MAX);
  branch->closed = closed != 0;
  branch->found = cap_arena_copy_text(arena, text_of(group, branch->number, "found"));
  branch->ends = cap_arena_copy_text(arena, text_of(group, branch->number, "ends"));
  const char *name = text_of(group, branch->number, "name");
  branch->name = name[0] ? cap_arena_copy_text(arena, name)
                         : cap_arena_format(arena, "branch-%d", branch->number);
  return branch->name && branch->found && branch->ends ? CAP_OK : no_memory(error);
}

/* Rows whose branch is `number`; -1 = all. */
static cap_status gather_rows(const cap_expr_value *numbers, int number, cap_arena *arena,
                              cap_atlas_branch *branch, cap_error *error)
{
  int64_t *rows = CAP_ARENA_NEW(arena, int64_t, numbers->n + 1);
  if (!rows) return no_memory(error);
  *branch = (cap_atlas_branch){.name = "", .found = "", .ends = "", .number = number, .rows = rows};
  for (int64_t i = 0; i < numbers->n; i++)
    if (number < 0 || numbers->y[i] == number) rows[branch->n++] = i;
  return CAP_OK;
}

static int largest_number(const cap_expr_value *numbers)
{
  int largest = 0;
  for (int64_t i = 0; i < numbers->n; i++) largest = capm_whole_between(numbers->y[i], largest, INT_MAX);
  return largest;
}

/* Multipliers outside the unit circle; a table with the largest multiplier alone tells
 * whether there are any. */
static cap_status read_outside(cap_results_file *file, const char *group, cap_arena *arena, cap_curve *curve,
                               cap_error *error)
{
  const cap_results_group *found = cap_results_tree_group(cap_results_read_tree(file), group);
  if (cap_results_tree_dataset(found, "unstable"))
    return cap_curve_from_results(file, group, "unstable", NULL, NULL, arena, curve, error);
  CAP_TRY(cap_curve_from_results(file, group, "multiplier", NULL, NULL, arena, curve, error));
  double *outside = CAP_ARENA_NEW(arena, double, curve->value.n + 1);
  if (!outside) return no_memory(error);
  for (int64_t i = 0; i < curve->value.n; i++)
    outside[i] = isnan(curve->value.y[i]) ? NAN : curve->value.y[i] > 1.0;
  curve->value.y = outside;
  return CAP_OK;
}

cap_status cap_atlas_branches_read(cap_results_file *file, const char *group, cap_arena *arena,
                                   cap_atlas_branches *set, cap_error *error)
{
  cap_curve numbers, kind, outside;
  *set = (cap_atlas_branches){.file = file, .group = group};
  CAP_TRY(cap_curve_from_results(file, group, "branch", NULL, NULL, arena, &numbers, error));
  CAP_TRY(cap_curve_from_results(file, group, "kind", NULL, NULL, arena, &kind, error));
  CAP_TRY(read_outside(file, group, arena, &outside, error));
  set->kind = kind.value.y;
  set->outside = outside.value.y;
  CAP_TRY(gather_rows(&numbers.value, -1, arena, &set->all, error));
  int most = largest_number(&numbers.value);
  set->list = CAP_ARENA_NEW(arena, cap_atlas_branch, most + 1);
  if (!set->list) return no_memory(error);
  const cap_results_group *found = cap_results_tree_group(cap_results_read_tree(file), group);
  for (int number = 1; number <= most; number++) {
    cap_atlas_branch *branch = &set->list[set->n];
    CAP_TRY(gather_rows(&numbers.value, number, arena, branch, error));
    if (branch->n == 0) continue;
    CAP_TRY(describe(set, found, branch, arena, error));
    set->n++;
  }
  return CAP_OK;
}

/* ---- curves -------------------------------------------------------------------------------------------- */

/* `name` as it stands, or as another column of the channel that `channel` is one of. */
static const char *column_of(const cap_atlas_branches *set, const char *channel, const char *name,
                             cap_arena *arena)
{
  const cap_results_group *group = cap_results_tree_group(cap_results_read_tree(set->file), set->group);
  const char *dot = strrchr(channel, '.');
  if (!dot || cap_results_tree_dataset(group, name)) return name;
  const char *full = cap_arena_format(arena, "%.*s.%s", (int)(dot - channel), channel, name);
  return full && cap_results_tree_dataset(group, full) ? full : name;
}

static cap_status pick(const double *values, const cap_atlas_branch *branch, cap_arena *arena,
                       const double **out)
{
  double *picked = CAP_ARENA_NEW(arena, double, branch->n + 1);
  for (int64_t i = 0; picked && i < branch->n; i++) picked[i] = values[branch->rows[i]];
  *out = picked;
  return picked ? CAP_OK : CAP_ERR_NOMEM;
}

cap_status cap_atlas_branches_curve(const cap_atlas_branches *set, const cap_atlas_branch *branch,
                                    const char *channel, const char *y, const char *x, cap_arena *arena,
                                    cap_curve *curve, cap_error *error)
{
  CAP_TRY(cap_curve_from_results(set->file, set->group, column_of(set, channel, y, arena), x, NULL, arena,
                                 curve, error));
  if (!curve->value.series || curve->value.n != set->all.n)
    return cap_status_fail(error, CAP_ERR_INPUT, "\"%s\" is not a column of the branches' table", y);
  const double *values = curve->value.y, *places = curve->value.x;
  if (pick(values, branch, arena, &curve->value.y) != CAP_OK ||
      pick(places, branch, arena, &curve->value.x) != CAP_OK)
    return no_memory(error);
  curve->value.n = branch->n;
  return CAP_OK;
}

cap_status cap_atlas_branches_special(const cap_atlas_branches *set, const cap_atlas_branch *branch, int kind,
                                      const cap_curve *along, cap_arena *arena, cap_curve *curve,
                                      cap_error *error)
{
  *curve = *along;
  double *x = CAP_ARENA_NEW(arena, double, branch->n + 1), *y = CAP_ARENA_NEW(arena, double, branch->n + 1);
  if (!x || !y) return no_memory(error);
  curve->value = (cap_expr_value){.series = true, .x = x, .y = y};
  for (int64_t i = 0; i < branch->n; i++) {
    if (set->kind[branch->rows[i]] != kind) continue;
    x[curve->value.n] = along->value.x[i];
    y[curve->value.n++] = along->value.y[i];
  }
  return CAP_OK;
}

/* ---- names in formulas --------------------------------------------------------------------------------- */

static cap_status count_branches(const cap_atlas_branches *set, const char *prefix, cap_arena *arena,
                                 cap_curve *curve, cap_error *error)
{
  double *x = CAP_ARENA_NEW(arena, double, set->n + 1), *y = CAP_ARENA_NEW(arena, double, set->n + 1);
  if (!x || !y) return no_memory(error);
  *curve = (cap_curve){.value = {.series = true, .x = x, .y = y},
                       .x_name = "branch",
                       .x_unit = "",
                       .y_name = "period",
                       .y_unit = ""};
  for (int k = 0; k < set->n; k++) {
    if (strncmp(set->list[k].name, prefix, strlen(prefix)) != 0) continue;
    x[curve->value.n] = set->list[k].number;
    y[curve->value.n++] = set->list[k].period;
  }
  return CAP_OK;
}

static cap_status find_branch(const cap_atlas_branches *set, const char *name, size_t length,
                              const cap_atlas_branch **branch, cap_error *error)
{
  char known[256] = "";
  for (int k = 0; k < set->n; k++) {
    *branch = &set->list[k];
    if (strlen((*branch)->name) == length && strncmp((*branch)->name, name, length) == 0) return CAP_OK;
    size_t used = strlen(known);
    if (used + 8 < sizeof known)
      snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", (*branch)->name);
  }
  return cap_status_fail(error, CAP_ERR_INPUT, "there is no branch \"%.*s\"; there are %s", (int)length, name,
                         known);
}

cap_status cap_atlas_branches_named(const cap_atlas_branches *set, const char *rest, const char *y,
                                    const char *x, cap_arena *arena, cap_curve *curve, cap_error *error)
{
  static const char counted[] = "/branches";
  const cap_atlas_branch *branch = &set->all;
  if (strncmp(rest, counted, sizeof counted - 1) == 0) {
    const char *prefix = rest + sizeof counted - 1;
    return count_branches(set, prefix + strspn(prefix, " "), arena, curve, error);
  }
  const char *slash = strchr(rest, '/'), *column = slash ? slash + 1 : y;
  if (rest[0] == ' ')
    CAP_TRY(
        find_branch(set, rest + 1, slash ? (size_t)(slash - rest - 1) : strlen(rest + 1), &branch, error));
  for (int k = 0; k < CAP_ATLAS_BRANCHES_KINDS; k++) {
    if (strcmp(column, cap_atlas_branches_kinds[k]) != 0) continue;
    cap_curve along;
    CAP_TRY(cap_atlas_branches_curve(set, branch, y, y, x, arena, &along, error));
    return cap_atlas_branches_special(set, branch, k, &along, arena, curve, error);
  }
  return cap_atlas_branches_curve(set, branch, y, column, x, arena, curve, error);
}
