/* study/collect.c — see collect.h. */
#include "study/collect.h"
#include "io/results.h"
#include "study/pool.h"
#include "study/study_analysis.h"
#include "study/study_folder.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 256 };

static cap_status no_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for what comes of the cases");
}

cap_status cap_collect_create(cap_collect *collect, const cap_study *study, cap_error *error)
{
  size_t n = (size_t)study->ncase, m = (size_t)study->nresponse;
  *collect = (cap_collect){.study = study};
  collect->size = n * (m + 3) * sizeof(double) + n * CAP_STUDY_CASE_REASON + 2 * n;
  collect->shared = cap_pool_share(collect->size);
  if (!collect->shared) return no_memory(error);
  double *numbers = collect->shared;
  collect->steps = numbers;
  collect->iterations = numbers + n;
  collect->table = (cap_study_table){.ncase = study->ncase,
                                     .nfactor = study->nfactor,
                                     .nresponse = study->nresponse,
                                     .factors = study->values,
                                     .responses = numbers + 2 * n};
  collect->machines = (uint64_t *)(numbers + n * (m + 2));
  collect->reasons = (char(*)[CAP_STUDY_CASE_REASON])(collect->machines + n);
  collect->table.states = (unsigned char *)(collect->reasons + n);
  collect->said = collect->table.states + n;
  memset(collect->table.states, CAP_STUDY_MISSING, n);
  for (size_t i = 0; i < n * m; i++) collect->table.responses[i] = NAN;
  return CAP_OK;
}

void cap_collect_free(cap_collect *collect)
{
  cap_pool_unshare(collect->shared, collect->size);
  *collect = (cap_collect){0};
}

static _Atomic unsigned char *state_of(const cap_collect *collect, int64_t k)
{
  return (_Atomic unsigned char *)&collect->table.states[k];
}

cap_study_state cap_collect_state(const cap_collect *collect, int64_t k)
{
  return (cap_study_state)atomic_load(state_of(collect, k));
}

bool cap_collect_put(cap_collect *collect, int64_t k, const cap_study_case_row *row)
{
  int m = collect->table.nresponse;
  double *responses = collect->table.responses + k * m;
  if (cap_collect_state(collect, k) != CAP_STUDY_MISSING) return false;
  for (int i = 0; i < m; i++) /* one NaN, whatever its bits were */
    responses[i] = isnan(row->responses[i]) ? NAN : row->responses[i];
  collect->steps[k] = row->steps;
  collect->iterations[k] = row->iterations;
  collect->machines[k] = row->machine;
  if (row->reason[0]) {
    snprintf(collect->reasons[k], CAP_STUDY_CASE_REASON, "%s", row->reason);
    collect->said[k] = 1;
  }
  atomic_store(state_of(collect, k), (unsigned char)row->state); /* last: who sees it sees the row */
  return true;
}

int64_t cap_collect_count(const cap_collect *collect, cap_study_state state)
{
  int64_t n = 0;
  for (int64_t k = 0; k < collect->table.ncase; k++) n += cap_collect_state(collect, k) == state;
  return n;
}

int cap_collect_machines(const cap_collect *collect)
{
  enum { MOST = 64 };
  uint64_t kinds[MOST];
  int n = 0;
  for (int64_t k = 0; k < collect->table.ncase; k++) {
    int i = 0;
    if (cap_collect_state(collect, k) == CAP_STUDY_MISSING || !collect->machines[k]) continue;
    while (i < n && kinds[i] != collect->machines[k]) i++;
    if (i == n && n < MOST) kinds[n++] = collect->machines[k];
  }
  return n;
}

/* The file */

typedef struct writer {
  const cap_collect *collect;
  const cap_study *study;
  const char *folder;
  cap_sink *sink;
  cap_error *error;
  cap_arena arena;
  const char **units; /* [nresponse] */
} writer;

/* Units of the responses: what the study file says, else what the first case that is fine has. */
static cap_status find_units(writer *w)
{
  const cap_study *s = w->study;
  w->units = CAP_ARENA_NEW(&w->arena, const char *, s->nresponse + 1);
  if (!w->units) return no_memory(w->error);
  bool unknown = false;
  for (int i = 0; i < s->nresponse; i++) {
    w->units[i] = "";
    if (!s->responses[i].unit) unknown = true;
  }
  for (int64_t k = 0; k < s->ncase && unknown; k++) {
    if (cap_collect_state(w->collect, k) != CAP_STUDY_FINE) continue;
    CAP_TRY(cap_study_case_units(s, w->folder, k, &w->arena, w->units, w->error));
    break;
  }
  for (int i = 0; i < s->nresponse; i++)
    if (s->responses[i].unit) w->units[i] = s->responses[i].unit;
  return CAP_OK;
}

/* A pure number, as in all results. */
static const char *unit_or_one(const char *unit)
{
  return unit && unit[0] ? unit : "1";
}

static const char *factor_words(const cap_study_factor *f)
{
  if (f->doc && f->doc[0]) return f->doc;
  if (f->npath) return f->paths[0];
  return f->formula ? f->formula : "";
}

static const char *response_words(const cap_study_response *r)
{
  if (r->doc && r->doc[0]) return r->doc;
  if (r->expression) return r->expression;
  return r->channel ? r->channel : "";
}

static bool has_seeds(const cap_study *s)
{
  return s->replicates > 1;
}

static cap_status put_columns(writer *w, int *ncolumn)
{
  const cap_study *s = w->study;
  int n = 0, most = s->nfactor + s->nresponse + 5;
  cap_column *columns = CAP_ARENA_NEW(&w->arena, cap_column, most);
  if (!columns) return no_memory(w->error);
  columns[n++] = (cap_column){"case", "1", "number of the case"};
  for (int i = 0; i < s->nfactor; i++)
    columns[n++] = (cap_column){cap_arena_format(&w->arena, "factor.%s", s->factors[i].name),
                                unit_or_one(s->factors[i].unit), factor_words(&s->factors[i])};
  for (int i = 0; i < s->nresponse; i++)
    columns[n++] = (cap_column){cap_arena_format(&w->arena, "response.%s", s->responses[i].name),
                                unit_or_one(w->units[i]), response_words(&s->responses[i])};
  columns[n++] = (cap_column){"status", "1", "0 fine, 1 failed, 2 missing"};
  columns[n++] = (cap_column){"steps", "1", "number of time steps"};
  columns[n++] = (cap_column){"iterations", "1", "number of solver iterations"};
  if (has_seeds(s)) columns[n++] = (cap_column){"seed", "1", "seed of the model's random numbers"};
  for (int i = 0; i < n; i++)
    if (!columns[i].name) return no_memory(w->error);
  *ncolumn = n;
  return w->sink->columns(w->sink, n, columns);
}

static void fill_row(const writer *w, int64_t k, double *row)
{
  const cap_study *s = w->study;
  const cap_study_table *t = &w->collect->table;
  bool missing = cap_collect_state(w->collect, k) == CAP_STUDY_MISSING;
  int n = 0;
  row[n++] = (double)(k + 1);
  for (int i = 0; i < s->nfactor; i++) row[n++] = s->values[k * s->nfactor + i];
  for (int i = 0; i < s->nresponse; i++) row[n++] = t->responses[k * s->nresponse + i];
  row[n++] = (double)cap_collect_state(w->collect, k);
  row[n++] = missing ? NAN : w->collect->steps[k];
  row[n++] = missing ? NAN : w->collect->iterations[k];
  if (has_seeds(s)) row[n++] = (double)s->model_seed + cap_study_replicate(s, k);
}

static cap_status put_rows(writer *w, int ncolumn)
{
  double *rows = cap_arena_array(&w->arena, (size_t)ncolumn * ROWS_AT_ONCE, sizeof *rows);
  cap_status status = rows ? CAP_OK : no_memory(w->error);
  int64_t n = w->study->ncase;
  for (int64_t k = 0; k < n && status == CAP_OK; k += ROWS_AT_ONCE) {
    int nrow = n - k < ROWS_AT_ONCE ? (int)(n - k) : ROWS_AT_ONCE;
    for (int i = 0; i < nrow; i++) fill_row(w, k + i, rows + (size_t)i * (size_t)ncolumn);
    status = w->sink->rows(w->sink, nrow, rows);
  }
  return status;
}

/* Texts that grow with the cases are made by one stream each, never by appending to a text. */

static void print_runs(const writer *w, FILE *to)
{
  char path[64];
  for (int64_t k = 0; k < w->study->ncase; k++)
    if (cap_study_case_path(w->study, ".", k, path, sizeof path)) fprintf(to, "%s\n", path + 2);
}

static void print_reasons(const writer *w, FILE *to)
{
  for (int64_t k = 0; k < w->study->ncase; k++) {
    if (cap_collect_state(w->collect, k) == CAP_STUDY_MISSING || !w->collect->said[k]) continue;
    fprintf(to, "%lld: ", (long long)k + 1);
    for (const char *c = w->collect->reasons[k]; *c; c++) fputc(*c == '\n' ? ' ' : *c, to);
    fputc('\n', to);
  }
}

static const char *number(char *text, size_t size, double value, const char *unit)
{
  snprintf(text, size, "%.6g%s%s", value, unit[0] ? " " : "", unit);
  return text;
}

static void print_law(const cap_study_factor *f, FILE *to)
{
  static const char *const names[] = {
      [CAP_STUDY_LISTED] = "values",           [CAP_STUDY_UNIFORM] = "uniform",
      [CAP_STUDY_LOG_UNIFORM] = "log-uniform", [CAP_STUDY_NORMAL] = "normal",
      [CAP_STUDY_LOG_NORMAL] = "log-normal",   [CAP_STUDY_TRIANGULAR] = "triangular",
      [CAP_STUDY_FORMULA] = "formula"};
  char a[64], b[64];
  if (f->law == CAP_STUDY_FORMULA) {
    fprintf(to, "= %s", f->formula ? f->formula : "");
    return;
  }
  if (f->nlevel) {
    for (int i = 0; i < f->nlevel; i++) fprintf(to, "%s%s", i ? ", " : "levels ", f->labels[i]);
    return;
  }
  if (f->law == CAP_STUDY_LISTED) fprintf(to, "%d values", f->nvalue);
  else fputs(names[f->law], to);
  if (f->law == CAP_STUDY_NORMAL || f->law == CAP_STUDY_LOG_NORMAL)
    fprintf(to, ", mean %s, deviation %s", number(a, sizeof a, f->mean, f->unit),
            number(b, sizeof b, f->deviation, f->unit));
  if (f->law == CAP_STUDY_TRIANGULAR) fprintf(to, ", mode %s", number(a, sizeof a, f->mean, f->unit));
  if (isfinite(f->low)) fprintf(to, ", from %s", number(a, sizeof a, f->low, f->unit));
  if (isfinite(f->high))
    fprintf(to, "%s to %s", isfinite(f->low) ? "" : ", up", number(a, sizeof a, f->high, f->unit));
}

static void print_factors(const writer *w, FILE *to)
{
  for (int i = 0; i < w->study->nfactor; i++) {
    const cap_study_factor *f = &w->study->factors[i];
    fprintf(to, "%s: ", f->name);
    print_law(f, to);
    for (int p = 0; p < f->npath; p++) fprintf(to, "%s%s", p ? ", " : "; sets ", f->paths[p]);
    fputc('\n', to);
  }
}

static void print_responses(const writer *w, FILE *to)
{
  static const char *const names[] = {[CAP_STUDY_VALUE] = "value",
                                      [CAP_STUDY_MEAN] = "mean",
                                      [CAP_STUDY_RMS] = "rms",
                                      [CAP_STUDY_AMPLITUDE] = "amplitude",
                                      [CAP_STUDY_PEAK] = "peak",
                                      [CAP_STUDY_MAX] = "largest value",
                                      [CAP_STUDY_MIN] = "smallest value",
                                      [CAP_STUDY_RANGE] = "range",
                                      [CAP_STUDY_FIRST] = "first value",
                                      [CAP_STUDY_LAST] = "last value",
                                      [CAP_STUDY_SETTLED] = "settled value",
                                      [CAP_STUDY_STATIONARY] = "stationary mean",
                                      [CAP_STUDY_EXPRESSION] = "expression"};
  static const char *const goals[] = {"", "; minimise", "; maximise"};
  for (int i = 0; i < w->study->nresponse; i++) {
    const cap_study_response *r = &w->study->responses[i];
    fprintf(to, "%s: ", r->name);
    if (r->reduction == CAP_STUDY_EXPRESSION) fprintf(to, "= %s", r->expression ? r->expression : "");
    else fprintf(to, "%s of %s", names[r->reduction], r->channel ? r->channel : "");
    if (r->group) fprintf(to, " in %s", r->group);
    if (isfinite(r->from)) fprintf(to, " from %.6g", r->from);
    if (isfinite(r->to)) fprintf(to, " to %.6g", r->to);
    fprintf(to, "%s\n", goals[r->goal]);
  }
}

static cap_status put_text(writer *w, const char *name, void (*print)(const writer *w, FILE *to))
{
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return no_memory(w->error);
  print(w, stream);
  bool broken = ferror(stream);
  if (fclose(stream) != 0) broken = true;
  cap_status status = broken || !text ? no_memory(w->error) : w->sink->text(w->sink, name, text);
  free(text);
  return status;
}

static cap_status put_levels(writer *w)
{
  const cap_study *s = w->study;
  for (int i = 0; i < s->nfactor; i++) {
    const cap_study_factor *f = &s->factors[i];
    const char *text = "";
    if (!f->nlevel) continue;
    for (int k = 0; k < f->nlevel && text; k++)
      text = cap_arena_format(&w->arena, "%s%s\n", text, f->labels[k]);
    const char *name = cap_arena_format(&w->arena, "levels.%s", f->name);
    if (!text || !name) return no_memory(w->error);
    CAP_TRY(w->sink->text(w->sink, name, text));
  }
  return CAP_OK;
}

static cap_status put_nominal(writer *w)
{
  const cap_study *s = w->study;
  const int64_t dims[] = {s->nfactor};
  double *nominal = CAP_ARENA_NEW(&w->arena, double, s->nfactor + 1);
  if (!nominal) return no_memory(w->error);
  for (int i = 0; i < s->nfactor; i++) nominal[i] = s->factors[i].nominal;
  return w->sink->array(w->sink, (cap_column){"nominal", "1", "nominal values of the factors, SI"}, 1, dims,
                        NULL, nominal);
}

/* The analysis needs the units of the responses, which the study file need not give. */
static cap_status put_analysis(writer *w)
{
  cap_study study = *w->study;
  study.responses = CAP_ARENA_NEW(&w->arena, cap_study_response, study.nresponse + 1);
  if (!study.responses) return no_memory(w->error);
  for (int i = 0; i < study.nresponse; i++) {
    study.responses[i] = w->study->responses[i];
    study.responses[i].unit = w->units[i];
  }
  return cap_study_analysis_put(&study, &w->collect->table, w->sink, w->error);
}

static cap_status put_study(writer *w)
{
  int ncolumn = 0;
  cap_sink *sink = w->sink;
  CAP_TRY(find_units(w));
  CAP_TRY(sink->open(sink, "study", "study", w->study->name));
  CAP_TRY(sink->text(sink, "design", w->study->design_text));
  CAP_TRY(sink->number(sink, (cap_column){"machines", "1", "kinds of machine that computed the cases"},
                       cap_collect_machines(w->collect)));
  CAP_TRY(put_text(w, "runs", print_runs));
  CAP_TRY(put_text(w, "reasons", print_reasons));
  CAP_TRY(put_levels(w));
  CAP_TRY(put_text(w, "factors", print_factors));
  CAP_TRY(put_text(w, "responses", print_responses));
  CAP_TRY(put_nominal(w));
  CAP_TRY(sink->text(sink, "study", w->study->text));
  CAP_TRY(put_columns(w, &ncolumn)); /* after the long texts, which are there twice for a moment */
  CAP_TRY(put_rows(w, ncolumn));
  CAP_TRY(put_analysis(w));
  return sink->close(sink);
}

static cap_status write_file(writer *w, const char *path, const cap_collect_more *more, char *where,
                             size_t size)
{
  cap_results *results = NULL;
  const cap_study *s = w->study;
  const cap_results_meta meta = {.drive = s->drive,
                                 .name = s->name,
                                 .model = s->model_text,
                                 .nsetting = s->nsetting,
                                 .settings = s->settings,
                                 .seed = s->model_seed};
  CAP_TRY(cap_results_create(path, &meta, (cap_results_options){0}, &results, w->error));
  w->sink = cap_results_sink(results);
  bool complete = cap_collect_count(w->collect, CAP_STUDY_MISSING) == 0;
  cap_status status = put_study(w);
  if (status == CAP_OK && more && more->put) status = more->put(more->self, w->units, w->sink, w->error);
  if (status == CAP_OK) status = cap_results_finish(results, complete);
  if (status == CAP_OK) snprintf(where, size, "%s", cap_results_where(results));
  cap_results_free(results);
  return status;
}

cap_status cap_collect_write(const cap_collect *collect, const char *folder, const cap_collect_more *more,
                             char *where, size_t size, cap_error *error)
{
  writer w = {.collect = collect, .study = collect->study, .folder = folder, .error = error};
  char *path = cap_study_folder_file(folder, "study.h5");
  if (size) where[0] = '\0';
  cap_status status = path ? write_file(&w, path, more, where, size) : no_memory(error);
  free(path);
  cap_arena_free(&w.arena);
  return status;
}
