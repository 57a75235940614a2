/* analysis/identify/fit_curve.c — the measured columns, and the curves of an analysis at their places. See
 * fit.h. */
#include "analysis/identify/fit.h"
#include "base/names.h"
#include "base/nearest.h"
#include "base/units.h"
#include "model/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- measured columns ---------------------------------------------------------------------------------- */

typedef struct reader {
  const cap_model *m;
  const cap_table *table;
  const char *path;
  cap_diag *diag;
  cap_units *units;
  cap_arena *arena;
  char key[512];
} reader;

static const char *key_of(reader *r, const char *format, int index, const char *part)
{
  int used = snprintf(r->key, sizeof r->key, "%s.", r->path);
  if (index < 0) snprintf(r->key + used, sizeof r->key - (size_t)used, format, part);
  else snprintf(r->key + used, sizeof r->key - (size_t)used, format, index, part);
  return r->key;
}

static int find_column(reader *r, const char *name, const char *key)
{
  cap_nearest nearest;
  cap_nearest_start(&nearest, name);
  for (int c = 0; c < r->table->ncolumn; c++) {
    if (strcmp(r->table->names[c], name) == 0) return c;
    cap_nearest_offer(&nearest, r->table->names[c]);
  }
  cap_diag_at(r->diag, key, "no such column in the data; expected a column of the file, got \"%.60s\"%s%s%s",
              name, nearest.best ? "; did you mean \"" : "", nearest.best ? nearest.best : "",
              nearest.best ? "\"?" : "");
  return -1;
}

static const cap_channel *find_channel(const cap_model *m, const char *name)
{
  for (int c = 0; c < m->nchannel; c++)
    if (strcmp(m->channels[c].column.name, name) == 0) return &m->channels[c];
  return NULL;
}

static bool is_beside(const cap_analysis *a, const char *name)
{
  for (const char *const *pattern = a->beside; *pattern; pattern++)
    if (cap_names_fit(*pattern, name)) return true;
  return false;
}

/* Whether the analysis can give it, where that is known before it runs. */
static void check_channel(reader *r, const cap_analysis *a, const char *name, const char *key)
{
  if (!a->beside || find_channel(r->m, name) || is_beside(a, name)) return;
  cap_nearest nearest;
  cap_nearest_start(&nearest, name);
  for (int c = 0; c < r->m->nchannel; c++) cap_nearest_offer(&nearest, r->m->channels[c].column.name);
  for (const char *const *pattern = a->beside; *pattern; pattern++)
    if (!strchr(*pattern, '*')) cap_nearest_offer(&nearest, *pattern);
  cap_diag_at(r->diag, key, "%s has no such channel; expected a channel of this drive, got \"%.60s\"%s%s%s",
              a->name, name, nearest.best ? "; did you mean \"" : "", nearest.best ? nearest.best : "",
              nearest.best ? "\"?" : "");
}

/* A column in 1/min as an angular speed; NULL when memory is exhausted. */
static const double *turned(const reader *r, int at)
{
  double *values = CAP_ARENA_NEW(r->arena, double, r->table->nrow + 1);
  for (int i = 0; values && i < r->table->nrow; i++) values[i] = CAP_UNITS_TURN * r->table->values[at][i];
  return values;
}

/* A column of the data for a channel; where that is one of the model, its dimension must be the column's. */
static const double *take_column(reader *r, const char *column, const char *channel, const char *key,
                                 const char **unit)
{
  int at = find_column(r, column, key);
  if (at < 0) return NULL;
  const cap_channel *known = find_channel(r->m, channel);
  *unit = r->table->units[at];
  const char *own = known ? known->column.unit : *unit, *si = strcmp(own, "1") == 0 ? "" : own;
  const double *values = r->table->values[at];
  const bool per_minute = r->table->per_minute && r->table->per_minute[at];
  if (per_minute && known && cap_units_alike(r->units, si, "rad/s")) {
    values = turned(r, at);
    if (!values) {
      cap_diag_add(r->diag, 0, 0, NULL, "out of memory");
      return NULL;
    }
    *unit = "rad/s";
  } else if (per_minute && !known) {
    cap_diag_at(r->diag, key,
                "the column \"%.60s\" is in 1/min, a speed or a frequency; expected rpm, rad/s or Hz in the "
                "header",
                column);
  } else if (*si ? !cap_units_alike(r->units, si, *unit) : **unit != 0)
    cap_diag_at(r->diag, key,
                "wrong dimension of the column \"%.60s\"; expected that of the channel %s (%s), got %s",
                column, channel, *si ? si : "no unit", **unit ? *unit : "no unit");
  for (int i = 0; i < r->table->nrow; i++)
    if (!isfinite(r->table->values[at][i])) {
      cap_diag_at(r->diag, key, "missing value in the column \"%.60s\"; expected a number in data row %d",
                  column, i + 1);
      break;
    }
  return values;
}

/* sigma of every row: given as a number, as a part of the value, as a column, or to be estimated. */
static void set_noise(reader *r, const cap_fit_curve *c, int k, cap_fit_data *data)
{
  double given = 0.0;
  const double *column = NULL;
  const char *unit = NULL;
  if (c->sigma) {
    char reason[CAP_UNITS_REASON] = "";
    bool read = cap_units_parse(r->units, c->sigma, data->unit[k], &given, reason);
    if (!read || !(given > 0.0)) {
      cap_diag_at(r->diag, key_of(r, "curves[%d].%s", k, "sigma"),
                  "expected a standard deviation above 0 in %s, got \"%.60s\"%s%s",
                  data->unit[k][0] ? data->unit[k] : "pure numbers", c->sigma, reason[0] ? "; " : "", reason);
      return;
    }
  }
  if (c->sigma_column)
    column = take_column(r, c->sigma_column, c->channel, key_of(r, "curves[%d].%s", k, "sigma_column"),
                         &unit);
  data->estimated[k] = !c->sigma && !c->sigma_column && c->relative == 0.0;
  for (int i = 0; i < data->nrow; i++) {
    double part = c->relative * data->y[k][i], own = column ? column[i] : 0.0;
    data->sigma[k][i] = sqrt(given * given + part * part + own * own);
    if (data->estimated[k] || data->sigma[k][i] > 0.0) continue;
    cap_diag_at(
        r->diag, key_of(r, "curves[%d].%s", k, column ? "sigma_column" : "relative"),
        "expected a standard deviation above 0 in data row %d, got %g; add sigma, or correct the value",
        i + 1, data->sigma[k][i]);
    return;
  }
}

static cap_status read_all(reader *r, const cap_fit_spec *s, cap_arena *arena, cap_fit_data *data)
{
  const cap_analysis *analysis = cap_fit_analyses[*(const int *)s->analysis.items];
  data->over = s->over.channel;
  check_channel(r, analysis, data->over, key_of(r, "over.%s", -1, "channel"));
  data->x = take_column(r, s->over.column, s->over.channel, key_of(r, "over.%s", -1, "column"),
                        &data->over_unit);
  for (int k = 0; k < data->ncurve; k++) {
    const cap_fit_curve *c = (const cap_fit_curve *)s->curves.items + k;
    data->channel[k] = c->channel;
    check_channel(r, analysis, c->channel, key_of(r, "curves[%d].%s", k, "channel"));
    data->sigma[k] = CAP_ARENA_NEW(arena, double, data->nrow);
    if (!data->sigma[k]) return CAP_ERR_NOMEM;
    data->y[k] = take_column(r, c->column, c->channel, key_of(r, "curves[%d].%s", k, "column"),
                             &data->unit[k]);
    if (data->y[k]) set_noise(r, c, k, data);
  }
  int least = 2 * s->parameters.n > 8 ? 2 * s->parameters.n : 8;
  if (data->nrow < least)
    cap_diag_at(r->diag, key_of(r, "%s", -1, "data"),
                "too few data rows; expected at least %d for %d parameters, got %d", least, s->parameters.n,
                data->nrow);
  return r->diag->nerror ? CAP_ERR_INPUT : CAP_OK;
}

cap_status cap_fit_curve_read(const cap_model *m, const cap_fit_spec *s, const char *path, cap_diag *diag,
                              cap_arena *arena, cap_fit_data *data)
{
  *data = (cap_fit_data){.nrow = s->data.nrow, .ncurve = s->curves.n};
  reader r = {.m = m, .table = &s->data, .path = path, .diag = diag, .arena = arena};
  r.units = cap_units_create();
  if (!r.units) return CAP_ERR_NOMEM;
  cap_status status = read_all(&r, s, arena, data);
  cap_units_free(r.units);
  return status;
}

/* ---- what an analysis puts out ------------------------------------------------------------------------- */

typedef struct vector {
  char name[128];
  int n;
  double *values;
} vector;

typedef struct capture {
  cap_sink sink; /* first: its functions find the rest through it */
  cap_error error;
  int ncolumn, nrow, room, nvector;
  char (*names)[128]; /* [ncolumn] */
  double *rows;       /* [room][ncolumn] */
  vector *vectors;    /* [nvector] */
  int ngroup;         /* opened so far; the first counts */
} capture;

static cap_status keep_open(cap_sink *s, const char *name, const char *kind, const char *title)
{
  (void)name, (void)kind, (void)title;
  ((capture *)(void *)s)->ngroup++;
  return CAP_OK;
}

static cap_status keep_columns(cap_sink *s, int n, const cap_column *columns)
{
  capture *c = (capture *)(void *)s;
  if (c->names) return CAP_OK;
  c->names = calloc((size_t)n + 1, sizeof *c->names);
  if (!c->names) return cap_status_fail(s->error, CAP_ERR_NOMEM, "out of memory");
  c->ncolumn = n;
  for (int k = 0; k < n; k++) snprintf(c->names[k], sizeof c->names[k], "%s", columns[k].name);
  return CAP_OK;
}

static cap_status keep_rows(cap_sink *s, int n, const double *values)
{
  capture *c = (capture *)(void *)s;
  if (c->ngroup > 1) return CAP_OK;
  if (c->nrow + n > c->room) {
    int room = 2 * (c->nrow + n) + 64;
    double *larger = realloc(c->rows, sizeof(double) * (size_t)room * (size_t)c->ncolumn);
    if (!larger) return cap_status_fail(s->error, CAP_ERR_NOMEM, "out of memory");
    c->rows = larger;
    c->room = room;
  }
  memcpy(c->rows + (size_t)c->nrow * (size_t)c->ncolumn, values,
         sizeof(double) * (size_t)n * (size_t)c->ncolumn);
  c->nrow += n;
  return CAP_OK;
}

static cap_status keep_array(cap_sink *s, cap_column what, int rank, const int64_t *dims, const char *axes,
                             const double *values)
{
  (void)axes;
  capture *c = (capture *)(void *)s;
  if (rank != 1 || c->ngroup > 1 || dims[0] > 1000000) return CAP_OK;
  vector *larger = realloc(c->vectors, sizeof *larger * (size_t)(c->nvector + 1));
  if (!larger) return cap_status_fail(s->error, CAP_ERR_NOMEM, "out of memory");
  c->vectors = larger;
  vector *v = &larger[c->nvector];
  *v = (vector){.n = (int)dims[0], .values = malloc(sizeof(double) * (size_t)dims[0] + 1)};
  if (!v->values) return cap_status_fail(s->error, CAP_ERR_NOMEM, "out of memory");
  snprintf(v->name, sizeof v->name, "%s", what.name);
  memcpy(v->values, values, sizeof(double) * (size_t)dims[0]);
  c->nvector++;
  return CAP_OK;
}

static cap_status drop_text(cap_sink *s, const char *name, const char *value)
{
  (void)s, (void)name, (void)value;
  return CAP_OK;
}

static cap_status drop_number(cap_sink *s, cap_column what, double value)
{
  (void)s, (void)what, (void)value;
  return CAP_OK;
}

static cap_status drop_balance(cap_sink *s, int n, const cap_balance_line *lines)
{
  (void)s, (void)n, (void)lines;
  return CAP_OK;
}

static cap_status drop_checkpoint(cap_sink *s, int n, const cap_view *views)
{
  (void)s, (void)n, (void)views;
  return CAP_OK;
}

static cap_status start_afresh(cap_sink *s, int n, const cap_view *views, bool *found, bool *finished)
{
  (void)s, (void)n, (void)views;
  *found = *finished = false;
  return CAP_OK;
}

static cap_status drop_close(cap_sink *s)
{
  (void)s;
  return CAP_OK;
}

static void open_capture(capture *c)
{
  *c = (capture){.sink = {.open = keep_open,
                          .columns = keep_columns,
                          .rows = keep_rows,
                          .array = keep_array,
                          .text = drop_text,
                          .number = drop_number,
                          .balance = drop_balance,
                          .checkpoint = drop_checkpoint,
                          .restore = start_afresh,
                          .close = drop_close}};
  c->sink.error = &c->error;
}

static void close_capture(capture *c)
{
  for (int k = 0; k < c->nvector; k++) free(c->vectors[k].values);
  free(c->vectors);
  free(c->names);
  free(c->rows);
}

/* Values of a column or vector, newly allocated; NULL with *n = 0 when there is none, -1 without memory. */
static double *values_of(const capture *c, const char *name, int *n)
{
  *n = 0;
  int column = -1;
  const vector *v = NULL;
  for (int k = 0; k < c->ncolumn; k++)
    if (strcmp(c->names[k], name) == 0) column = k;
  for (int k = 0; column < 0 && k < c->nvector; k++)
    if (strcmp(c->vectors[k].name, name) == 0) v = &c->vectors[k];
  if (column < 0 && !v) return NULL;
  int count = v ? v->n : c->nrow;
  double *values = malloc(sizeof(double) * ((size_t)count + 1));
  *n = values ? count : -1;
  if (!values) return NULL;
  for (int i = 0; i < count; i++)
    values[i] = v ? v->values[i] : c->rows[(size_t)i * (size_t)c->ncolumn + (size_t)column];
  return values;
}

/* ---- reading a curve ----------------------------------------------------------------------------------- */

/* Slope at knot i of the parabola through it and its neighbours,
 * limited so that what is monotone stays so. */
static double slope_at(int n, const double *x, const double *y, int i)
{
  if (n < 3) return n < 2 ? 0.0 : (y[1] - y[0]) / (x[1] - x[0]);
  int m = i < 1 ? 1 : i > n - 2 ? n - 2 : i; /* the middle of the three */
  double h0 = x[m] - x[m - 1], h1 = x[m + 1] - x[m], d0 = (y[m] - y[m - 1]) / h0, d1 = (y[m + 1] - y[m]) / h1;
  double slope = (h1 * d0 + h0 * d1) / (h0 + h1), bend = (d1 - d0) / (h0 + h1);
  if (i < m) slope -= 2.0 * h0 * bend;
  else if (i > m) slope += 2.0 * h1 * bend;
  double near = i < m ? d0 : i > m ? d1 : fabs(d0) < fabs(d1) ? d0 : d1, most = 3.0 * fabs(near);
  if ((i == m && d0 * d1 <= 0.0) || slope * near <= 0.0) return 0.0;
  return fabs(slope) > most ? copysign(most, slope) : slope;
}

static double read_at(int n, const double *x, const double *y, double at)
{
  int low = 0, high = n - 1;
  if (n == 1 || at <= x[0]) return y[0];
  if (at >= x[n - 1]) return y[n - 1];
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (x[middle] <= at) low = middle;
    else high = middle;
  }
  double h = x[high] - x[low], s = (at - x[low]) / h, r = 1.0 - s;
  return y[low] * r * r * (1.0 + 2.0 * s) + y[high] * s * s * (1.0 + 2.0 * r) +
         h * s * r * (slope_at(n, x, y, low) * r - slope_at(n, x, y, high) * s);
}

/* Make the abscissa ascend: turn the curve round, leave out rows that repeat a place. */
static int arrange(int n, double *x, double *y)
{
  int kept = 0;
  if (n > 1 && x[n - 1] < x[0])
    for (int i = 0; i < n / 2; i++) {
      double a = x[i], b = y[i];
      x[i] = x[n - 1 - i], y[i] = y[n - 1 - i];
      x[n - 1 - i] = a, y[n - 1 - i] = b;
    }
  for (int i = 0; i < n; i++) {
    if (kept && x[i] == x[kept - 1]) continue;
    x[kept] = x[i], y[kept++] = y[i];
  }
  return kept;
}

static cap_status check_abscissa(const cap_fit_data *data, int n, const double *x, cap_error *error)
{
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < data->nrow; i++) low = fmin(low, data->x[i]), high = fmax(high, data->x[i]);
  for (int i = 1; i < n; i++)
    if (!(x[i] > x[i - 1]))
      return cap_status_fail(error, CAP_RETRY_NOCONV,
                             "the curve vs %s is not unique: its abscissa turns back at %.6g (SI units)",
                             data->over, x[i - 1]);
  double slack = 1e-6 * (high - low);
  if (n < 2 || low < x[0] - slack || high > x[n - 1] + slack)
    return cap_status_fail(error, CAP_RETRY_NOCONV,
                           "the computed curve does not cover the data; expected a range of at least %.6g to "
                           "%.6g in %s, got %.6g to %.6g (SI units)",
                           low, high, data->over, n ? x[0] : NAN, n ? x[n - 1] : NAN);
  return CAP_OK;
}

static cap_status missing(const capture *c, const char *name, cap_error *error)
{
  cap_nearest nearest;
  cap_nearest_start(&nearest, name);
  for (int k = 0; k < c->ncolumn; k++) cap_nearest_offer(&nearest, c->names[k]);
  for (int k = 0; k < c->nvector; k++) cap_nearest_offer(&nearest, c->vectors[k].name);
  return cap_status_fail(
      error, CAP_ERR_INPUT,
      "fit: the analysis has no such result; expected one of its channels, got \"%s\"%s%s%s", name,
      nearest.best ? "; did you mean \"" : "", nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
}

static cap_status read_curve(const capture *c, const cap_fit_data *data, int k, double *f, cap_error *error)
{
  int nx, ny;
  double *x = values_of(c, data->over, &nx), *y = values_of(c, data->channel[k], &ny);
  cap_status status = CAP_OK;
  if (nx < 0 || ny < 0) status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  else if (!x) status = missing(c, data->over, error);
  else if (!y) status = missing(c, data->channel[k], error);
  else if (nx != ny)
    status = cap_status_fail(error, CAP_ERR_INPUT,
                             "fit: lengths differ; expected as many values of %s as of %s, %d, got %d",
                             data->channel[k], data->over, nx, ny);
  int n = 0;
  if (status == CAP_OK) {
    n = arrange(nx, x, y);
    status = check_abscissa(data, n, x, error);
  }
  for (int i = 0; status == CAP_OK && i < data->nrow; i++) {
    f[i] = read_at(n, x, y, data->x[i]);
    if (!isfinite(f[i]))
      status = cap_status_fail(error, CAP_RETRY_NONFINITE, "%s is not finite", data->channel[k]);
  }
  free(x);
  free(y);
  return status;
}

/* ---- one run ------------------------------------------------------------------------------------------- */

/* The parameters of the fit under those that the analysis itself varies. */
typedef struct under {
  const cap_run *run;
  int n;
  const char *paths[CAP_FIT_MOST];
  const double *p;
} under;

static cap_status rebuild(cap_run *inner, int nparameter, const char *const *paths, int nlane,
                          const double *values, cap_model **model)
{
  enum { MOST = CAP_FIT_MOST + 8 };
  const under *u = inner->rebuild_self;
  const char *all[MOST];
  double *table = malloc(sizeof(double) * (size_t)(u->n + nparameter) * (size_t)nlane + 1);
  if (!table || u->n + nparameter > MOST) {
    free(table);
    return cap_status_fail(inner->error, CAP_ERR_NOMEM, "out of memory");
  }
  for (int j = 0; j < u->n; j++) {
    all[j] = u->paths[j];
    for (int l = 0; l < nlane; l++) table[j * nlane + l] = u->p[j];
  }
  for (int j = 0; j < nparameter; j++) all[u->n + j] = paths[j];
  if (nparameter) memcpy(table + u->n * nlane, values, sizeof(double) * (size_t)(nparameter * nlane));
  cap_run outer = *u->run;
  outer.error = inner->error;
  cap_status status = outer.rebuild(&outer, u->n + nparameter, all, nlane, table, model);
  free(table);
  return status;
}

static int choose_channels(const cap_model *m, const cap_fit_data *data, const char **names)
{
  int n = 0;
  for (int k = -1; k < data->ncurve; k++) {
    const char *name = k < 0 ? data->over : data->channel[k];
    bool there = false;
    for (int i = 0; i < n; i++) there = there || strcmp(names[i], name) == 0;
    if (!there && find_channel(m, name)) names[n++] = name;
  }
  return n;
}

static cap_status run_analysis(cap_run *inner, const cap_fit_spec *s, capture *c)
{
  const void *item = s->analysis.items;
  inner->sink = &c->sink;
  cap_status status = cap_fit_analyses[*(const int *)item]->run(inner, item);
  if (status != CAP_OK && !inner->error->text[0]) *inner->error = c->error;
  return status;
}

cap_status cap_fit_curve_run(const cap_run *run, const cap_fit_spec *s, const cap_fit_data *data,
                             const double *p, double *f, cap_error *error)
{
  const char *names[CAP_FIT_CURVES + 1];
  under u = {.run = run, .n = s->parameters.n, .p = p};
  for (int j = 0; j < u.n; j++) u.paths[j] = ((const cap_unknown *)s->parameters.items)[j].path;
  cap_progress silent = cap_progress_silent(run->progress);
  cap_outputs outputs = *run->outputs;
  outputs.channels = (cap_texts){.n = choose_channels(run->model, data, names), .v = names};
  cap_run inner = *run;
  inner.outputs = &outputs, inner.progress = &silent, inner.error = error, inner.threads = 1;
  inner.rebuild = rebuild, inner.rebuild_self = &u;
  inner.model = NULL, inner.data = NULL;
  capture c;
  open_capture(&c);
  error->text[0] = 0;
  cap_status status = rebuild(&inner, 0, NULL, 1, NULL, &inner.model);
  if (status == CAP_OK && !(inner.data = cap_data_create(inner.model)))
    status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK) status = run_analysis(&inner, s, &c);
  if (status != CAP_OK && status != CAP_ERR_NOMEM && status != CAP_STOPPED) status = CAP_RETRY_NONFINITE;
  for (int k = 0; status == CAP_OK && k < data->ncurve; k++)
    status = read_curve(&c, data, k, f + (size_t)k * (size_t)data->nrow, error);
  close_capture(&c);
  cap_data_free(inner.data);
  cap_model_free(inner.model);
  return status;
}
