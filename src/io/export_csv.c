/* io/export_csv.c — see export.h: tables as CSV. */
#include "io/codes.h"
#include "io/export.h"
#include "io/export_inner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 1024, VALUES_AT_ONCE = 1 << 18 };

/* ---- which arrays make a table
 * -------------------------------------------------------------------------- */

/* Families of animation frames, "film.element.*.x", are arrays over frames and members. */
static const char *members_place(const cap_results_dataset *d)
{
  const char *star = d->rank == 2 ? strstr(d->name, ".*.") : NULL;
  const char *dot = strchr(d->name, '.');
  return star && dot < star ? star : NULL;
}

/* The comma-separated names of its members, "film.members.element.x" or "film.members.element"; "" =
 * numbered. */
static const char *members_of(cap_export *e, const cap_results_group *group, const cap_results_dataset *d)
{
  const char *star = members_place(d), *dot = strchr(d->name, '.');
  const char *name = cap_arena_format(&e->arena, "%.*s.members%.*s%s", (int)(dot - d->name), d->name,
                                      (int)(star - dot), dot, star + 2);
  const char *own = name ? cap_results_tree_text(group, name) : "";
  if (*own) return own;
  name = cap_arena_format(&e->arena, "%.*s.members%.*s", (int)(dot - d->name), d->name, (int)(star - dot),
                          dot);
  return name ? cap_results_tree_text(group, name) : "";
}

/* Whether an array of one dimension stands along one of another. */
static bool is_axis(const cap_results_group *group, const cap_results_dataset *d)
{
  if (d->rank != 1) return false;
  for (int i = 0; i < group->nitem; i++) {
    const cap_results_dataset *other = &group->items[i];
    if (other->role != CAP_RESULTS_ARRAY || !strstr(other->axes, d->name)) continue;
    for (int k = 0; k < other->rank; k++)
      if (cap_results_tree_axis(group, other, k) == d) return true;
  }
  return false;
}

/* What is equal for the arrays of one table: their dimensions, axes and, without those, the first part of
 * their names. */
static const char *key_of(cap_export *e, const cap_results_group *group, const cap_results_dataset *d)
{
  const char *star = members_place(d), *key = "";
  bool itself = is_axis(group, d);
  for (int i = 0; key && i < d->rank; i++) {
    const cap_results_dataset *axis = itself ? d : cap_results_tree_axis(group, d, i);
    if (axis) key = cap_arena_format(&e->arena, "%s|%" PRId64 " %s", key, d->dims[i], axis->name);
    else if (star && i == 1)
      key = cap_arena_format(&e->arena, "%s|%" PRId64 " %.*s of %s", key, d->dims[i], (int)(star - d->name),
                             d->name, members_of(e, group, d));
    else
      key = cap_arena_format(&e->arena, "%s|%" PRId64 " #%.*s", key, d->dims[i], (int)strcspn(d->name, "."),
                             d->name);
  }
  return key;
}

/* The file's part of a name: the axes, or what the arrays have in common. */
static const char *part_of(cap_export *e, const cap_export_table *t)
{
  const cap_results_dataset *d = t->arrays[0];
  const char *star = members_place(d), *part = NULL;
  if (star) return cap_arena_format(&e->arena, "%.*s", (int)(star - d->name), d->name);
  for (int i = 0; i < d->rank; i++) {
    const cap_results_dataset *axis = is_axis(t->group, d) ? d : cap_results_tree_axis(t->group, d, i);
    if (!axis && t->narray == 1) return d->name;
    if (!axis) return cap_arena_format(&e->arena, "%.*s", (int)strcspn(d->name, "."), d->name);
    part = cap_arena_format(&e->arena, "%s%s%s", part ? part : "", part ? "+" : "", axis->name);
    if (!part) return NULL;
  }
  return part ? part : d->name;
}

static bool is_wanted(const cap_results_dataset *d, bool animation)
{
  return d->role == CAP_RESULTS_ARRAY &&
         (animation || (strncmp(d->name, "film.", 5) != 0 && strncmp(d->name, "swing.", 6) != 0));
}

static cap_status add_array(cap_export *e, int from, const cap_results_group *group,
                            const cap_results_dataset *d)
{
  const char *key = key_of(e, group, d);
  if (!key) return cap_export_no_memory(e);
  cap_export_table *t = NULL;
  for (int i = from; !t && i < e->ntable; i++)
    if (strcmp(e->tables[i].key, key) == 0) t = &e->tables[i];
  if (!t) {
    t = cap_export_add(e, CAP_EXPORT_ARRAYS, group);
    if (!t) return cap_export_no_memory(e);
    t->key = key;
    t->arrays = CAP_ARENA_NEW(&e->arena, const cap_results_dataset *, group->nitem);
    if (!t->arrays) return cap_export_no_memory(e);
  }
  t->arrays[t->narray++] = d;
  return CAP_OK;
}

/* Whether a table is one of an axis only that stands in another table, too. */
static bool is_repeated(const cap_export *e, int from, const cap_export_table *t)
{
  if (t->narray != 1 || t->arrays[0]->rank != 1) return false;
  for (int i = from; i < e->ntable; i++)
    for (int k = 0; &e->tables[i] != t && k < e->tables[i].arrays[0]->rank; k++)
      if (cap_results_tree_axis(t->group, e->tables[i].arrays[0], k) == t->arrays[0]) return true;
  return false;
}

static cap_status plan_arrays(cap_export *e, const cap_results_group *group, bool animation)
{
  int from = e->ntable, n = from;
  for (int i = 0; i < group->nitem; i++)
    if (is_wanted(&group->items[i], animation)) CAP_TRY(add_array(e, from, group, &group->items[i]));
  for (int i = from; i < e->ntable; i++) /* `key` tells which go: others still look at all */
    if (is_repeated(e, from, &e->tables[i])) e->tables[i].key = NULL;
  for (int i = from; i < e->ntable; i++)
    if (e->tables[i].key) e->tables[n++] = e->tables[i];
  e->ntable = n;
  for (int i = from; i < e->ntable; i++) {
    const char *part = part_of(e, &e->tables[i]);
    if (!part) return cap_export_no_memory(e);
    CAP_TRY(cap_export_name(e, &e->tables[i], part, "csv"));
  }
  return CAP_OK;
}

static cap_status plan_one(cap_export *e, cap_export_kind kind, const cap_results_group *group,
                           const char *part)
{
  cap_export_table *t = cap_export_add(e, kind, group);
  return t ? cap_export_name(e, t, part, "csv") : cap_export_no_memory(e);
}

static cap_status plan_group(cap_export *e, const cap_results_group *group, bool animation)
{
  bool any = false;
  for (int i = 0; i < group->nitem; i++) any = any || group->items[i].role != CAP_RESULTS_ARRAY;
  if (group->ncolumn > 0) CAP_TRY(plan_one(e, CAP_EXPORT_COLUMNS, group, NULL));
  CAP_TRY(plan_arrays(e, group, animation));
  if (any) CAP_TRY(plan_one(e, CAP_EXPORT_VALUES, group, "values"));
  return group->balance.nline > 0 ? plan_one(e, CAP_EXPORT_AUDIT, group, "audit") : CAP_OK;
}

/* ---- cells
 * ----------------------------------------------------------------------------------------------- */

static void put_text(FILE *out, const char *text)
{
  cap_export_cell(out, text, strlen(text));
}

/* Whether names stand in place of codes. */
static bool are_named(const cap_export *e, const cap_results_dataset *d)
{
  return !e->codes && cap_codes_listed(d->long_name);
}

/* A quantity's heading; names that stand for codes have no unit. */
static cap_status put_heading(const cap_export *e, FILE *out, const cap_results_dataset *d)
{
  char *text = cap_export_heading(d->name, are_named(e, d) ? "" : d->unit);
  if (!text) return cap_export_no_memory(e);
  put_text(out, text);
  free(text);
  return CAP_OK;
}

static void put_value(FILE *out, const cap_results_dataset *d, bool codes, double value)
{
  size_t length;
  const char *name = codes ? cap_codes_name(d->long_name, value, &length) : NULL;
  if (name) cap_export_cell(out, name, length);
  else fprintf(out, "%.17g", value);
}

/* ---- columns
 * --------------------------------------------------------------------------------------------- */

static void put_rows(const cap_results_group *group, FILE *out, int64_t nrow, const double *values,
                     const bool *codes)
{
  int n = group->ncolumn;
  for (int64_t row = 0; row < nrow; row++)
    for (int c = 0; c < n; c++) {
      put_value(out, &group->columns[c], codes[c], values[(int64_t)c * ROWS_AT_ONCE + row]);
      fputc(c + 1 < n ? ',' : '\n', out);
    }
}

static cap_status put_columns(const cap_export *e, const cap_results_group *group, FILE *out)
{
  int n = group->ncolumn;
  double *values = malloc((size_t)n * ROWS_AT_ONCE * sizeof *values);
  bool *codes = malloc((size_t)n * sizeof *codes);
  cap_status status = values && codes ? CAP_OK : cap_export_no_memory(e);
  for (int c = 0; status == CAP_OK && c < n; c++) {
    codes[c] = cap_codes_listed(group->columns[c].long_name);
    status = put_heading(e, out, &group->columns[c]);
    fputc(c + 1 < n ? ',' : '\n', out);
  }
  for (int64_t first = 0; status == CAP_OK && first < group->nrow; first += ROWS_AT_ONCE) {
    int64_t left = group->nrow - first, many = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
    for (int c = 0; status == CAP_OK && c < n; c++)
      status = cap_results_read_part(e->file, group, &group->columns[c], first, 1, many,
                                     values + (int64_t)c * ROWS_AT_ONCE, e->error);
    if (status == CAP_OK) put_rows(group, out, many, values, codes);
  }
  free(values);
  free(codes);
  return status;
}

/* ---- arrays
 * ---------------------------------------------------------------------------------------------- */

/* A dimension of a table: an axis with its values, or a list of names, or numbers. */
typedef struct dimension {
  const cap_results_dataset *axis;
  double *values;
  const char *names; /* separated by commas; NULL = none */
  char heading[64];  /* without an axis */
} dimension;

typedef struct arrays {
  const cap_export_table *table;
  dimension of[CAP_RESULTS_RANK];
  int64_t inner, at_once; /* values of one entry along the first dimension; entries read at once */
  double *values;         /* [narray][at_once][inner] */
  bool *codes;            /* [narray] has names in place of codes */
} arrays;

/* A text of the group that lists as many names; else NULL. */
static const char *list_of(const cap_results_group *group, const char *name, int64_t n)
{
  const char *text = name ? cap_results_tree_text(group, name) : "";
  int64_t count = 1;
  for (const char *c = text; *c; c++) count += *c == ',';
  return *text && count == n ? text : NULL;
}

static cap_status find_dimension(cap_export *e, const cap_export_table *t, int i, dimension *dim)
{
  const cap_results_dataset *d = t->arrays[0];
  const char *star = members_place(d);
  size_t first = strcspn(d->name, ".");
  dim->axis = is_axis(t->group, d) ? d : cap_results_tree_axis(t->group, d, i);
  if (dim->axis) {
    dim->names = list_of(t->group, cap_arena_format(&e->arena, "%ss", dim->axis->name), d->dims[i]);
    return cap_results_read_all(e->file, t->group, dim->axis, &dim->values, NULL, e->error);
  }
  if (star && i == 1) {
    const char *kind = strchr(d->name, '.') + 1, *members = members_of(e, t->group, d);
    snprintf(dim->heading, sizeof dim->heading, "%.*s", (int)(star - kind), kind);
    if (*members) dim->names = members;
    return CAP_OK;
  }
  snprintf(dim->heading, sizeof dim->heading, "index_%d", i);
  if (d->rank > 1) return CAP_OK;
  dim->names = list_of(t->group, cap_arena_format(&e->arena, "%.*ss", (int)first, d->name), d->dims[i]);
  if (dim->names) snprintf(dim->heading, sizeof dim->heading, "%.*s", (int)first, d->name);
  return CAP_OK;
}

static void put_name(FILE *out, const char *names, int64_t k)
{
  for (; k > 0 && *names; k--) {
    names += strcspn(names, ",");
    names += *names == ',';
  }
  names += strspn(names, " ");
  cap_export_cell(out, names, strcspn(names, ","));
}

static void put_place(const cap_export *e, FILE *out, const dimension *dim, int64_t k)
{
  if (dim->names) put_name(out, dim->names, k);
  else if (dim->axis) put_value(out, dim->axis, !e->codes, dim->values[k]);
  else fprintf(out, "%" PRId64, k);
  fputc(',', out);
}

/* The array is the axis itself, which stands in front. */
static bool is_in_front(const arrays *a, int k)
{
  return a->of[0].axis == a->table->arrays[k] && !a->of[0].names && a->table->narray > 1;
}

static cap_status put_headings(const cap_export *e, const arrays *a, FILE *out)
{
  const cap_export_table *t = a->table;
  bool first = true;
  for (int i = 0; i < t->arrays[0]->rank; i++) {
    const dimension *dim = &a->of[i];
    if (!first) fputc(',', out);
    first = false;
    if (dim->axis && !dim->names) CAP_TRY(put_heading(e, out, dim->axis));
    else put_text(out, dim->axis ? dim->axis->name : dim->heading);
  }
  for (int k = 0; k < t->narray; k++) {
    if (is_in_front(a, k)) continue;
    fputc(',', out);
    CAP_TRY(put_heading(e, out, t->arrays[k]));
  }
  fputc('\n', out);
  return CAP_OK;
}

static void put_entries(const cap_export *e, const arrays *a, FILE *out, int64_t first, int64_t n)
{
  const cap_export_table *t = a->table;
  const cap_results_dataset *d = t->arrays[0];
  int64_t at[CAP_RESULTS_RANK] = {first};
  for (int64_t place = 0; place < n * a->inner; place++) {
    for (int i = 0; i < d->rank; i++) put_place(e, out, &a->of[i], at[i]);
    bool more = false;
    for (int k = 0; k < t->narray; k++) {
      if (is_in_front(a, k)) continue;
      if (more) fputc(',', out);
      more = true;
      put_value(out, t->arrays[k], a->codes[k], a->values[k * a->at_once * a->inner + place]);
    }
    fputc('\n', out);
    for (int i = d->rank - 1; i >= 0 && ++at[i] == d->dims[i] && i > 0; i--) at[i] = 0;
  }
}

static cap_status put_values(const cap_export *e, arrays *a, FILE *out)
{
  const cap_export_table *t = a->table;
  int64_t n = t->arrays[0]->rank ? t->arrays[0]->dims[0] : 1;
  a->inner = 1;
  for (int i = 1; i < t->arrays[0]->rank; i++) a->inner *= t->arrays[0]->dims[i];
  if (a->inner == 0) return CAP_OK;
  a->at_once = VALUES_AT_ONCE / (a->inner * t->narray);
  if (a->at_once < 1) a->at_once = 1;
  if (a->at_once > n) a->at_once = n;
  a->values = malloc((size_t)(t->narray * a->at_once * a->inner + 1) * sizeof *a->values);
  a->codes = malloc((size_t)t->narray * sizeof *a->codes);
  if (!a->values || !a->codes) return cap_export_no_memory(e);
  for (int k = 0; k < t->narray; k++) a->codes[k] = are_named(e, t->arrays[k]);
  for (int64_t first = 0; first < n; first += a->at_once) {
    int64_t many = n - first < a->at_once ? n - first : a->at_once;
    for (int k = 0; k < t->narray; k++)
      CAP_TRY(cap_results_read_part(e->file, t->group, t->arrays[k], first, 1, many,
                                    a->values + k * a->at_once * a->inner, e->error));
    put_entries(e, a, out, first, many);
  }
  return CAP_OK;
}

static cap_status put_arrays(cap_export *e, const cap_export_table *t, FILE *out)
{
  arrays a = {.table = t};
  cap_status status = CAP_OK;
  for (int i = 0; status == CAP_OK && i < t->arrays[0]->rank; i++) status = find_dimension(e, t, i, &a.of[i]);
  if (status == CAP_OK) status = put_headings(e, &a, out);
  if (status == CAP_OK) status = put_values(e, &a, out);
  for (int i = 0; i < CAP_RESULTS_RANK; i++) free(a.of[i].values);
  free(a.values);
  free(a.codes);
  return status;
}

/* ---- the rest
 * ------------------------------------------------------------------------------------------- */

static void put_items(const cap_export *e, const cap_results_group *group, FILE *out)
{
  fputs("name,value,unit,long_name\n", out);
  for (int i = 0; i < group->nitem; i++) {
    const cap_results_dataset *d = &group->items[i];
    if (d->role == CAP_RESULTS_ARRAY) continue;
    put_text(out, d->name);
    fputc(',', out);
    if (d->role == CAP_RESULTS_NUMBER) put_value(out, d, !e->codes, d->number);
    else put_text(out, d->text);
    fputc(',', out);
    put_text(out, d->unit);
    fputc(',', out);
    put_text(out, d->long_name);
    fputc('\n', out);
  }
}

static void put_audit(const cap_results_group *group, FILE *out)
{
  const cap_results_balance *b = &group->balance;
  bool stated = false;
  fputs("name,kind,energy [J]\n", out);
  for (int i = 0; i < b->nline; i++) {
    put_text(out, b->lines[i].name);
    fputc(',', out);
    put_text(out, b->lines[i].kind);
    fprintf(out, ",%.17g\n", b->lines[i].energy);
    stated = stated || strcmp(b->lines[i].kind, "residual") == 0;
  }
  if (!stated) fprintf(out, "residual,residual,%.17g\n", b->residual);
}

static cap_status put_table(cap_export *e, const cap_export_table *t)
{
  cap_outfile out;
  cap_status status = CAP_OK;
  CAP_TRY(cap_export_create(e, t->file, &out));
  switch (t->kind) {
  case CAP_EXPORT_COLUMNS:
    status = put_columns(e, t->group, out.stream);
    break;
  case CAP_EXPORT_ARRAYS:
    status = put_arrays(e, t, out.stream);
    break;
  case CAP_EXPORT_VALUES:
    put_items(e, t->group, out.stream);
    break;
  default:
    put_audit(t->group, out.stream);
  }
  return cap_export_end(e, &out, status);
}

static void describe_column(const cap_export_table *t, const cap_results_dataset *d, FILE *out)
{
  fprintf(out, "%s,", t->file);
  put_text(out, d->name);
  fputc(',', out);
  put_text(out, d->unit);
  fputc(',', out);
  put_text(out, d->long_name);
  fputc('\n', out);
}

static cap_status describe(const cap_export *e, const cap_export_table *t, FILE *out)
{
  (void)e;
  for (int c = 0; t->kind == CAP_EXPORT_COLUMNS && c < t->group->ncolumn; c++)
    describe_column(t, &t->group->columns[c], out);
  for (int k = 0; k < t->narray; k++) describe_column(t, t->arrays[k], out);
  if (t->kind == CAP_EXPORT_VALUES) fprintf(out, "%s,,,numbers and texts\n", t->file);
  if (t->kind == CAP_EXPORT_AUDIT) fprintf(out, "%s,,,energy balance\n", t->file);
  return CAP_OK;
}

cap_status cap_export_csv(const char *h5, const char *folder, cap_export_options options, cap_error *error)
{
  cap_export e;
  cap_status status = cap_export_open(&e, h5, folder, error);
  e.codes = options.codes;
  const cap_results_tree *tree = status == CAP_OK ? cap_results_read_tree(e.file) : NULL;
  for (int i = 0; status == CAP_OK && i < tree->ngroup; i++)
    status = plan_group(&e, tree->groups[i], options.animation);
  if (status == CAP_OK) status = cap_export_begin(&e);
  if (status == CAP_OK) status = cap_export_list(&e, describe);
  for (int i = 0; status == CAP_OK && i < e.ntable; i++) status = put_table(&e, &e.tables[i]);
  cap_export_close(&e);
  return status;
}
