/* study/study_case.c — see study_case.h. */
#include "study/study_case.h"
#include "analysis/observe/audit.h"
#include "base/hash.h"
#include "base/whole.h"
#include "io/execute.h"
#include "io/results.h"
#include "io/results_read.h"
#include "model/data.h"
#include "study/reduce.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A state that runs start from, with memory of its own. */
typedef struct kept_state {
  char *path; /* of the case whose end it is; NULL: of none */
  int nview;  /* 0: the model's own start */
  cap_view views[CAP_DATA_NVIEW];
} kept_state;

struct cap_study_case_memory {
  kept_state end;
};

static cap_status no_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for a case of a study");
}

/* ---- states -------------------------------------------------------------------------------------------- */

static void state_free(kept_state *s)
{
  for (int k = 0; k < s->nview; k++) free(s->views[k].values);
  free(s->path);
  *s = (kept_state){0};
}

/* A copy of views whose names are texts of the program. */
static cap_status state_copy(kept_state *s, const char *path, int nview, const cap_view *views,
                             cap_error *error)
{
  state_free(s);
  s->path = strdup(path);
  if (!s->path) return no_memory(error);
  for (int k = 0; k < nview; k++) {
    s->views[k] = views[k];
    s->views[k].values = malloc((size_t)views[k].count * 8 + 8);
    if (!s->views[k].values) return no_memory(error);
    s->nview = k + 1;
    if (views[k].count) memcpy(s->views[k].values, views[k].values, (size_t)views[k].count * 8);
  }
  return CAP_OK;
}

cap_study_case_memory *cap_study_case_memory_create(void)
{
  return calloc(1, sizeof(cap_study_case_memory));
}

void cap_study_case_memory_free(cap_study_case_memory *memory)
{
  if (!memory) return;
  state_free(&memory->end);
  free(memory);
}

/* ---- what a case is ------------------------------------------------------------------------------------ */

/* One case, or values of an optimiser. */
typedef struct what {
  const cap_study *study;
  int64_t k; /* -1: of an optimiser */
  const double *values;
  int nsetting;
  const char *const *settings;
  char *path;
  char fingerprint[CAP_HASH_TEXT];
  cap_arena arena;
} what;

bool cap_study_case_path(const cap_study *study, const char *folder, int64_t k, char *path, size_t size)
{
  int digits = 5;
  for (int64_t most = 100000; study->ncase >= most && digits < 18; most *= 10) digits++;
  int n = snprintf(path, size, "%s/runs/%0*lld.h5", folder, digits, (long long)k + 1);
  return n > 0 && (size_t)n < size;
}

static void what_free(what *w)
{
  cap_arena_free(&w->arena);
}

static cap_status what_case(what *w, const cap_study *study, const char *folder, int64_t k, cap_error *error)
{
  size_t size = strlen(folder) + 64;
  *w = (what){.study = study, .k = k, .values = study->values + k * study->nfactor};
  w->path = cap_arena_alloc(&w->arena, size);
  w->settings = cap_study_settings(study, k, &w->nsetting, &w->arena);
  cap_hash_format(study->fingerprint, w->fingerprint);
  if (!w->path || !w->settings) return no_memory(error);
  cap_study_case_path(study, folder, k, w->path, size);
  return CAP_OK;
}

static cap_status what_values(what *w, const cap_study *study, const char *path, const double *values,
                              int64_t seed, cap_error *error)
{
  *w = (what){.study = study, .k = -1, .values = values};
  w->path = cap_arena_copy_text(&w->arena, path);
  w->settings = cap_study_settings_at(study, values, seed, &w->nsetting, &w->arena);
  cap_hash_format(study->fingerprint, w->fingerprint);
  return w->path && w->settings ? CAP_OK : no_memory(error);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static const cap_results_dataset *item(const cap_results_group *g, const char *name, cap_results_role role)
{
  const cap_results_dataset *d = cap_results_tree_dataset(g, name);
  return d && d->role == role ? d : NULL;
}

static double number_of(const cap_results_group *g, const char *name)
{
  const cap_results_dataset *d = item(g, name, CAP_RESULTS_NUMBER);
  return d ? d->number : NAN;
}

static const char *text_of(const cap_results_group *g, const char *name)
{
  const cap_results_dataset *d = item(g, name, CAP_RESULTS_TEXT);
  return d ? d->text : "";
}

/* Refuse what this study did not write here. */
static cap_status check_own(const what *w, const cap_results_tree *tree, const cap_results_group *g,
                            cap_error *error)
{
  const cap_results_meta *m = &tree->meta;
  if (strcmp(text_of(g, "fingerprint"), w->fingerprint) != 0)
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "%s: is of another study, or of this one before a change; expected a case of this study", w->path);
  bool same = m->nsetting == w->nsetting;
  for (int k = 0; same && k < w->nsetting; k++) same = strcmp(m->settings[k], w->settings[k]) == 0;
  if (!same || number_of(g, "case") != (double)(w->k + 1))
    return cap_status_fail(error, CAP_ERR_INPUT, "%s: expected this case of the study, got another one",
                           w->path);
  return CAP_OK;
}

/* The file of a case, when there is one that is finished: else *file = NULL. */
static cap_status open_case(const what *w, cap_results_file **file, const cap_results_group **group,
                            cap_error *error)
{
  *file = NULL;
  *group = NULL;
  if (access(w->path, F_OK) != 0) {
    if (errno == ENOENT) return CAP_OK;
    return cap_status_fail(error, CAP_ERR_IO, "cannot read '%s': %s", w->path, strerror(errno));
  }
  CAP_TRY(cap_results_read_group(w->path, "case", file, error));
  const cap_results_tree *tree = cap_results_read_tree(*file);
  const cap_results_group *g = cap_results_tree_group(tree, "case");
  cap_status status = !g ? cap_status_fail(error, CAP_ERR_INPUT,
                                           "%s: expected a case of a study, got another result", w->path)
                         : check_own(w, tree, g, error);
  if (status == CAP_OK) {
    *group = g;
    return CAP_OK;
  }
  cap_results_read_close(*file);
  *file = NULL;
  return status;
}

/* As much of it as there is room for, whole letters only. */
static void copy_reason(const char *text, char reason[CAP_STUDY_CASE_REASON])
{
  size_t n = strlen(text), most = CAP_STUDY_CASE_REASON - 1;
  if (n > most)
    for (n = most; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;) n--;
  memcpy(reason, text, n);
  reason[n] = 0;
}

static uint64_t machine_of(const cap_results_tree *tree)
{
  cap_hash hash;
  const cap_results_meta *meta = &tree->meta;
  if (!*meta->processor) return 0;
  cap_hash_init(&hash, 0);
#define CAP_STUDY_CASE_MACHINE(member, attribute) cap_hash_add(&hash, meta->member, strlen(meta->member) + 1);
  CAP_RESULTS_META_MACHINE(CAP_STUDY_CASE_MACHINE)
#undef CAP_STUDY_CASE_MACHINE
  return cap_hash_value(&hash);
}

static void fill_row(const cap_study *study, const cap_results_file *file, const cap_results_group *g,
                     cap_study_case_row *row)
{
  char name[300];
  row->machine = machine_of(cap_results_read_tree(file));
  row->state = number_of(g, "state") == CAP_STUDY_FINE ? CAP_STUDY_FINE : CAP_STUDY_FAILED;
  row->steps = number_of(g, "steps");
  row->iterations = number_of(g, "iterations");
  copy_reason(text_of(g, "reason"), row->reason);
  for (int k = 0; k < study->nresponse; k++) {
    snprintf(name, sizeof name, "response.%s", study->responses[k].name);
    row->responses[k] = number_of(g, name);
  }
}

static cap_status read_row(what *w, cap_study_case_row *row, cap_error *error)
{
  cap_results_file *file = NULL;
  const cap_results_group *g = NULL;
  *row = (cap_study_case_row){
      .state = CAP_STUDY_MISSING, .steps = NAN, .iterations = NAN, .responses = row->responses};
  for (int k = 0; k < w->study->nresponse; k++) row->responses[k] = NAN;
  CAP_TRY(open_case(w, &file, &g, error));
  if (g) fill_row(w->study, file, g, row);
  cap_results_read_close(file);
  return CAP_OK;
}

cap_status cap_study_case_read(const cap_study *study, const char *folder, int64_t k, cap_study_case_row *row,
                               cap_error *error)
{
  what w;
  cap_status status = what_case(&w, study, folder, k, error);
  if (status == CAP_OK) status = read_row(&w, row, error);
  what_free(&w);
  return status;
}

cap_status cap_study_case_read_at(const cap_study *study, const char *path, const double *values,
                                  int64_t seed, cap_study_case_row *row, cap_error *error)
{
  what w;
  cap_status status = what_values(&w, study, path, values, seed, error);
  if (status == CAP_OK) status = read_row(&w, row, error);
  what_free(&w);
  return status;
}

cap_status cap_study_case_units(const cap_study *study, const char *folder, int64_t k, cap_arena *arena,
                                const char **units, cap_error *error)
{
  what w;
  cap_results_file *file = NULL;
  const cap_results_group *g = NULL;
  cap_status status = what_case(&w, study, folder, k, error);
  if (status == CAP_OK) status = open_case(&w, &file, &g, error);
  for (int i = 0; status == CAP_OK && i < study->nresponse; i++) {
    char name[300];
    snprintf(name, sizeof name, "response.%s", study->responses[i].name);
    const cap_results_dataset *d = g ? item(g, name, CAP_RESULTS_NUMBER) : NULL;
    const char *known = study->responses[i].unit ? study->responses[i].unit : "";
    units[i] = cap_arena_copy_text(arena, d ? d->unit : known);
    if (!units[i]) status = no_memory(error);
  }
  cap_results_read_close(file);
  what_free(&w);
  return status;
}

/* ---- where a case starts ------------------------------------------------------------------------------- */

static const int64_t WHOLE_MOST = (int64_t)1 << 53; /* of a double */

/* Doubles of the file to a view of the state; whole numbers there are small, so that nothing is lost. */
static cap_status read_view(cap_results_file *file, const cap_results_group *g, const cap_results_dataset *d,
                            cap_view *view, cap_error *error)
{
  double *values = NULL;
  CAP_TRY(cap_results_read_all(file, g, d, &values, &view->count, error));
  view->values = values;
  for (int64_t k = 0; view->integer && k < view->count; k++) {
    int64_t whole = capm_whole_wide(values[k], -WHOLE_MOST, WHOLE_MOST);
    memcpy(&values[k], &whole, sizeof whole);
  }
  return CAP_OK;
}

/* Fields of the state by name; their sizes do not matter here. */
static int field_names(cap_view views[CAP_DATA_NVIEW])
{
  cap_model empty = {0};
  cap_data none = {0};
  return cap_data_start_views(&empty, &none, views);
}

static cap_status read_state(cap_results_file *file, const cap_results_group *g, const char *path,
                             kept_state *s, cap_error *error)
{
  cap_view views[CAP_DATA_NVIEW];
  int n = field_names(views);
  state_free(s);
  s->path = strdup(path);
  if (!s->path) return no_memory(error);
  for (int k = 0; k < n; k++) {
    char name[64];
    snprintf(name, sizeof name, "end.%s", views[k].name);
    const cap_results_dataset *d = item(g, name, CAP_RESULTS_ARRAY);
    if (!d) continue;
    s->views[s->nview] = views[k];
    CAP_TRY(read_view(file, g, d, &s->views[s->nview], error));
    s->nview++;
  }
  return CAP_OK;
}

/* The end of case `before`, in memory or from its file. */
static cap_status find_start(const cap_study *study, const char *folder, int64_t before, cap_durable *durable,
                             kept_state *memory, cap_error *error)
{
  what w;
  cap_results_file *file = NULL;
  const cap_results_group *g = NULL;
  cap_status status = what_case(&w, study, folder, before, error);
  bool known = status == CAP_OK && memory->path && strcmp(memory->path, w.path) == 0;
  if (status == CAP_OK && !known && durable)
    status = cap_durable_wait(durable, error); /* it may be on its way */
  if (status == CAP_OK && !known) status = open_case(&w, &file, &g, error);
  if (status == CAP_OK && !known && !g)
    status = cap_status_fail(error, CAP_ERR_INPUT,
                             "%s: missing; expected the result from whose end the next case starts", w.path);
  if (status == CAP_OK && g) status = read_state(file, g, w.path, memory, error);
  cap_results_read_close(file);
  what_free(&w);
  return status;
}

/* ---- the group `case` ---------------------------------------------------------------------------------- */

typedef struct epilogue {
  const what *w;
  const kept_state *start; /* NULL: the model's own */
  kept_state *end;         /* gets the state at the end */
  cap_study_case_row *row; /* may be NULL */
  bool written;
} epilogue;

static cap_status put_number(cap_sink *sink, const char *name, const char *unit, const char *meaning,
                             double v)
{
  return sink->number(sink, (cap_column){name, unit, meaning}, v);
}

static cap_status put_response(cap_sink *sink, const cap_study_response *r, const char *unit, double v)
{
  char name[300];
  snprintf(name, sizeof name, "response.%s", r->name);
  return put_number(sink, name, unit, r->doc ? r->doc : "", v);
}

static cap_status put_view(cap_sink *sink, const cap_view *view)
{
  char name[64];
  double *values = malloc((size_t)view->count * 8 + 8);
  if (!values) return no_memory(sink->error);
  for (int64_t k = 0; k < view->count; k++)
    values[k] = view->integer ? (double)((const int64_t *)view->values)[k]
                              : ((const double *)view->values)[k];
  snprintf(name, sizeof name, "end.%s", view->name);
  cap_status status = sink->array(sink, (cap_column){name, view->unit, view->meaning}, 1, &view->count, NULL,
                                  values);
  free(values);
  return status;
}

typedef struct verdict {
  cap_study_state state;
  double steps, iterations;
  const char *reason;
  const double *values;
  const char *const *units;
  const kept_state *end; /* NULL: none is wanted */
} verdict;

/* What a reader of the file will find. */
static void keep_row(const cap_study *study, const verdict *v, cap_study_case_row *row)
{
  row->state = v->state;
  row->steps = v->steps;
  row->iterations = v->iterations;
  copy_reason(v->reason, row->reason);
  memcpy(row->responses, v->values, (size_t)study->nresponse * sizeof *row->responses);
}

static cap_status put_case(cap_sink *sink, const what *w, const verdict *v)
{
  char title[64] = "point of an optimisation";
  if (w->k >= 0) snprintf(title, sizeof title, "case %lld of a study", (long long)w->k + 1);
  CAP_TRY(sink->open(sink, "case", "case", title));
  CAP_TRY(put_number(sink, "case", "1", "number of the case, from 1", (double)(w->k + 1)));
  CAP_TRY(put_number(sink, "state", "1", "0: computed, 1: failed", v->state));
  CAP_TRY(put_number(sink, "steps", "1", "number of time steps", v->steps));
  CAP_TRY(put_number(sink, "iterations", "1", "number of iterations of all solvers", v->iterations));
  for (int k = 0; k < w->study->nresponse; k++)
    CAP_TRY(put_response(sink, &w->study->responses[k], v->units[k], v->values[k]));
  CAP_TRY(sink->text(sink, "reason", v->reason));
  CAP_TRY(sink->text(sink, "fingerprint", w->fingerprint));
  for (int k = 0; v->end && k < v->end->nview; k++) CAP_TRY(put_view(sink, &v->end->views[k]));
  return sink->close(sink);
}

static cap_status peek(void *self, const cap_results_group *group, const cap_results_dataset *dataset,
                       double *values, cap_error *error)
{
  return cap_results_peek(self, group, dataset, values, error);
}

/* Of all groups: a number of that name. */
static double sum_numbers(const cap_results_tree *tree, const char *name)
{
  double sum = 0.0;
  for (int k = 0; k < tree->ngroup; k++) {
    const cap_results_dataset *d = item(tree->groups[k], name, CAP_RESULTS_NUMBER);
    if (d && strcmp(tree->groups[k]->kind, "case") != 0 && isfinite(d->number)) sum += d->number;
  }
  return sum;
}

/* A case that failed hands on the state that it started from. */
static cap_status pass_on(const what *w, const kept_state *start, kept_state *end, cap_error *error)
{
  if (start != end) return state_copy(end, w->path, start->nview, start->views, error);
  free(end->path);
  end->path = strdup(w->path);
  return end->path ? CAP_OK : no_memory(error);
}

static cap_status keep_end(const epilogue *e, const cap_execute_outcome *o, cap_error *error)
{
  cap_view views[CAP_DATA_NVIEW];
  if (o->status != CAP_OK) return pass_on(e->w, e->start, e->end, error);
  int n = cap_data_start_views(o->model, o->data, views);
  return state_copy(e->end, e->w->path, n, views, error);
}

/* What is to be said of a case whose energy balance is open; "" = nothing. */
static const char *open_balance(const cap_results_tree *tree, cap_arena *arena)
{
  for (int k = 0; k < tree->ngroup; k++) {
    const char *mark = cap_results_tree_text(tree->groups[k], CAP_AUDIT_MARK);
    const char *text = *mark ? cap_arena_format(arena, "%s: energy balance %s", tree->groups[k]->name, mark)
                             : "";
    if (text && *text) return text;
  }
  return "";
}

static cap_status conclude(void *self, const cap_execute_outcome *o, cap_error *error)
{
  epilogue *e = self;
  const cap_study *study = e->w->study;
  const cap_results_tree *tree = cap_results_contents(o->results);
  cap_arena arena = {0};
  cap_error why = {0};
  verdict v = {.state = o->status == CAP_OK ? CAP_STUDY_FINE : CAP_STUDY_FAILED, .reason = o->reason};
  cap_reduce_outcome out = {.values = CAP_ARENA_NEW(&arena, double, study->nresponse + 1),
                            .units = CAP_ARENA_NEW(&arena, const char *, study->nresponse + 1)};
  cap_reduce_source source = {tree, cap_results_count, peek, o->results};
  cap_status status = out.values && out.units ? CAP_OK : no_memory(error);
  for (int k = 0; status == CAP_OK && k < study->nresponse; k++) {
    out.values[k] = NAN;
    out.units[k] = study->responses[k].unit ? study->responses[k].unit : "";
  }
  if (status == CAP_OK && o->status == CAP_OK) {
    cap_status reduced = cap_reduce_responses(study, e->w->values, &source, &arena, &out, &why);
    v.reason = reduced != CAP_OK ? why.text : out.note[0] ? out.note : open_balance(tree, &arena);
    if (reduced == CAP_ERR_IO || reduced == CAP_ERR_NOMEM)
      status = cap_status_fail(error, reduced, "%s", why.text);
    else if (reduced != CAP_OK) v.state = CAP_STUDY_FAILED;
  }
  v.values = out.values;
  v.units = out.units;
  v.steps = fmax((double)o->data->steps[CAP_STEPS_STEPS], sum_numbers(tree, "steps"));
  v.iterations = fmax((double)o->data->steps[CAP_STEPS_ITERATIONS], sum_numbers(tree, "iterations"));
  if (status == CAP_OK && e->end) status = keep_end(e, o, error);
  v.end = e->end;
  if (status == CAP_OK) status = put_case(cap_results_sink(o->results), e->w, &v);
  e->written = status == CAP_OK;
  if (status == CAP_OK && e->row) keep_row(study, &v, e->row);
  if (e->row) e->row->machine = machine_of(tree);
  cap_arena_free(&arena);
  return status;
}

/* ---- the run ------------------------------------------------------------------------------------------- */

/* A case whose model cannot be made: a file with nothing but its reason. */
static cap_status refuse(const what *w, const cap_study_case_options *options, const char *reason,
                         const kept_state *start, kept_state *end, cap_error *error)
{
  const cap_study *study = w->study;
  cap_results *results = NULL;
  cap_arena arena = {0};
  cap_results_meta meta = {
      .name = study->name, .model = study->model_text, .nsetting = w->nsetting, .settings = w->settings};
  double *values = CAP_ARENA_NEW(&arena, double, study->nresponse + 1);
  const char **units = CAP_ARENA_NEW(&arena, const char *, study->nresponse + 1);
  cap_status status = values && units ? CAP_OK : no_memory(error);
  for (int k = 0; status == CAP_OK && k < study->nresponse; k++) {
    values[k] = NAN;
    units[k] = study->responses[k].unit ? study->responses[k].unit : "";
  }
  verdict v = {.state = CAP_STUDY_FAILED, .reason = reason, .values = values, .units = units, .end = start};
  if (status == CAP_OK && options->row) {
    keep_row(study, &v, options->row);
    options->row->machine = 0; /* nothing was computed */
  }
  if (status == CAP_OK)
    status = cap_results_create(
        w->path, &meta, (cap_results_options){.brief = true, .durable = options->durable, .tag = w->k},
        &results, error);
  if (status == CAP_OK) status = put_case(cap_results_sink(results), w, &v);
  if (status == CAP_OK) status = cap_results_finish(results, false);
  if (status == CAP_OK && end) status = pass_on(w, start, end, error);
  cap_results_free(results);
  cap_arena_free(&arena);
  return status;
}

/* No films, unless a setting asks for them. */
static void drop_film(cap_model_file *file)
{
  for (int k = 0; k < file->nsetting; k++)
    if (strncmp(file->settings[k], "outputs.animation_frames", 24) == 0 ||
        strncmp(file->settings[k], "outputs=", 8) == 0)
      return;
  file->outputs.film = 0;
  file->outputs.film_given = true;
}

/* Into `diag`, whose memory the file refers to when it is asked about settings. */
static cap_status parse(const what *w, cap_model_file **file, cap_diag *diag, cap_error *error)
{
  const cap_study *s = w->study;
  cap_status status = cap_model_file_parse(s->model_path, s->model_text, strlen(s->model_text), w->nsetting,
                                           w->settings, file, diag);
  if (status != CAP_OK) {
    int k = 0;
    while (k < diag->nitem - 1 && diag->items[k].warning) k++;
    const cap_diag_item *found = k < diag->nitem ? &diag->items[k] : NULL;
    const char *at = !found ? NULL : found->path ? found->path : found->file;
    cap_status_fail(error, status, "%s%s%s", at ? at : "", at ? ": " : "",
                    found ? found->text : "the model cannot be read");
  }
  return status;
}

/* Into the file of `w`, which is not there. */
static cap_status compute(const what *w, const cap_study_case_options *options, const kept_state *start,
                          kept_state *end, cap_error *error)
{
  cap_model_file *file = NULL;
  epilogue e = {.w = w, .start = start, .end = end, .row = options->row};
  bool refused = false;
  cap_error why = {0};
  cap_execute_options execute = {.resume = options->resume,
                                 .threads = 1,
                                 .progress = options->progress,
                                 .time_limit = w->study->case_time_limit,
                                 .nfeed = w->study->nfeed,
                                 .feeds = w->study->feeds,
                                 .nstart = start ? start->nview : 0,
                                 .start = start ? start->views : NULL,
                                 .check = true,
                                 .brief = true,
                                 .durable = options->durable,
                                 .tag = w->k,
                                 .epilogue = conclude,
                                 .epilogue_self = &e,
                                 .refused = &refused};
  cap_diag *diag = calloc(1, sizeof *diag);
  if (!diag) return no_memory(error);
  cap_status status = parse(w, &file, diag, &why);
  if (status == CAP_OK) {
    drop_film(file);
    status = cap_execute_file(file, w->path, &execute, NULL, 0, &why);
  } else {
    refused = true;
  }
  cap_model_file_free(file);
  cap_diag_free(diag);
  free(diag);
  bool failed = status == CAP_ERR_INPUT || status == CAP_ERR_UNSUPPORTED || status == CAP_ERR_NUMERICS;
  if (failed && refused) status = refuse(w, options, why.text, start, end, error);
  else if (failed && e.written) status = CAP_OK;
  else if (status != CAP_OK) *error = why;
  return status;
}

/* A file of this case that is there already is as good as a new one. */
static cap_status run(what *w, const cap_study_case_options *options, const kept_state *start,
                      kept_state *end, cap_error *error)
{
  cap_results_file *file = NULL;
  const cap_results_group *g = NULL;
  CAP_TRY(open_case(w, &file, &g, error));
  if (g && options->row) fill_row(w->study, file, g, options->row);
  cap_results_read_close(file);
  return g ? CAP_OK : compute(w, options, start, end, error);
}

cap_status cap_study_case_run(const cap_study *study, const char *folder, int64_t k, int64_t before,
                              const cap_study_case_options *options, cap_error *error)
{
  what w;
  kept_state own = {0}, *state = options->memory ? &options->memory->end : &own;
  cap_status status = what_case(&w, study, folder, k, error);
  if (status == CAP_OK && before >= 0)
    status = find_start(study, folder, before, options->durable, state, error);
  else state_free(state);
  bool chained = study->along >= 0;
  if (status == CAP_OK) status = run(&w, options, chained ? state : NULL, chained ? state : NULL, error);
  if (status != CAP_OK) state_free(state);
  state_free(&own);
  what_free(&w);
  return status;
}

cap_status cap_study_case_run_at(const cap_study *study, const char *path, const double *values, int64_t seed,
                                 const cap_study_case_options *options, cap_error *error)
{
  what w;
  cap_status status = what_values(&w, study, path, values, seed, error);
  if (status == CAP_OK) status = run(&w, options, NULL, NULL, error);
  what_free(&w);
  return status;
}
