/* io/execute.c — see execute.h. */
#include "io/execute.h"
#include "analysis/layout.h"
#include "analysis/observe/audit.h"
#include "analysis/observe/channels.h"
#include "base/clock.h"
#include "base/units.h"
#include "io/bind.h"
#include "io/feed_file.h"
#include "io/model_parse.h"
#include "io/recall.h"
#include "io/results.h"
#include "io/tree_path.h"
#include "model/builder.h"
#include "model/data.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES_MOST = 512 }; /* files with other settings, kept as long as their models may be there */

static cap_status build_lane(const cap_model_file *file, cap_builder *builder, int lane, cap_error *error)
{
  cap_builder_lane(builder, lane);
  return file->drive->build(file->spec, builder, error);
}

static cap_status build_like(const cap_model_file *file, const cap_model *like, cap_model **model,
                             cap_error *error)
{
  *model = NULL;
  cap_builder *builder = cap_builder_create(1);
  if (!builder) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_builder_set_like(builder, like);
  cap_builder_set_description(builder, file->described);
  cap_status status = build_lane(file, builder, 0, error);
  if (status == CAP_OK) status = cap_builder_finish(builder, model, error);
  cap_builder_free(builder);
  return status;
}

cap_status cap_execute_build(const cap_model_file *file, cap_model **model, cap_error *error)
{
  return build_like(file, NULL, model, error);
}

static bool locate(void *self, const char *path, int *line, int *column)
{
  const char *origin = NULL;
  return self && cap_tree_path_locate(self, path, line, column, &origin) && !origin;
}

static const char *written(void *self, const char *path)
{
  return cap_tree_path_written(self, path);
}

static const void *spec_of(const cap_model_file *file, int k)
{
  return (const char *)file->analyses.items + (size_t)k * cap_registry_largest_spec();
}

const void *cap_execute_analysis(const cap_model_file *file, const char *name, int k)
{
  for (int j = 0; j < file->analyses.n; j++) {
    const void *spec = spec_of(file, j);
    if (strcmp(cap_registry_analyses[*(const int *)spec]->name, name) == 0 && k-- == 0) return spec;
  }
  return NULL;
}

/* Every value of a sweep must leave the drive's keys in order among themselves; the first that does not is
 * told at the sweep. */
static void check_sweep(const cap_model_file *file, const cap_sweep *sweep, const char *path, cap_diag *diag)
{
  double *place = NULL;
  if (!sweep->path || !cap_fields_locate(file->drive->fields, file->spec, sweep->path, &place)) return;
  cap_diag *own = calloc(1, sizeof *own);
  double kept = *place;
  cap_description description = {0};
  for (int k = 0; own && k < sweep->values.n && own->nerror == 0; k++) {
    *place = sweep->values.v[k];
    cap_model_parse_check(file->drive, file->spec, &description, own);
    cap_arena_free(&description.arena);
    if (own->nerror)
      cap_diag_at(diag, path, "with %s = %.6g %s, %s: %s", sweep->path, sweep->values.v[k],
                  sweep->target->unit, own->items[0].path, own->items[0].text);
  }
  *place = kept;
  if (own) cap_diag_free(own);
  free(own);
}

static void check_sweeps(const cap_model_file *file, const cap_analysis *analysis, const void *spec,
                         const char *path, cap_diag *diag)
{
  if (!file->drive->check) return;
  for (cap_fields_walk w = cap_fields_first(analysis->fields); w.field; cap_fields_next(&w)) {
    const cap_field *field = w.field;
    char key[192];
    if (field->kind != CAP_FIELD_SWEEP) continue;
    snprintf(key, sizeof key, "%s.%s", path, field->key);
    check_sweep(file, (const cap_sweep *)(const void *)((const char *)spec + field->offset), key, diag);
  }
}

/* The file read again with these settings after its own; findings are told at `path`, or in `error`. */
static cap_status read_with(const cap_model_file *file, int nsetting, const char *const *settings,
                            cap_model_file **other, const char *path, cap_diag *diag, cap_error *error)
{
  *other = NULL;
  size_t n = (size_t)file->nsetting + (size_t)nsetting;
  const char **all = calloc(n + 1, sizeof *all);
  cap_diag *own = calloc(1, sizeof *own);
  cap_status status = CAP_OK;
  if (!all || !own) status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; all && k < file->nsetting; k++) all[k] = file->settings[k];
  for (int k = 0; all && k < nsetting; k++) all[file->nsetting + k] = settings[k];
  if (status == CAP_OK) {
    status = cap_model_file_parse(file->path, file->source, strlen(file->source), (int)n, all, other, own);
    if (status != CAP_OK) {
      const char *text = own->nitem ? own->items[0].text : "cannot be read", *at = NULL;
      if (own->nitem) at = own->items[0].path ? own->items[0].path : own->items[0].file;
      if (diag) cap_diag_at(diag, path, "%s%s%s", at ? at : "", at ? ": " : "", text);
      cap_status_fail(error, status, "%s%s%s", at ? at : "", at ? ": " : "", text);
    }
    cap_diag_free(own);
  }
  free(own);
  free(all);
  return status;
}

/* Each of its sets of settings, as if given on the command line. */
static void check_settings(const cap_model_file *file, const cap_analysis *analysis, const void *spec,
                           const char *path, cap_diag *diag)
{
  const cap_texts *set;
  char key[64], at[256];
  for (int k = 0; analysis->settings && (set = analysis->settings(spec, k, key, sizeof key)); k++) {
    cap_model_file *other = NULL;
    snprintf(at, sizeof at, "%s.%s", path, key);
    read_with(file, set->n, set->v, &other, at, diag, NULL);
    cap_model_file_free(other);
  }
}

/* Findings are the file's; only a lack of memory is not, and is told by the status. */
static cap_status check_model(const cap_model_file *file, const cap_model *model, cap_diag *diag)
{
  cap_error error;
  cap_channels channels;
  double time = model->t0;
  for (int k = 0; k < file->analyses.n; k++) {
    const cap_analysis *analysis = cap_registry_analyses[*(const int *)spec_of(file, k)];
    char path[128];
    const double start = time;
    snprintf(path, sizeof path, "analyses[%d].%s", k, analysis->name);
    if (model->nv == 0 && !analysis->still)
      cap_diag_at(diag, path, "nothing moves in the drive %s; expected an analysis without time",
                  file->drive->name);
    else if (cap_registry_obstacle(analysis, model))
      cap_diag_at(diag, path, "%s", cap_registry_obstacle(analysis, model));
    else if (analysis->check) analysis->check(model, spec_of(file, k), &time, path, diag);
    if (analysis->check_rows && time > start)
      analysis->check_rows(spec_of(file, k), &file->outputs, start, time, path, diag);
    check_sweeps(file, analysis, spec_of(file, k), path, diag);
    check_settings(file, analysis, spec_of(file, k), path, diag);
  }
  cap_status status = cap_channels_select(&channels, model, &file->outputs.channels, &error);
  if (status != CAP_OK) cap_diag_at(diag, "outputs.channels", "%s", error.text);
  cap_channels_free(&channels);
  return status == CAP_ERR_NOMEM ? status : CAP_OK;
}

/* Findings about what came from the command line name the setting instead of the file. */
static void name_settings(const cap_model_file *file, cap_diag *diag, int first)
{
  for (int k = first; k < diag->nitem; k++) {
    cap_diag_item *item = &diag->items[k];
    const char *origin = NULL;
    int line, column;
    if (!item->path || !cap_tree_path_locate(file->tree, item->path, &line, &column, &origin) || !origin)
      continue;
    char *setting = cap_arena_copy_text(&diag->arena, origin);
    if (!setting) continue;
    item->file = setting;
    if (cap_bind_told(origin, item->path)) item->path = NULL;
  }
}

/* A build that failed at a key is a finding there. */
static void tell_build(const cap_model_file *file, const cap_error *error, cap_diag *diag)
{
  char path[sizeof error->text];
  int first = diag->nitem;
  snprintf(path, sizeof path, "%.*s", error->key, error->text);
  diag->locate = locate;
  diag->locate_self = (void *)file->tree;
  cap_diag_at(diag, path, "%s", error->text + error->key + strlen(": "));
  diag->locate = NULL;
  diag->locate_self = NULL;
  name_settings(file, diag, first);
}

static cap_status check_built(const cap_model_file *file, const cap_model *model, cap_diag *diag)
{
  int first = diag->nitem;
  diag->locate = locate;
  diag->written = written;
  diag->locate_self = (void *)file->tree;
  cap_status status = check_model(file, model, diag);
  diag->locate = NULL; /* the tree may be freed before the diag */
  diag->written = NULL;
  diag->locate_self = NULL;
  name_settings(file, diag, first);
  return status == CAP_OK && diag->nerror ? CAP_ERR_INPUT : status;
}

cap_status cap_execute_check(const cap_model_file *file, cap_model **model, cap_diag *diag, cap_error *error)
{
  cap_model *built = NULL;
  if (model) *model = NULL;
  cap_status status = cap_execute_build(file, &built, error);
  if (status != CAP_OK) {
    if (error && error->key) tell_build(file, error, diag);
    return status;
  }
  status = check_built(file, built, diag);
  if (status == CAP_OK && model) *model = built;
  else cap_model_free(built);
  return status;
}

/* The same with the first finding as an error. */
static cap_status check_alone(const cap_model_file *file, const cap_model *model, cap_error *error)
{
  cap_diag *diag = calloc(1, sizeof *diag);
  if (!diag) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_diag_init(diag, file->path);
  cap_status status = check_built(file, model, diag);
  for (int k = diag->nitem - 1; status != CAP_OK && k >= 0; k--) {
    const cap_diag_item *item = &diag->items[k];
    const char *at = item->path ? item->path : item->file;
    if (!item->warning) cap_status_fail(error, status, "%s%s%s", at ? at : "", at ? ": " : "", item->text);
  }
  cap_diag_free(diag);
  free(diag);
  return status;
}

/* The drive's struct is changed while a model is made, one thread at a time. */
struct cap_execute_workshop {
  cap_model_file *file;
  pthread_mutex_t lock;
  int nother;
  cap_model_file *others[CASES_MOST];
};

/* Set the parameters in the drive's own struct, build each lane, and put them back. */
static cap_status rebuild_alone(cap_model_file *file, const cap_model *like, int nparameter,
                                const char *const *paths, int nlane, const double *values, cap_model **model,
                                cap_error *error)
{
  enum { MOST = 32 };
  double *place[MOST], kept[MOST];
  if (nparameter > MOST)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "expected at most 32 parameters at once");
  for (int p = 0; p < nparameter; p++) {
    if (!cap_fields_locate(file->drive->fields, file->spec, paths[p], &place[p]))
      return cap_status_fail(error, CAP_ERR_INPUT, "%s: expected a parameter of this model", paths[p]);
    kept[p] = *place[p];
  }
  cap_builder *builder = cap_builder_create(nlane);
  cap_status status = builder ? CAP_OK : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (builder) cap_builder_set_like(builder, like);
  for (int l = 0; status == CAP_OK && l < nlane; l++) {
    for (int p = 0; p < nparameter; p++) *place[p] = values[p * nlane + l];
    status = build_lane(file, builder, l, error);
  }
  for (int p = 0; p < nparameter; p++) *place[p] = kept[p];
  if (status == CAP_OK) status = cap_builder_finish(builder, model, error);
  cap_builder_free(builder);
  return status;
}

/* Whoever stops the run stops what is computed of the model, too. */
static void listen(const cap_run *run, cap_model *model)
{
  if (model) model->progress = run->progress;
}

static cap_status rebuild(cap_run *run, int nparameter, const char *const *paths, int nlane,
                          const double *values, cap_model **model)
{
  cap_execute_workshop *shop = run->rebuild_self;
  *model = NULL;
  pthread_mutex_lock(&shop->lock);
  cap_status status = rebuild_alone(shop->file, run->like, nparameter, paths, nlane, values, model,
                                    run->error);
  listen(run, *model);
  pthread_mutex_unlock(&shop->lock);
  return status;
}

/* The struct of an analysis in another reading of the same file. */
static const void *theirs_of(const cap_model_file *file, const cap_model_file *other, const void *own)
{
  for (int k = 0; k < file->analyses.n && k < other->analyses.n; k++)
    if (spec_of(file, k) == own && *(const int *)own == *(const int *)spec_of(other, k))
      return spec_of(other, k);
  return own;
}

static cap_status rebuild_set(cap_run *run, int nsetting, const char *const *settings, const void *own,
                              const void **theirs, cap_model **model)
{
  cap_execute_workshop *shop = run->rebuild_self;
  cap_model_file *other = NULL;
  *model = NULL;
  pthread_mutex_lock(&shop->lock);
  cap_status status = shop->nother < CASES_MOST
                          ? CAP_OK
                          : cap_status_fail(run->error, CAP_ERR_UNSUPPORTED,
                                            "expected at most %d sets of settings", CASES_MOST);
  if (status == CAP_OK) status = read_with(shop->file, nsetting, settings, &other, NULL, NULL, run->error);
  if (status == CAP_OK) {
    shop->others[shop->nother++] = other;
    if (own) *theirs = theirs_of(shop->file, other, own);
    status = build_like(other, run->like, model, run->error);
    listen(run, *model);
  }
  pthread_mutex_unlock(&shop->lock);
  return status;
}

static cap_status recall(cap_run *run, const char *path, const char *group, const char *prefer, int narray,
                         const char *const *names, double **values, int64_t *counts)
{
  const cap_execute_workshop *shop = run->rebuild_self;
  return cap_recall_arrays(shop->file->path, path, group, prefer, narray, names, values, counts, run->error);
}

cap_execute_workshop *cap_execute_workshop_create(cap_model_file *file, cap_run *run)
{
  cap_execute_workshop *shop = calloc(1, sizeof *shop);
  if (!shop) return NULL;
  shop->file = file;
  pthread_mutex_init(&shop->lock, NULL);
  run->outputs = &file->outputs;
  run->seed = file->seed;
  run->rebuild = rebuild;
  run->rebuild_set = rebuild_set;
  run->recall = recall;
  run->rebuild_self = shop;
  return shop;
}

void cap_execute_workshop_free(cap_execute_workshop *shop)
{
  if (!shop) return;
  for (int k = 0; k < shop->nother; k++) cap_model_file_free(shop->others[k]);
  pthread_mutex_destroy(&shop->lock);
  free(shop);
}

/* Its first finding is the error. */
static cap_status feed_alone(cap_model_file *file, const cap_model *model, const cap_execute_options *options,
                             cap_error *error)
{
  if (!options->nfeed) return CAP_OK;
  cap_diag *diag = calloc(1, sizeof *diag);
  if (!diag) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_diag_init(diag, file->path);
  cap_status status = cap_feed_file_read(file, model, options->nfeed, options->feeds, diag);
  for (int k = diag->nitem - 1; status != CAP_OK && k >= 0; k--) {
    const cap_diag_item *item = &diag->items[k];
    if (!item->warning)
      cap_status_fail(error, status, "%s:%d:%d: %s", item->file, item->line, item->column, item->text);
  }
  cap_diag_free(diag);
  free(diag);
  return status;
}

static void tell_stage(const cap_execute_options *options, const cap_results *results,
                       const cap_analysis *analysis, bool ended, cap_status status)
{
  const cap_execute_stage stage = {analysis->name, ended, status, cap_results_contents(results)};
  if (options->stage) options->stage(options->stage_self, &stage);
}

/* Which inputs stay as they are in an analysis that does not follow them. */
static void tell_frozen(const cap_run *run, const cap_analysis *analysis)
{
  const cap_model *m = run->model;
  for (int k = 0; k < m->ninput && !analysis->follows; k++) {
    char start[64];
    cap_units_format(start, sizeof start, m->inputs[k].start, m->inputs[k].unit);
    cap_progress_note(run->progress, "%s: the input \"%s\" stays at its start, %s", analysis->name,
                      m->inputs[k].name, start);
  }
}

static cap_status run_analyses(cap_run *run, const cap_model_file *file, const cap_results *results,
                               const cap_execute_options *options)
{
  CAP_TRY(cap_layout_put(run));
  for (int k = 0; k < file->analyses.n; k++) {
    const void *spec = spec_of(file, k);
    const cap_analysis *analysis = cap_registry_analyses[*(const int *)spec];
    tell_stage(options, results, analysis, false, CAP_OK);
    tell_frozen(run, analysis);
    cap_status status = analysis->run(run, spec);
    if (status > 0 && status != CAP_STOPPED) status = CAP_ERR_NUMERICS; /* no one is left to retry */
    tell_stage(options, results, analysis, true, status);
    CAP_TRY(status);
  }
  return CAP_OK;
}

/* A result whose energy balance does not close is no result (analysis/observe/audit.h), whether it was
 * computed now or before the run was resumed. */
static cap_status judge_balances(const cap_results *results, cap_error *error)
{
  static const char unusable[] = "unusable: ";
  const cap_results_tree *tree = cap_results_contents(results);
  for (int k = 0; k < tree->ngroup; k++) {
    const char *mark = cap_results_tree_text(tree->groups[k], CAP_AUDIT_MARK);
    if (strncmp(mark, unusable, strlen(unusable)) == 0)
      return cap_status_fail(
          error, CAP_ERR_NUMERICS,
          "%s: the energy balance does not close: %s; use a smaller step or tolerance, or keep "
          "the results all the same by \"outputs.balance: ignore\"",
          tree->groups[k]->name, mark + strlen(unusable));
  }
  return CAP_OK;
}

/* The end of a run that has an epilogue. Where a computation failed, its file must stand all the same. */
static cap_status finish_with(cap_run *run, cap_results *results, const cap_execute_options *options,
                              cap_status status)
{
  cap_error first = *run->error;
  bool told = status == CAP_OK || status == CAP_ERR_NUMERICS || status == CAP_ERR_INPUT ||
              status == CAP_ERR_UNSUPPORTED;
  cap_status finished = CAP_OK;
  if (told) {
    cap_execute_outcome outcome = {run->model, run->data, results, status, status ? first.text : ""};
    cap_results_leave(results);
    finished = options->epilogue(options->epilogue_self, &outcome, run->error);
    if (finished == CAP_OK) finished = cap_results_finish(results, status == CAP_OK);
  } else if (status == CAP_STOPPED) {
    finished = options->brief ? cap_results_pause(results) : cap_results_finish(results, false);
  }
  if (finished != CAP_OK) return finished;
  if (status != CAP_OK) *run->error = first;
  return status;
}

/* The shorter of both limits, s; 0 = there is none. */
static double time_limit_of(const cap_model_file *file, const cap_execute_options *options)
{
  double own = file->time_limit, given = options->time_limit;
  return own > 0.0 && given > 0.0 ? fmin(own, given) : fmax(own, given);
}

static cap_progress progress_of(const cap_execute_options *options, double limit,
                                volatile sig_atomic_t *heard)
{
  cap_progress progress = options->progress ? *options->progress : (cap_progress){0};
  progress.heard = heard;
  if (limit > 0.0) progress.deadline = cap_clock_wall() + limit;
  return progress;
}

/* What fails after it was asked to stop may fail for that reason alone. */
static cap_status hear(cap_status status, cap_error *error)
{
  bool numerics = status > 0 || status == CAP_ERR_NUMERICS || status == CAP_ERR_INPUT ||
                  status == CAP_ERR_UNSUPPORTED;
  return numerics && status != CAP_STOPPED ? cap_status_fail(error, CAP_STOPPED, "interrupted") : status;
}

/* A run that took too long is interrupted as by hand, and can be resumed; for whoever runs many of them
 * (there is an epilogue) it has failed. */
static cap_status tell_limit(const cap_progress *progress, double limit, bool one_of_many, cap_status status,
                             cap_error *error)
{
  bool asked = progress->stop && cap_progress_signal(progress->stop);
  if (status != CAP_STOPPED || asked || !cap_progress_late(progress)) return status;
  cap_error where = *error;
  return cap_status_fail(error, one_of_many ? CAP_ERR_NUMERICS : CAP_STOPPED, "time limit of %g s: %.900s",
                         limit, where.text[0] ? where.text : "interrupted");
}

static cap_status run_into(cap_model_file *file, cap_model *model, cap_data *data, cap_results *results,
                           const cap_execute_options *options, cap_error *error)
{
  const double limit = time_limit_of(file, options);
  volatile sig_atomic_t own = 0, *heard = options->progress ? options->progress->heard : NULL;
  if (!heard) heard = &own;
  cap_progress_raise(heard, 0);
  const cap_progress progress = progress_of(options, limit, heard);
  cap_run run = {.model = model,
                 .data = data,
                 .sink = cap_results_sink(results),
                 .progress = &progress,
                 .error = error,
                 .threads = options->threads,
                 .feed = file->feed};
  cap_execute_workshop *shop = cap_execute_workshop_create(file, &run);
  if (!shop) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  listen(&run, model);
  cap_results_listen(results, heard);
  cap_status status = run_analyses(&run, file, results, options);
  cap_results_listen(results, NULL);
  model->progress = NULL; /* of the caller, as the model may be */
  if (cap_progress_signal(heard)) status = hear(status, error);
  status = tell_limit(&progress, limit, options->epilogue != NULL, status, error);
  bool complete = status == CAP_OK;
  if (complete) status = judge_balances(results, error);
  cap_execute_workshop_free(shop);
  if (options->epilogue) return finish_with(&run, results, options, status);
  if (options->complete) *options->complete = complete;
  cap_error first = *error; /* what went wrong in the computation is the news, not what follows from it */
  bool stays = status == CAP_STOPPED && options->brief;
  cap_status finished = stays ? cap_results_pause(results) : cap_results_finish(results, complete);
  if (status != CAP_OK) *error = first;
  return status != CAP_OK ? status : finished;
}

static void tell_machine(const cap_execute_options *options, const cap_results *results)
{
  const cap_results_meta *meta = &cap_results_contents(results)->meta;
  if (cap_results_elsewhere(results))
    cap_progress_note(
        options->progress,
        "resumed on another kind of machine (%s; %s; %s): the last digits may be others than those of a "
        "run without interruption",
        meta->processor, meta->blas, meta->libm);
}

cap_status cap_execute_file(cap_model_file *file, const char *output, const cap_execute_options *options,
                            char *where, size_t size, cap_error *error)
{
  cap_model *model = options->model;
  cap_data *data = NULL;
  cap_results *results = NULL;
  cap_results_meta meta = {.drive = file->drive->name,
                           .name = file->name,
                           .model = file->source,
                           .title = file->title,
                           .nsetting = file->nsetting,
                           .settings = file->settings,
                           .seed = file->seed};
  if (where && size) where[0] = 0;
  if (options->memory) *options->memory = -1;
  cap_status status = model ? CAP_OK : cap_execute_build(file, &model, error);
  if (status == CAP_OK && !(data = cap_data_create(model)))
    status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK && !file->feed) status = feed_alone(file, model, options, error);
  meta.fed_by = file->fed_by;
  if (status == CAP_OK && options->check) status = check_alone(file, model, error);
  if (status == CAP_OK && options->nstart)
    status = cap_data_start_at(model, data, options->nstart, options->start, error);
  if (options->refused) *options->refused = status != CAP_OK && status != CAP_ERR_NOMEM;
  if (status == CAP_OK)
    status = cap_results_create(output, &meta,
                                (cap_results_options){.resume = options->resume,
                                                      .brief = options->brief,
                                                      .durable = options->durable,
                                                      .tag = options->tag},
                                &results, error);
  if (status == CAP_OK) {
    tell_machine(options, results);
    status = run_into(file, model, data, results, options, error);
    const char *path = cap_results_where(results);
    if (where && path) snprintf(where, size, "%s", path);
    if (options->memory) *options->memory = cap_results_take(results);
  }
  cap_results_free(results);
  cap_data_free(data);
  cap_model_free(model);
  return status;
}
