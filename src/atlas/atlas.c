/* atlas/atlas.c — see atlas.h. */
#include "atlas/atlas.h"
#include "atlas/curve.h"
#include "base/clock.h"
#include "base/units.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A run that was made (or tried): entries that need it again find it here. */
typedef struct made_run {
  struct made_run *next;
  char *key, *h5;
  cap_status status;
  cap_error error;
  cap_results_file *file;
} made_run;

struct cap_atlas {
  cap_atlas_options options;
  char scratch[256];
  made_run *runs;
  int nrun;
};

typedef enum progress { NOT_TRIED, BUSY, READY, FAILED } progress;

/* A series of the entry while it is worked on. */
typedef struct slot {
  progress progress;
  cap_curve curve;
  cap_atlas_branches branches; /* by branch; the curve is that of all of them */
  cap_status status;
  const char *trouble;
} slot;

/* One entry being run. */
typedef struct worker {
  cap_atlas *atlas;
  const cap_entry *entry;
  cap_arena *arena;
  cap_units *units;
  slot *slots;
  cap_curve *first;  /* the first series that the formula at hand has named */
  cap_error trouble; /* why a name could not be resolved */
  cap_status fatal;
  int room; /* of the outcome's series */
} worker;

/* The scratch folder and the runs in it */

cap_status cap_atlas_create(cap_atlas_options options, cap_atlas **out, cap_error *error)
{
  *out = NULL;
  cap_atlas *atlas = calloc(1, sizeof *atlas);
  if (!atlas) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for the atlas");
  atlas->options = options;
  const char *folder = getenv("TMPDIR");
  int length = snprintf(atlas->scratch, sizeof atlas->scratch, "%s/capstan-atlas-XXXXXX",
                        folder && *folder ? folder : "/tmp");
  if (length >= (int)sizeof atlas->scratch || !mkdtemp(atlas->scratch)) {
    cap_status_fail(error, CAP_ERR_IO, "cannot make the folder '%s': %s", atlas->scratch, strerror(errno));
    free(atlas);
    return CAP_ERR_IO;
  }
  *out = atlas;
  return CAP_OK;
}

static void free_run(made_run *run)
{
  if (!run) return;
  cap_results_read_close(run->file);
  if (run->h5) unlink(run->h5);
  free(run->key);
  free(run->h5);
  free(run);
}

void cap_atlas_free(cap_atlas *atlas)
{
  if (!atlas) return;
  while (atlas->runs) {
    made_run *next = atlas->runs->next;
    free_run(atlas->runs);
    atlas->runs = next;
  }
  rmdir(atlas->scratch);
  free(atlas);
}

/* What makes two runs the same: the model's real path and the settings. */
static char *run_key(const char *model, const cap_texts *settings)
{
  char *real = realpath(model, NULL);
  char *key = real ? real : strdup(model);
  for (int i = 0; key && i < settings->n; i++) {
    char *longer = NULL;
    if (asprintf(&longer, "%s\n%s", key, settings->v[i]) < 0) longer = NULL;
    free(key);
    key = longer;
  }
  return key;
}

static made_run *find_run(const cap_atlas *atlas, const char *key)
{
  for (made_run *run = atlas->runs; run; run = run->next)
    if (strcmp(run->key, key) == 0) return run;
  return NULL;
}

static made_run *add_run(cap_atlas *atlas, const char *key)
{
  made_run *run = calloc(1, sizeof *run);
  if (!run) return NULL;
  run->key = strdup(key);
  if (asprintf(&run->h5, "%s/%d.h5", atlas->scratch, atlas->nrun) < 0) run->h5 = NULL;
  if (!run->key || !run->h5) {
    free_run(run);
    return NULL;
  }
  atlas->nrun++;
  run->next = atlas->runs;
  atlas->runs = run;
  return run;
}

/* Run it unless that was done before. */
static made_run *make_run(cap_atlas *atlas, const char *model, const cap_texts *settings)
{
  char *key = run_key(model, settings);
  made_run *run = key ? find_run(atlas, key) : NULL;
  if (run || !key) {
    free(key);
    return run;
  }
  run = add_run(atlas, key);
  free(key);
  if (!run) return NULL;
  const cap_atlas_options *o = &atlas->options;
  run->status = o->run(o->self, model, settings->n, settings->v, run->h5, &run->error);
  if (run->status == CAP_OK) run->status = cap_results_read_open(run->h5, &run->file, &run->error);
  return run;
}

/* The settings of a run, with those that only a thorough one has. */
static cap_status settings_of(worker *w, const cap_entry_run *run, cap_texts *settings)
{
  *settings = run->settings;
  if (w->atlas->options.quick || run->thorough.n == 0) return CAP_OK;
  int n = run->settings.n + run->thorough.n;
  const char **list = CAP_ARENA_NEW(w->arena, const char *, n);
  if (!list) return CAP_ERR_NOMEM;
  for (int i = 0; i < run->settings.n; i++) list[i] = run->settings.v[i];
  for (int i = 0; i < run->thorough.n; i++) list[run->settings.n + i] = run->thorough.v[i];
  *settings = (cap_texts){.n = n, .v = list};
  return CAP_OK;
}

static cap_status open_run(worker *w, const char *name, cap_results_file **file, cap_error *error)
{
  const cap_entry_run *runs = w->entry->runs.items, *what = NULL;
  for (int i = 0; i < w->entry->runs.n; i++)
    if (strcmp(runs[i].name, name) == 0) what = &runs[i];
  if (!what) return cap_status_fail(error, CAP_ERR_INPUT, "there is no run \"%s\"", name);
  const char *model = what->model[0] == '/'
                          ? what->model
                          : cap_arena_format(w->arena, "%s/%s", w->entry->folder, what->model);
  cap_texts settings;
  cap_status enough = settings_of(w, what, &settings);
  made_run *run = model && enough == CAP_OK ? make_run(w->atlas, model, &settings) : NULL;
  if (!run) return cap_status_fail(error, w->fatal = CAP_ERR_NOMEM, "out of memory for the run \"%s\"", name);
  if (run->status == CAP_STOPPED) w->fatal = CAP_STOPPED;
  if (run->status != CAP_OK)
    return cap_status_fail(error, run->status < 0 ? run->status : CAP_ERR_NUMERICS, "run \"%s\": %s", name,
                           run->error.text[0] ? run->error.text : cap_status_text(run->status));
  *file = run->file;
  return CAP_OK;
}

/* Names in formulas */

static slot *series_named(worker *w, const char *name);

/* 'run/group/dataset' or 'run/group/audit/line'. */
static cap_status resolve_path(worker *w, const char *path, cap_curve *curve, cap_error *error)
{
  char *run = cap_arena_copy_text(w->arena, path);
  if (!run) return cap_status_fail(error, w->fatal = CAP_ERR_NOMEM, "out of memory for a name");
  char *group = strchr(run, '/');
  *group++ = '\0';
  char *dataset = strchr(group, '/');
  if (!dataset) return cap_status_fail(error, CAP_ERR_INPUT, "'%s' should be 'run/group/dataset'", path);
  *dataset++ = '\0';
  cap_results_file *file;
  CAP_TRY(open_run(w, run, &file, error));
  if (strncmp(dataset, "audit/", 6) == 0) return cap_curve_from_audit(file, group, dataset + 6, curve, error);
  return cap_curve_from_results(file, group, dataset, NULL, NULL, w->arena, curve, error);
}

/* Whether `name` begins with the id or the name of a series, then a space or a slash; *rest is that. */
static bool begins_with(const cap_entry_series *s, const char *name, const char **rest)
{
  const char *const labels[2] = {s->name, s->id};
  for (int k = 0; k < 2; k++) {
    *rest = name + strlen(labels[k]);
    if (strncmp(name, labels[k], strlen(labels[k])) == 0 && (**rest == ' ' || **rest == '/')) return true;
  }
  return false;
}

/* A branch of a series, or something of it: 'g1 main', 'g1 main/folds'. False when no series is called so; a
 * path of a run has two slashes. */
static bool find_branch(worker *w, const char *name, cap_curve *curve, cap_status *status)
{
  const cap_entry_series *series = w->entry->series.items;
  const char *slash = strchr(name, '/'), *rest;
  if (slash && strchr(slash + 1, '/')) return false;
  for (int i = 0; i < w->entry->series.n; i++) {
    if (series[i].by != CAP_ENTRY_BRANCH || !begins_with(&series[i], name, &rest)) continue;
    slot *own = series_named(w, series[i].id);
    if (own->progress == READY)
      *status = cap_atlas_branches_named(&own->branches, rest, series[i].y, series[i].x, w->arena, curve,
                                         &w->trouble);
    else *status = cap_status_fail(&w->trouble, own->status, "%s", own->trouble);
    return true;
  }
  return false;
}

static bool find_name(void *self, const char *name, cap_expr_value *value)
{
  worker *w = self;
  slot *known = series_named(w, name);
  if (known && known->progress == READY) {
    if (!w->first && known->curve.value.series) w->first = &known->curve;
    *value = known->curve.value;
    return true;
  }
  if (known) {
    cap_status_fail(&w->trouble, known->status, "%s", known->trouble);
    return false;
  }
  cap_curve *curve = CAP_ARENA_NEW(w->arena, cap_curve, 1);
  cap_status status = CAP_ERR_INPUT;
  if (!curve) return false;
  if (!find_branch(w, name, curve, &status) && strchr(name, '/'))
    status = resolve_path(w, name, curve, &w->trouble);
  if (status != CAP_OK) return false;
  if (!w->first && curve->value.series) w->first = curve;
  *value = curve->value;
  return true;
}

/* Evaluate a formula; the reason why a name has no value is better than "unknown name". */
static cap_status evaluate(worker *w, const char *formula, cap_expr_value *value, cap_error *error)
{
  cap_expr_scope scope = {.find = find_name, .self = w};
  w->trouble = (cap_error){0};
  w->first = NULL;
  cap_status status = cap_expr_eval(formula, &scope, w->arena, value, error);
  if (status != CAP_OK && w->trouble.status != CAP_OK) *error = w->trouble;
  return status;
}

/* Series */

/* The SI unit of a unit's dimension. */
static cap_status si_unit(worker *w, const char *unit, const char **out)
{
  double factor;
  char si[CAP_UNITS_LONGEST], reason[CAP_UNITS_REASON];
  if (cap_units_base(w->units, unit, &factor, si, reason)) *out = cap_arena_copy_text(w->arena, si);
  return *out ? CAP_OK : CAP_ERR_NOMEM;
}

static cap_status compute_formula(worker *w, const cap_entry_series *s, cap_curve *curve, cap_error *error)
{
  cap_expr_value value;
  CAP_TRY(evaluate(w, s->value, &value, error));
  if (!value.series)
    return cap_status_fail(error, CAP_ERR_INPUT, "expected a series, got the number \"%s\"", s->value);
  *curve = (cap_curve){.value = value,
                       .x_name = w->first ? w->first->x_name : "",
                       .x_unit = w->first ? w->first->x_unit : "",
                       .y_name = s->name,
                       .y_unit = ""};
  /* the formula's dimensions are known to its author only: the units that it is shown in tell */
  if (s->x_unit) CAP_TRY(si_unit(w, s->x_unit, &curve->x_unit));
  return s->unit ? si_unit(w, s->unit, &curve->y_unit) : CAP_OK;
}

static cap_status compute_series(worker *w, const cap_entry_series *s, slot *own, cap_error *error)
{
  cap_curve *curve = &own->curve;
  if (s->value) return compute_formula(w, s, curve, error);
  if (s->file) {
    const char *path = s->file[0] == '/' ? s->file
                                         : cap_arena_format(w->arena, "%s/%s", w->entry->folder, s->file);
    if (!path) return w->fatal = CAP_ERR_NOMEM;
    return cap_curve_from_csv(path, s->y, s->x, w->arena, curve, error);
  }
  cap_results_file *file;
  CAP_TRY(open_run(w, s->run, &file, error));
  CAP_TRY(cap_curve_from_results(file, s->group, s->y, s->x, &s->select, w->arena, curve, error));
  if (s->by == CAP_ENTRY_WHOLE) return CAP_OK;
  return cap_atlas_branches_read(file, s->group, w->arena, &own->branches, error);
}

/* Compute series number i unless that was done. A formula that leads back to itself finds it busy. */
static void prepare(worker *w, int i)
{
  const cap_entry_series *s = (const cap_entry_series *)w->entry->series.items + i;
  slot *own = &w->slots[i];
  if (own->progress == READY || own->progress == FAILED) return;
  if (own->progress == BUSY) {
    own->trouble = "a series is defined by itself";
    own->status = CAP_ERR_INPUT;
    return;
  }
  own->progress = BUSY;
  /* formulas nest, and each has its own first series and trouble */
  cap_curve *outer_first = w->first;
  cap_error outer_trouble = w->trouble, error = {0};
  cap_status status = compute_series(w, s, own, &error);
  w->first = outer_first;
  w->trouble = outer_trouble;
  own->progress = status == CAP_OK ? READY : FAILED;
  own->status = error.status;
  if (status == CAP_OK) return;
  own->trouble = cap_arena_format(w->arena, "series \"%s\": %s", s->id, error.text);
  if (!own->trouble) own->trouble = "out of memory";
}

static slot *series_named(worker *w, const char *name)
{
  const cap_entry_series *series = w->entry->series.items;
  for (int i = 0; i < w->entry->series.n; i++) {
    if (strcmp(series[i].id, name) != 0 && strcmp(series[i].name, name) != 0) continue;
    prepare(w, i);
    return &w->slots[i];
  }
  return NULL;
}

/* Values in the unit in which they are shown. */
static cap_status show_in(worker *w, const char *unit, const char *si, int64_t n, const double *values,
                          const double **shown, const char **shown_unit, cap_error *error)
{
  double factor = 1, own = 1;
  char base[CAP_UNITS_LONGEST], reason[CAP_UNITS_REASON];
  *shown = values;
  *shown_unit = unit ? unit : si;
  if (!unit || strcmp(unit, si) == 0) return CAP_OK;
  if (!cap_units_alike(w->units, unit, si) || !cap_units_base(w->units, unit, &factor, base, reason) ||
      !cap_units_base(w->units, si, &own, base, reason))
    return cap_status_fail(error, CAP_ERR_INPUT, "values in \"%s\" cannot be shown in \"%s\"", si, unit);
  double *copy = CAP_ARENA_NEW(w->arena, double, n);
  if (!copy) return cap_status_fail(error, w->fatal = CAP_ERR_NOMEM, "out of memory for a series");
  for (int64_t i = 0; i < n; i++) copy[i] = values[i] * own / factor;
  *shown = copy;
  return CAP_OK;
}

static cap_status show_series(worker *w, const cap_entry_series *s, const cap_curve *curve,
                              cap_atlas_series *out, cap_error *error)
{
  *out = (cap_atlas_series){.name = s->name,
                            .x_name = s->x_name ? s->x_name : curve->x_name,
                            .y_name = s->y_name ? s->y_name : curve->y_name,
                            .n = curve->value.n,
                            .panels = &s->panels};
  if (!curve->value.series)
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "expected a series, got the number \"%s\"; name it in the formula as 'run/group/name'", s->y);
  CAP_TRY(show_in(w, s->x_unit, curve->x_unit, out->n, curve->value.x, &out->x, &out->x_unit, error));
  return show_in(w, s->unit, curve->y_unit, out->n, curve->value.y, &out->y, &out->y_unit, error);
}

/* Special points in the units of the series. */
static cap_status show_special(worker *w, const cap_entry_series *s, const slot *own, const cap_curve *along,
                               cap_atlas_series *out, cap_error *error)
{
  const char *unit;
  for (int k = 0; k < CAP_ATLAS_BRANCHES_KINDS; k++) {
    cap_atlas_points *p = &out->special[k];
    cap_curve points;
    CAP_TRY(cap_atlas_branches_special(&own->branches, out->branch, k, along, w->arena, &points, error));
    p->n = points.value.n;
    CAP_TRY(show_in(w, s->x_unit, along->x_unit, p->n, points.value.x, &p->x, &unit, error));
    CAP_TRY(show_in(w, s->unit, along->y_unit, p->n, points.value.y, &p->y, &unit, error));
  }
  return CAP_OK;
}

/* The columns beside y, each in the unit of y when it has that dimension. */
static cap_status show_beside(worker *w, const cap_entry_series *s, const slot *own, cap_atlas_series *out,
                              cap_error *error)
{
  const char *unit;
  out->beside_names = &s->beside;
  out->beside = CAP_ARENA_NEW(w->arena, const double *, s->beside.n + 1);
  if (!out->beside) return cap_status_fail(error, w->fatal = CAP_ERR_NOMEM, "out of memory for a series");
  for (int k = 0; k < s->beside.n; k++) {
    cap_curve column;
    CAP_TRY(cap_atlas_branches_curve(&own->branches, out->branch, s->y, s->beside.v[k], s->x, w->arena,
                                     &column, error));
    bool alike = s->unit && cap_units_alike(w->units, s->unit, column.y_unit);
    CAP_TRY(show_in(w, alike ? s->unit : NULL, column.y_unit, column.value.n, column.value.y,
                    &out->beside[out->nbeside++], &unit, error));
  }
  return CAP_OK;
}

static cap_status show_branch(worker *w, const cap_entry_series *s, const slot *own, int k,
                              cap_atlas_series *out, cap_error *error)
{
  const cap_atlas_branch *branch = &own->branches.list[k];
  cap_curve along;
  CAP_TRY(cap_atlas_branches_curve(&own->branches, branch, s->y, s->y, s->x, w->arena, &along, error));
  CAP_TRY(show_series(w, s, &along, out, error));
  double *outside = CAP_ARENA_NEW(w->arena, double, branch->n + 1);
  out->name = cap_arena_format(w->arena, "%s %s", s->name, branch->name);
  if (!outside || !out->name)
    return cap_status_fail(error, w->fatal = CAP_ERR_NOMEM, "out of memory for a series");
  for (int64_t i = 0; i < branch->n; i++) outside[i] = own->branches.outside[branch->rows[i]];
  out->branch = branch;
  out->curve = s->name;
  out->outside = outside;
  CAP_TRY(show_special(w, s, own, &along, out, error));
  return show_beside(w, s, own, out, error);
}

static void note_trouble(cap_atlas_outcome *out, cap_status status, const char *text)
{
  if (out->ntrouble++ > 0) return;
  out->trouble_status = status;
  out->trouble = text;
}

/* Room for one more series. */
static cap_atlas_series *next_series(worker *w, cap_atlas_outcome *out)
{
  if (out->nseries == w->room) {
    cap_atlas_series *longer = CAP_ARENA_NEW(w->arena, cap_atlas_series, 2 * w->room + 16);
    if (!longer) return NULL;
    if (out->nseries) memcpy(longer, out->series, (size_t)out->nseries * sizeof *longer);
    out->series = longer;
    w->room = 2 * w->room + 16;
  }
  return &out->series[out->nseries];
}

/* Series number i, or all its branches. */
static void collect_one(worker *w, int i, cap_atlas_outcome *out)
{
  const cap_entry_series *s = (const cap_entry_series *)w->entry->series.items + i;
  const slot *own = &w->slots[i];
  int count = s->by == CAP_ENTRY_BRANCH ? own->branches.n : 1;
  for (int k = 0; k < count; k++) {
    cap_error error = {0};
    cap_atlas_series *shown = next_series(w, out);
    cap_status status = shown ? CAP_OK : cap_status_fail(&error, w->fatal = CAP_ERR_NOMEM, "out of memory");
    if (status == CAP_OK)
      status = s->by == CAP_ENTRY_BRANCH ? show_branch(w, s, own, k, shown, &error)
                                         : show_series(w, s, &own->curve, shown, &error);
    if (status == CAP_OK) {
      out->nseries++;
      continue;
    }
    const char *text = cap_arena_format(w->arena, "series \"%s\": %s", s->id, error.text);
    note_trouble(out, error.status, text ? text : "out of memory");
  }
}

static void collect_series(worker *w, cap_atlas_outcome *out)
{
  for (int i = 0; i < w->entry->series.n && w->fatal == CAP_OK; i++) {
    slot *own = &w->slots[i];
    if (!w->atlas->options.quick) prepare(w, i);
    if (own->progress == FAILED) note_trouble(out, own->status, own->trouble);
    if (own->progress == READY) collect_one(w, i, out);
  }
}

/* Claims */

static void judge(worker *w, const cap_entry_claim *claim, cap_atlas_claim *out)
{
  cap_expr_value value = {0};
  cap_error error = {0};
  char si[CAP_UNITS_LONGEST], reason[CAP_UNITS_REASON];
  double factor = 1;
  *out = (cap_atlas_claim){.claim = claim, .value = NAN};
  cap_status status = evaluate(w, claim->value, &value, &error);
  if (status == CAP_OK && value.series)
    status = cap_status_fail(&error, CAP_ERR_INPUT, "expected a number, got the series \"%s\"", claim->value);
  if (status != CAP_OK) {
    out->status = error.status;
    out->trouble = cap_arena_copy_text(w->arena, error.text);
    if (!out->trouble) out->trouble = "out of memory";
    return;
  }
  cap_units_base(w->units, claim->unit, &factor, si, reason); /* was checked when the entry was read */
  out->value = value.number / factor;
  out->holds = cap_criterion_holds(&claim->criterion, out->value);
  out->changed = out->holds != claim->holds;
}

static void collect_claims(worker *w, cap_atlas_outcome *out)
{
  const cap_entry_claim *claims = w->entry->claims.items;
  for (int i = 0; i < w->entry->claims.n && w->fatal == CAP_OK; i++) {
    if (w->atlas->options.quick && claims[i].tag != CAP_ENTRY_QUICK) continue;
    cap_atlas_claim *own = &out->claims[out->nclaim++];
    judge(w, &claims[i], own);
    if (own->trouble) note_trouble(out, own->status, own->trouble);
    out->nchanged += own->changed;
  }
}

static cap_status run_entry(worker *w, cap_atlas_outcome *out, cap_error *error)
{
  w->slots = CAP_ARENA_NEW(w->arena, slot, w->entry->series.n);
  out->claims = CAP_ARENA_NEW(w->arena, cap_atlas_claim, w->entry->claims.n);
  if (!w->slots || !out->claims)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for \"%s\"", w->entry->id);
  collect_claims(w, out);
  collect_series(w, out);
  if (w->fatal != CAP_OK) cap_status_fail(error, w->fatal, "%s: %s", w->entry->id, cap_status_text(w->fatal));
  return w->fatal;
}

cap_status cap_atlas_run(cap_atlas *atlas, const cap_entry *entry, cap_atlas_outcome **outcome,
                         cap_error *error)
{
  *outcome = NULL;
  double start = cap_clock_wall();
  cap_atlas_outcome *out = calloc(1, sizeof *out);
  cap_units *units = cap_units_create();
  cap_status status = CAP_ERR_NOMEM;
  if (out && units) {
    out->entry = entry;
    worker w = {.atlas = atlas, .entry = entry, .arena = &out->arena, .units = units};
    status = run_entry(&w, out, error);
  } else {
    cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for \"%s\"", entry->id);
  }
  cap_units_free(units);
  if (status != CAP_OK) {
    cap_atlas_free_outcome(out);
    return status;
  }
  out->wall_s = cap_clock_wall() - start;
  *outcome = out;
  return CAP_OK;
}

void cap_atlas_free_outcome(cap_atlas_outcome *outcome)
{
  if (!outcome) return;
  cap_arena arena = outcome->arena;
  cap_arena_free(&arena);
  free(outcome);
}

/* The list */

/* fig9 before fig11 */
static int compare_names(const void *a, const void *b)
{
  return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

static bool holds_entry(cap_arena *arena, const char *folder, const char *name)
{
  const char *path = cap_arena_format(arena, "%s/%s/entry.yaml", folder, name);
  return name[0] != '.' && path && access(path, F_OK) == 0;
}

cap_status cap_atlas_list(const char *folder, cap_arena *arena, int *n, const char ***ids, cap_error *error)
{
  *n = 0;
  int room = 64;
  DIR *dir = opendir(folder);
  if (!dir)
    return cap_status_fail(error, CAP_ERR_IO, "cannot read the folder '%s': %s", folder, strerror(errno));
  const char **list = CAP_ARENA_NEW(arena, const char *, room);
  for (struct dirent *item = readdir(dir); list && item; item = readdir(dir)) {
    if (!holds_entry(arena, folder, item->d_name)) continue;
    if (*n == room) {
      const char **longer = CAP_ARENA_NEW(arena, const char *, 2 * room);
      if (longer) memcpy(longer, list, (size_t)room * sizeof *list);
      room *= 2;
      list = longer;
    }
    if (list && !(list[(*n)++] = cap_arena_copy_text(arena, item->d_name))) list = NULL;
  }
  closedir(dir);
  if (!list) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for the list of the atlas");
  qsort(list, (size_t)*n, sizeof *list, compare_names);
  *ids = list;
  return CAP_OK;
}
