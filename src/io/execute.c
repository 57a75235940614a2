/* io/execute.c — see execute.h. */
#include "io/execute.h"
#include "analysis/channels.h"
#include "analysis/layout.h"
#include "io/bind.h"
#include "io/results.h"
#include "io/tree_path.h"
#include "model/builder.h"
#include "model/data.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cap_status build_lane(const cap_model_file *file, cap_builder *builder, int lane, cap_error *error)
{
  cap_builder_lane(builder, lane);
  return file->drive->build(file->spec, builder, error);
}

cap_status cap_execute_build(const cap_model_file *file, cap_model **model, cap_error *error)
{
  *model = NULL;
  cap_builder *builder = cap_builder_create(1);
  if (!builder) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = build_lane(file, builder, 0, error);
  if (status == CAP_OK) status = cap_builder_finish(builder, model, error);
  cap_builder_free(builder);
  return status;
}

static bool locate(void *self, const char *path, int *line, int *column)
{
  const char *origin = NULL;
  return self && cap_tree_path_locate(self, path, line, column, &origin) && !origin;
}

static const void *spec_of(const cap_model_file *file, int k)
{
  return (const char *)file->analyses.items + (size_t)k * cap_registry_largest_spec();
}

/* Every value of a sweep must leave the drive's keys in order among themselves; the first that does not is
 * told at the sweep. */
static void check_sweep(const cap_model_file *file, const cap_sweep *sweep, const char *path, cap_diag *diag)
{
  double *place = NULL;
  if (!sweep->path || !cap_fields_locate(file->drive->fields, file->spec, sweep->path, &place)) return;
  cap_diag *own = calloc(1, sizeof *own);
  double kept = *place;
  for (int k = 0; own && k < sweep->values.n && own->nerror == 0; k++) {
    *place = sweep->values.v[k];
    file->drive->check(file->spec, own);
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
  for (const cap_field *field = analysis->fields; field && field->key; field++) {
    char key[192];
    if (field->kind != CAP_FIELD_SWEEP) continue;
    snprintf(key, sizeof key, "%s.%s", path, field->key);
    check_sweep(file, (const cap_sweep *)(const void *)((const char *)spec + field->offset), key, diag);
  }
}

static void check_model(const cap_model_file *file, const cap_model *model, cap_diag *diag)
{
  cap_error error;
  cap_channels channels;
  double time = model->t0;
  for (int k = 0; k < file->analyses.n; k++) {
    const cap_analysis *analysis = cap_registry_analyses[*(const int *)spec_of(file, k)];
    char path[128];
    snprintf(path, sizeof path, "analyses[%d].%s", k, analysis->name);
    if (model->nv == 0 && !analysis->still)
      cap_diag_at(diag, path, "there is nothing that moves in the drive %s", file->drive->name);
    else if (model->ncontact && !analysis->contacts)
      cap_diag_at(diag, path, "cannot compute a system with %s",
                  model->nset ? "set-valued contacts; use transient"
                              : "contacts; use transient or convergence");
    else if (analysis->check) analysis->check(model, spec_of(file, k), &time, path, diag);
    check_sweeps(file, analysis, spec_of(file, k), path, diag);
  }
  if (cap_channels_select(&channels, model, &file->outputs.channels, &error) != CAP_OK)
    cap_diag_at(diag, "outputs.channels", "%s", error.text);
  cap_channels_free(&channels);
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

cap_status cap_execute_check(const cap_model_file *file, cap_diag *diag, cap_error *error)
{
  cap_model *model = NULL;
  int first = diag->nitem;
  CAP_TRY(cap_execute_build(file, &model, error));
  diag->locate = locate;
  diag->locate_self = (void *)file->tree;
  check_model(file, model, diag);
  diag->locate = NULL; /* the tree may be freed before the diag */
  diag->locate_self = NULL;
  name_settings(file, diag, first);
  cap_model_free(model);
  return diag->nerror ? CAP_ERR_INPUT : CAP_OK;
}

/* What a rebuild needs: the drive's struct is changed while a model is made, one thread at a time. */
typedef struct workshop {
  cap_model_file *file;
  pthread_mutex_t lock;
} workshop;

/* Set the parameters in the drive's own struct, build each lane, and put them back. */
static cap_status rebuild_alone(cap_model_file *file, int nparameter, const char *const *paths, int nlane,
                                const double *values, cap_model **model, cap_error *error)
{
  enum { MOST = 32 };
  double *place[MOST], kept[MOST];
  if (nparameter > MOST)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "more than 32 parameters at once");
  for (int p = 0; p < nparameter; p++) {
    if (!cap_fields_locate(file->drive->fields, file->spec, paths[p], &place[p]))
      return cap_status_fail(error, CAP_ERR_INPUT, "%s: this model has no such parameter", paths[p]);
    kept[p] = *place[p];
  }
  cap_builder *builder = cap_builder_create(nlane);
  cap_status status = builder ? CAP_OK : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int l = 0; status == CAP_OK && l < nlane; l++) {
    for (int p = 0; p < nparameter; p++) *place[p] = values[p * nlane + l];
    status = build_lane(file, builder, l, error);
  }
  for (int p = 0; p < nparameter; p++) *place[p] = kept[p];
  if (status == CAP_OK) status = cap_builder_finish(builder, model, error);
  cap_builder_free(builder);
  return status;
}

static cap_status rebuild(cap_run *run, int nparameter, const char *const *paths, int nlane,
                          const double *values, cap_model **model)
{
  workshop *shop = run->rebuild_self;
  *model = NULL;
  pthread_mutex_lock(&shop->lock);
  cap_status status = rebuild_alone(shop->file, nparameter, paths, nlane, values, model, run->error);
  pthread_mutex_unlock(&shop->lock);
  return status;
}

static cap_status run_analyses(cap_run *run, const cap_model_file *file)
{
  CAP_TRY(cap_layout_put(run));
  for (int k = 0; k < file->analyses.n; k++) {
    const void *spec = spec_of(file, k);
    const cap_analysis *analysis = cap_registry_analyses[*(const int *)spec];
    cap_status status = analysis->run(run, spec);
    if (status > 0 && status != CAP_STOPPED) status = CAP_ERR_NUMERICS; /* no one is left to retry */
    CAP_TRY(status);
  }
  return CAP_OK;
}

static cap_status run_into(cap_model_file *file, cap_model *model, cap_data *data, cap_results *results,
                           const cap_execute_options *options, cap_error *error)
{
  workshop shop = {file, PTHREAD_MUTEX_INITIALIZER};
  cap_run run = {.model = model,
                 .data = data,
                 .outputs = &file->outputs,
                 .sink = cap_results_sink(results),
                 .progress = options->progress,
                 .error = error,
                 .threads = options->threads,
                 .seed = file->seed,
                 .rebuild = rebuild,
                 .rebuild_self = &shop};
  cap_status status = run_analyses(&run, file);
  cap_error first = *error; /* what went wrong in the computation is the news, not what follows from it */
  cap_status finished = cap_results_finish(results, status == CAP_OK);
  if (status != CAP_OK) *error = first;
  return status != CAP_OK ? status : finished;
}

cap_status cap_execute_file(cap_model_file *file, const char *output, const cap_execute_options *options,
                            char *where, size_t size, cap_error *error)
{
  cap_model *model = NULL;
  cap_data *data = NULL;
  cap_results *results = NULL;
  cap_results_meta meta = {.drive = file->drive->name,
                           .name = file->name,
                           .model = file->source,
                           .nsetting = file->nsetting,
                           .settings = file->settings,
                           .seed = file->seed};
  if (where && size) where[0] = 0;
  cap_status status = cap_execute_build(file, &model, error);
  if (status == CAP_OK && !(data = cap_data_create(model)))
    status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK)
    status = cap_results_create(output, &meta, (cap_results_options){.resume = options->resume}, &results,
                                error);
  if (status == CAP_OK) {
    status = run_into(file, model, data, results, options, error);
    const char *path = cap_results_where(results);
    if (where && path) snprintf(where, size, "%s", path);
  }
  cap_results_free(results);
  cap_data_free(data);
  cap_model_free(model);
  return status;
}
