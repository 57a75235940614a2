/* study/study_analysis.c — see study_analysis.h. */
#include "study/study_analysis.h"

#include "study/effects.h"
#include "study/pareto.h"
#include "study/sensitivity_given.h"
#include "study/surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Factors of a table that are correlated by it or more share what they do. */
#define CORRELATED 0.3

typedef struct job {
  const cap_study *study;
  const cap_study_table *table;
  cap_sample sample;
  cap_sink *sink;
  cap_arena arena; /* names */
  cap_error *error;
} job;

/* The sink keeps its own error; it becomes that of the call. */
static cap_status told(job *j, cap_status status)
{
  if (status != CAP_OK && j->error && j->sink->error && j->error != j->sink->error)
    *j->error = *j->sink->error;
  return status;
}

static cap_status no_memory(job *j)
{
  return cap_status_fail(j->error, CAP_ERR_NOMEM, "out of memory for the analysis of a study");
}

static const char *unit_of(const job *j, int response)
{
  const char *unit = j->study->responses[response].unit;
  return unit ? unit : "";
}

static cap_status put_vector(job *j, const char *name, const char *unit, const char *about, int64_t n,
                             const char *axes, const double *values)
{
  if (!name) return no_memory(j);
  cap_column what = {name, unit, about};
  return told(j, j->sink->array(j->sink, what, 1, &n, axes, values));
}

static cap_status put_number(job *j, const char *name, const char *unit, const char *about, double value)
{
  if (!name) return no_memory(j);
  return told(j, j->sink->number(j->sink, (cap_column){name, unit, about}, value));
}

/* Kinds of the factors for regressions and surfaces. */
static void kinds_of(const job *j, cap_sensitivity_given_kind *kinds)
{
  for (int f = 0; f < j->study->nfactor; f++)
    kinds[f] = !j->sample.varied[f]              ? CAP_SENSITIVITY_GIVEN_NONE
               : j->study->factors[f].nlevel > 0 ? CAP_SENSITIVITY_GIVEN_LEVEL
                                                 : CAP_SENSITIVITY_GIVEN_NUMBER;
}

/* ---- main effects -------------------------------------------------------------------------------------- */

static cap_status put_effects_of(job *j, int f)
{
  cap_effects effects;
  const cap_study_factor *factor = j->study->factors + f;
  CAP_TRY(cap_effects_init(&effects, &j->sample, j->study, f, j->error));
  const size_t n = (size_t)effects.nclass + 1;
  double *values = malloc(3 * n * sizeof *values);
  const char *axis = cap_arena_format(&j->arena, "effect.%s.at", factor->name);
  cap_status status = values && axis ? CAP_OK : no_memory(j);
  if (status == CAP_OK && effects.nclass > 0)
    status = put_vector(j, axis, factor->unit, factor->doc, effects.nclass, NULL, effects.at);
  for (int r = 0; status == CAP_OK && r < j->study->nresponse && effects.nclass > 0; r++) {
    const char *name = cap_arena_format(&j->arena, "effect.%s.%s", j->study->responses[r].name, factor->name);
    static const char *const ends[] = {"", ".low", ".high"};
    static const char *const about[] = {"mean", "lower limit of the confidence interval of the mean",
                                        "upper limit of the confidence interval of the mean"};
    cap_effects_means(&effects, j->sample.npoint, j->sample.y + (int64_t)r * j->sample.npoint,
                      j->study->confidence, values, values + n, values + 2 * n);
    for (int k = 0; k < 3 && status == CAP_OK; k++)
      status = put_vector(j, name ? cap_arena_format(&j->arena, "%s%s", name, ends[k]) : NULL, unit_of(j, r),
                          about[k], effects.nclass, axis, values + (size_t)k * n);
  }
  free(values);
  cap_effects_free(&effects);
  return status;
}

/* ---- sensitivity --------------------------------------------------------------------------------------- */

/* sensitivity.RESPONSE.WHAT [nfactor] of indices, with their confidence when there is one. */
static cap_status put_indices(job *j, int response, const char *what, const cap_sensitivity_index *indices)
{
  const int n = j->study->nfactor;
  double values[3][64];
  bool any = false, confident = false;
  for (int f = 0; f < n; f++) {
    values[0][f] = indices[f].value, values[1][f] = indices[f].low, values[2][f] = indices[f].high;
    any = any || isfinite(indices[f].value);
    confident = confident || isfinite(indices[f].low);
  }
  static const char *const ends[] = {"", ".low", ".high"};
  for (int k = 0; k < (confident ? 3 : any ? 1 : 0); k++)
    CAP_TRY(put_vector(
        j,
        cap_arena_format(&j->arena, "sensitivity.%s.%s%s", j->study->responses[response].name, what, ends[k]),
        "1", "", n, NULL, values[k]));
  return CAP_OK;
}

static cap_status put_left_out(job *j, const char *part, int response, double count)
{
  return put_number(
      j, cap_arena_format(&j->arena, "%s.%s.left_out_cases", part, j->study->responses[response].name), "1",
      "number of cases without a value", count);
}

/* Of a million cases intervals are narrow, and 200 samples would take ten seconds: fewer (§54). */
static cap_sensitivity_confidence confidence_of(const job *j)
{
  const int affordable = (int)fmax(50.0, 4e7 / j->sample.npoint);
  const int bootstrap = j->study->bootstrap < affordable ? j->study->bootstrap : affordable;
  return (cap_sensitivity_confidence){bootstrap, j->study->confidence, j->study->seed};
}

static cap_status put_saltelli(job *j)
{
  const cap_sample *s = &j->sample;
  const int nown = s->block - 2, nblock = s->npoint / s->block;
  const cap_sensitivity_confidence by = confidence_of(j);
  for (int r = 0; r < s->nresponse; r++) {
    cap_sensitivity_index own[2][64], all[2][64];
    int used = 0;
    CAP_TRY(cap_sensitivity_saltelli(nblock, nown, s->y + (int64_t)r * s->npoint, &by, own[0], own[1], &used,
                                     j->error));
    for (int f = 0, at = 0; f < s->nfactor; f++) {
      const bool drawn = j->study->factors[f].law != CAP_STUDY_FORMULA;
      for (int k = 0; k < 2; k++)
        all[k][f] = drawn && s->varied[f] ? own[k][at] : (cap_sensitivity_index){NAN, NAN, NAN};
      at += drawn;
    }
    CAP_TRY(put_indices(j, r, "first", all[0]));
    CAP_TRY(put_indices(j, r, "total", all[1]));
    CAP_TRY(put_left_out(j, "sensitivity", r, (double)(nblock - used) * s->block * s->replicates));
  }
  return told(j, j->sink->text(j->sink, "sensitivity.kind",
                               "Sobol' indices of first order and total, from pairs of points"));
}

/* Places of the points in the full factorial of the varied factors, the last one fastest; *full = false: it
 * is none. */
static cap_status find_grid(job *j, int *ngrid, int *factors, int *levels, int *places, bool *full)
{
  const cap_sample *s = &j->sample;
  const size_t n = (size_t)s->npoint + 1;
  int *order = malloc(sizeof *order * n), *starts = malloc(sizeof *starts * (n + 1));
  unsigned char *seen = calloc(n, 1);
  cap_status status = order && starts && seen ? CAP_OK : no_memory(j);
  int64_t count = 1;
  *ngrid = 0;
  for (int p = 0; p < s->npoint; p++) places[p] = 0;
  for (int f = 0; f < s->nfactor && status == CAP_OK && count <= s->npoint; f++) {
    const double *x = s->x + (int64_t)f * s->npoint;
    if (!s->varied[f]) continue;
    if (!cap_sample_sort(s->npoint, x, order)) {
      status = no_memory(j);
      break;
    }
    const int nlevel = cap_sample_classes(s->npoint, x, order, s->npoint, starts);
    factors[*ngrid] = f;
    levels[(*ngrid)++] = nlevel;
    if ((count *= nlevel) > s->npoint) break;
    for (int c = 0; c < nlevel; c++)
      for (int i = starts[c]; i < starts[c + 1]; i++) places[order[i]] = places[order[i]] * nlevel + c;
  }
  *full = status == CAP_OK && count == s->npoint && *ngrid > 0;
  for (int p = 0; p < s->npoint && *full; p++) *full = !seen[places[p]]++;
  free(order), free(starts), free(seen);
  return status;
}

/* Exact shares of one response; its grid must be full. */
static cap_status put_grid_of(job *j, int response, int ngrid, const int *factors, const int *levels,
                              const int *places, double *cells)
{
  const cap_sample *s = &j->sample;
  double share[2][64];
  cap_sensitivity_index indices[2][64];
  for (int p = 0; p < s->npoint; p++) cells[places[p]] = s->y[(int64_t)response * s->npoint + p];
  cap_sensitivity_grid(ngrid, levels, cells, share[0], share[1]);
  for (int k = 0; k < 2; k++) {
    for (int f = 0; f < s->nfactor; f++) indices[k][f] = (cap_sensitivity_index){NAN, NAN, NAN};
    for (int g = 0; g < ngrid; g++) indices[k][factors[g]].value = share[k][g];
    CAP_TRY(put_indices(j, response, k == 0 ? "first" : "total", indices[k]));
  }
  return put_left_out(j, "sensitivity", response, (double)s->left_out[response]);
}

static bool whole(const cap_sample *s, int response)
{
  for (int p = 0; p < s->npoint; p++)
    if (!isfinite(s->y[(int64_t)response * s->npoint + p])) return false;
  return true;
}

/* Whether two responses have values at the same points. */
static bool alike(const cap_sample *s, int a, int b)
{
  const double *ya = s->y + (int64_t)a * s->npoint, *yb = s->y + (int64_t)b * s->npoint;
  for (int p = 0; p < s->npoint; p++)
    if (isfinite(ya[p]) != isfinite(yb[p])) return false;
  return true;
}

/* Responses that are to be looked at together with `first`, which have not been. */
static int group_of(const cap_sample *s, int first, bool *done, int *group)
{
  int n = 0;
  for (int r = first; r < s->nresponse; r++)
    if (!done[r] && (r == first || alike(s, first, r))) group[n++] = r, done[r] = true;
  return n;
}

/* Columns of the drawn points that have values: x[nfactor][n], y[ngroup][n]. */
static int gather(const job *j, int ngroup, const int *group, bool drawn_only, double *x, double *y,
                  int *points)
{
  const cap_sample *s = &j->sample;
  int n = 0;
  for (int p = 0; p < s->npoint; p++)
    if ((s->drawn[p] || !drawn_only) && isfinite(s->y[(int64_t)group[0] * s->npoint + p])) points[n++] = p;
  for (int f = 0; f < s->nfactor; f++) {
    const bool logarithmic = cap_sample_logarithmic(s, j->study, f);
    for (int i = 0; i < n; i++) {
      double value = s->x[(int64_t)f * s->npoint + points[i]];
      x[(int64_t)f * n + i] = logarithmic ? log(value) : value;
    }
  }
  for (int g = 0; g < ngroup; g++)
    for (int i = 0; i < n; i++) y[(int64_t)g * n + i] = s->y[(int64_t)group[g] * s->npoint + points[i]];
  return n;
}

typedef struct columns {
  int n, ngroup, group[64];
  int *points;   /* [n] */
  double *x, *y; /* [nfactor][n], [ngroup][n] */
} columns;

static void free_columns(columns *c)
{
  free(c->points), free(c->x), free(c->y);
}

/* Responses alike `first` and their columns. */
static cap_status take_columns(job *j, int first, bool *done, bool drawn_only, columns *c)
{
  const cap_sample *s = &j->sample;
  const size_t n = (size_t)s->npoint + 1;
  c->ngroup = group_of(s, first, done, c->group);
  c->points = malloc(sizeof *c->points * n);
  c->x = malloc(sizeof *c->x * n * (size_t)s->nfactor + 1);
  c->y = malloc(sizeof *c->y * n * (size_t)c->ngroup);
  if (!c->points || !c->x || !c->y) {
    free_columns(c);
    return no_memory(j);
  }
  c->n = gather(j, c->ngroup, c->group, drawn_only, c->x, c->y, c->points);
  return CAP_OK;
}

/* Largest correlation between two factors that are numbers. */
static double correlated(const job *j)
{
  const cap_sample *s = &j->sample;
  double most = 0.0;
  for (int a = 0; a < s->nfactor; a++)
    for (int b = a + 1; b < s->nfactor; b++) {
      if (!s->varied[a] || !s->varied[b] || j->study->factors[a].nlevel || j->study->factors[b].nlevel)
        continue;
      const double *x = s->x + (int64_t)a * s->npoint, *y = s->x + (int64_t)b * s->npoint;
      double mx = 0.0, my = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
      for (int p = 0; p < s->npoint; p++) mx += x[p] / s->npoint, my += y[p] / s->npoint;
      for (int p = 0; p < s->npoint; p++) {
        xx += (x[p] - mx) * (x[p] - mx);
        xy += (x[p] - mx) * (y[p] - my);
        yy += (y[p] - my) * (y[p] - my);
      }
      most = fmax(most, fabs(xy) / sqrt(xx * yy));
    }
  return most;
}

static cap_sensitivity_given_spread spread_of(const job *j)
{
  switch (j->study->design) {
  case CAP_STUDY_SOBOL:
  case CAP_STUDY_SALTELLI:
    return CAP_SENSITIVITY_GIVEN_NET;
  case CAP_STUDY_LATIN_HYPERCUBE:
    return CAP_SENSITIVITY_GIVEN_AXES;
  case CAP_STUDY_TABLE:
    return correlated(j) < CORRELATED ? CAP_SENSITIVITY_GIVEN_DRAWN : CAP_SENSITIVITY_GIVEN_ANY;
  default:
    return CAP_SENSITIVITY_GIVEN_DRAWN;
  }
}

/* Indices of a sample as it is for the responses of `c`; `first` too unless others are put for it. */
static cap_status put_given_of(job *j, const columns *c, bool with_first)
{
  const int nf = j->study->nfactor;
  cap_sensitivity_given_kind kinds[64];
  double r2[64];
  kinds_of(j, kinds);
  cap_sensitivity_index *first = malloc(sizeof *first * 2 * (size_t)nf * (size_t)c->ngroup + 1);
  if (!first) return no_memory(j);
  cap_sensitivity_index *regression = first + nf * c->ngroup;
  const cap_sensitivity_given_sample sample = {c->n, nf, c->ngroup, c->x, c->y, kinds, spread_of(j)};
  const cap_sensitivity_confidence by = confidence_of(j);
  cap_status status = cap_sensitivity_given(&sample, &by, first, regression, r2, j->error);
  for (int g = 0; g < c->ngroup && status == CAP_OK; g++) {
    const int r = c->group[g];
    if (with_first) status = put_indices(j, r, "first", first + g * nf);
    if (status == CAP_OK) status = put_indices(j, r, "regression", regression + g * nf);
    if (status == CAP_OK && isfinite(r2[g]))
      status = put_number(j, cap_arena_format(&j->arena, "sensitivity.%s.R2", j->study->responses[r].name),
                          "1", "share of the variance explained by the regression", r2[g]);
    if (status == CAP_OK && with_first)
      status = put_left_out(j, "sensitivity", r, (double)j->sample.left_out[r]);
  }
  free(first);
  return status;
}

/* For the responses that are not `done`. */
static cap_status put_given(job *j, bool *done, bool with_first)
{
  for (int r = 0; r < j->sample.nresponse; r++) {
    columns c;
    if (done[r]) continue;
    CAP_TRY(take_columns(j, r, done, true, &c));
    cap_status status = put_given_of(j, &c, with_first);
    free_columns(&c);
    CAP_TRY(status);
  }
  return CAP_OK;
}

static cap_status put_grid(job *j)
{
  const cap_sample *s = &j->sample;
  int ngrid, factors[64], levels[64];
  bool done[64] = {false};
  int *places = malloc(sizeof *places * ((size_t)s->npoint + 1));
  double *cells = malloc(sizeof *cells * ((size_t)s->npoint + 1));
  cap_status status = places && cells ? CAP_OK : no_memory(j);
  bool all = false;
  if (status == CAP_OK) status = find_grid(j, &ngrid, factors, levels, places, &all);
  bool every = all;
  for (int r = 0; r < s->nresponse && status == CAP_OK; r++) {
    if (!all || !whole(s, r)) every = false;
    else {
      status = put_grid_of(j, r, ngrid, factors, levels, places, cells);
      done[r] = true;
    }
  }
  free(places), free(cells);
  CAP_TRY(status);
  CAP_TRY(put_given(j, done, true));
  return told(j,
              j->sink->text(j->sink, "sensitivity.kind",
                            every ? "shares of the variance over the grid, exact"
                                  : "shares of the variance over the grid; where cases are left out: first "
                                    "order from what there is, and regression"));
}

static cap_status put_sampled(job *j)
{
  bool done[64] = {false};
  char kind[256];
  CAP_TRY(put_given(j, done, true));
  const char *as = j->study->design == CAP_STUDY_SALTELLI ? " (not the pairs of points that were expected)"
                                                          : "";
  int n = snprintf(kind, sizeof kind,
                   "first order from the sample as it is, and standardised regression coefficients%s", as);
  const double most = j->study->design == CAP_STUDY_TABLE ? correlated(j) : 0.0;
  if (most >= CORRELATED)
    snprintf(kind + n, sizeof kind - (size_t)n, "; factors are correlated (up to %.2f), their shares overlap",
             most);
  return told(j, j->sink->text(j->sink, "sensitivity.kind", kind));
}

/* Response at the lowest and highest value of each factor and its extremes over all of them. */
static cap_status put_tornado(job *j)
{
  const cap_sample *s = &j->sample;
  static const char *const ends[] = {"low", "high", "least", "most"};
  static const char *const about[] = {"at the lowest value of the factor",
                                      "at the highest value of the factor", "smallest over its values",
                                      "largest over its values"};
  for (int r = 0; r < s->nresponse; r++) {
    const char *name = j->study->responses[r].name;
    const double *y = s->y + (int64_t)r * s->npoint;
    double to[4][64];
    for (int f = 0; f < s->nfactor; f++) {
      cap_effects line;
      for (int k = 0; k < 4; k++) to[k][f] = NAN;
      if (!s->varied[f]) continue;
      CAP_TRY(cap_effects_init(&line, s, j->study, f, j->error));
      for (int p = 0; p < s->npoint; p++) {
        if (line.members[p] < 0) continue;
        if (line.members[p] == 0) to[0][f] = y[p];
        if (line.members[p] == line.nclass - 1) to[1][f] = y[p];
        to[2][f] = fmin(to[2][f], y[p]); /* of which one may be NaN */
        to[3][f] = fmax(to[3][f], y[p]);
      }
      cap_effects_free(&line);
    }
    for (int k = 0; k < 4; k++)
      CAP_TRY(put_vector(j, cap_arena_format(&j->arena, "tornado.%s.%s", name, ends[k]), unit_of(j, r),
                         about[k], s->nfactor, NULL, to[k]));
    CAP_TRY(put_number(j, cap_arena_format(&j->arena, "tornado.%s.nominal", name), unit_of(j, r),
                       "with all factors at their nominal values", y[0]));
    CAP_TRY(put_left_out(j, "sensitivity", r, (double)s->left_out[r]));
  }
  return told(j, j->sink->text(j->sink, "sensitivity.kind", "one factor at a time"));
}

static cap_status put_sensitivity(job *j)
{
  bool done[64] = {false};
  switch (j->study->design) {
  case CAP_STUDY_GRID:
    return put_grid(j);
  case CAP_STUDY_ONE_AT_A_TIME:
    return put_tornado(j);
  case CAP_STUDY_SALTELLI:
    if (j->sample.block == 0) return put_sampled(j);
    CAP_TRY(put_saltelli(j));
    return put_given(j, done, false); /* signs, which indices do not have */
  default:
    return put_sampled(j);
  }
}

/* ---- surfaces ------------------------------------------------------------------------------------------ */

/* "1", "a", "a^2", "a*b", "a=2" into the arena. */
static const char *term_name(job *j, cap_surface_term t)
{
  const cap_study_factor *f = j->study->factors;
  if (t.a < 0) return "1";
  if (t.b == -2) return cap_arena_format(&j->arena, "%s=%.17g", f[t.a].name, t.level);
  if (t.b < 0) return f[t.a].name;
  if (t.b == t.a) return cap_arena_format(&j->arena, "%s^2", f[t.a].name);
  return cap_arena_format(&j->arena, "%s*%s", f[t.a].name, f[t.b].name);
}

/* Names of terms between `separator`s: of those that are used, or of those that were refused among the first
 * `upto` that were offered. */
static const char *name_terms(job *j, const cap_surface_design *d, int used, int upto, const char *separator)
{
  const char *text = "";
  size_t size = 1;
  for (int pass = 0; pass < 2; pass++) {
    char *to = pass == 1 ? cap_arena_alloc(&j->arena, size) : NULL;
    if (pass == 1 && !to) return NULL;
    text = to;
    for (int t = 0, k = 0, count = 0; t < (upto > 0 ? upto : d->noffered); t++) {
      const bool kept = k < d->nterm && d->terms[k] == t;
      const bool wanted = upto > 0 ? !kept : kept && k < used;
      k += kept;
      if (!wanted) continue;
      const char *name = term_name(j, d->offered[t]);
      if (!name) return NULL;
      const char *between = count++ > 0 ? separator : "";
      if (pass == 0) size += strlen(between) + strlen(name);
      else to += sprintf(to, "%s%s", between, name);
    }
  }
  return text;
}

/* What a surface leaves out, in words. */
static const char *note_of(job *j, const cap_surface_design *d, const cap_surface *s)
{
  static const char *const without[] = {"squares and products", "products", ""};
  if (s->kind < 0 && d->limit[0] == 0) return "none: too many levels";
  if (s->kind < 0)
    return cap_arena_format(&j->arena, "none: %d points are too few for %d terms", d->n, d->limit[0]);
  const char *refused = name_terms(j, d, 0, d->limit[s->kind], ", ");
  if (!refused) return NULL;
  const char *first = refused[0] ? cap_arena_format(&j->arena, "not told apart by the points: %s", refused)
                                 : "";
  if (!first || s->kind == CAP_SURFACE_CLASSES - 1 || d->limit[1] == d->limit[0]) return first;
  const int next = s->kind + 1;
  const char *why = d->limit[next] == 0            ? "too many for as many points"
                    : d->cut[next] >= d->n         ? "too few points"
                    : d->cut[2] == d->cut[s->kind] ? "not told apart"
                                                   : "they predict worse";
  return cap_arena_format(&j->arena, "%s%swithout %s of factors: %s", first, first[0] ? "; " : "",
                          without[s->kind], why);
}

/* A value a point as one a case: replicates have the same. */
static cap_status put_cases(job *j, const char *name, const char *unit, const char *about, const columns *c,
                            const double *values, double *cases)
{
  for (int64_t k = 0; k < j->table->ncase; k++) cases[k] = NAN;
  for (int i = 0; i < c->n; i++)
    for (int r = 0; r < j->sample.replicates; r++)
      cases[(int64_t)c->points[i] * j->sample.replicates + r] = values[i];
  return put_vector(j, name, unit, about, j->table->ncase, NULL, cases);
}

static cap_status put_surface(job *j, int response, const columns *c, const cap_surface_design *d,
                              const cap_surface *s, const double *coefficients, const double *fitted,
                              const double *left_out, double *cases)
{
  const char *unit = unit_of(j, response), *base;
  if (!(base = cap_arena_format(&j->arena, "surface.%s", j->study->responses[response].name)))
    return no_memory(j);
#define NAME(end) cap_arena_format(&j->arena, "%s." end, base)
  const char *note = note_of(j, d, s), *at = NAME("note");
  if (!note || !at) return no_memory(j);
  CAP_TRY(told(j, j->sink->text(j->sink, at, note)));
  CAP_TRY(put_left_out(j, "surface", response, (double)j->sample.left_out[response]));
  if (s->kind < 0) return CAP_OK;
  const char *terms = name_terms(j, d, s->nterm, 0, "\n");
  if (!terms || !(at = NAME("terms"))) return no_memory(j);
  CAP_TRY(told(j, j->sink->text(j->sink, at, terms)));
  CAP_TRY(put_vector(j, NAME("coefficients"), unit, "coefficients of the terms, in standardised factors",
                     s->nterm, NULL, coefficients));
  CAP_TRY(put_vector(j, NAME("centre"), "", "mean of the factors (of the logarithm for logarithmic ones)",
                     d->nfactor, NULL, d->centre));
  CAP_TRY(put_vector(j, NAME("scale"), "", "standard deviation of the factors", d->nfactor, NULL, d->scale));
  CAP_TRY(put_cases(j, NAME("predicted"), unit, "predicted by the surface", c, fitted, cases));
  CAP_TRY(put_cases(j, NAME("left_out"), unit, "predicted by the surface through all other points", c,
                    left_out, cases));
  CAP_TRY(put_number(j, NAME("R2"), "1", "share of the variance explained by the surface", s->r2));
  CAP_TRY(
      put_number(j, NAME("Q2"), "1", "share of the variance explained at points left out one by one", s->q2));
  CAP_TRY(put_number(j, NAME("rms"), unit, "error of the surface", s->rms));
  return put_number(j, NAME("rms_left_out"), unit, "error of the surface at points left out one by one",
                    s->rms_left_out);
#undef NAME
}

/* Surfaces of responses with values at the same points. */
static cap_status put_surfaces_of(job *j, const columns *c)
{
  cap_surface_design d;
  cap_sensitivity_given_kind kinds[64];
  kinds_of(j, kinds);
  CAP_TRY(cap_surface_design_init(&d, c->n, j->study->nfactor, c->x, kinds, j->error));
  double *coefficients = malloc(sizeof(double) *
                                ((size_t)d.nterm + 2 * (size_t)c->n + (size_t)j->table->ncase + 1));
  cap_status status = coefficients ? CAP_OK : no_memory(j);
  for (int g = 0; g < c->ngroup && status == CAP_OK; g++) {
    double *fitted = coefficients + d.nterm, *left_out = fitted + c->n, *cases = left_out + c->n;
    cap_surface s;
    status = cap_surface_fit(&d, c->y + (int64_t)g * c->n, &s, coefficients, fitted, left_out, j->error);
    if (status == CAP_OK)
      status = put_surface(j, c->group[g], c, &d, &s, coefficients, fitted, left_out, cases);
  }
  free(coefficients);
  cap_surface_design_free(&d);
  return status;
}

static cap_status put_surfaces(job *j)
{
  bool done[64] = {false};
  const char *logarithmic = "";
  for (int f = 0; f < j->study->nfactor; f++)
    if (j->sample.varied[f] && cap_sample_logarithmic(&j->sample, j->study, f)) {
      logarithmic = cap_arena_format(&j->arena, "%s%s%s", logarithmic, logarithmic[0] ? "\n" : "",
                                     j->study->factors[f].name);
      if (!logarithmic) return no_memory(j);
    }
  CAP_TRY(told(j, j->sink->text(j->sink, "surface.logarithmic", logarithmic)));
  for (int r = 0; r < j->sample.nresponse; r++) {
    columns c;
    if (done[r]) continue;
    CAP_TRY(take_columns(j, r, done, false, &c));
    cap_status status = put_surfaces_of(j, &c);
    free_columns(&c);
    CAP_TRY(status);
  }
  return CAP_OK;
}

/* ---- Pareto's front ------------------------------------------------------------------------------------ */

static cap_status put_pareto(job *j)
{
  const cap_study_table *t = j->table;
  const int n = j->study->npareto;
  double *f = malloc(sizeof *f * ((size_t)t->ncase * (size_t)n + 1));
  unsigned char *front = malloc((size_t)t->ncase + 1);
  cap_status status = f && front ? CAP_OK : no_memory(j);
  for (int64_t k = 0; k < t->ncase && status == CAP_OK; k++)
    for (int i = 0; i < n; i++) {
      const int r = j->study->pareto[i];
      const double y = t->responses[k * t->nresponse + r];
      const bool largest = j->study->responses[r].goal == CAP_STUDY_MAXIMISE;
      f[k * n + i] = t->states[k] == CAP_STUDY_FINE ? (largest ? -y : y) : NAN;
    }
  if (status == CAP_OK) status = cap_pareto_front(t->ncase, n, f, front, j->error);
  if (status == CAP_OK) {
    for (int64_t k = 0; k < t->ncase; k++) f[k] = front[k];
    status = put_vector(j, "pareto", "1", "1: no case is better in all responses", t->ncase, NULL, f);
  }
  free(f), free(front);
  const char *text = "";
  for (int i = 0; i < n && text; i++) {
    const cap_study_response *r = j->study->responses + j->study->pareto[i];
    text = cap_arena_format(&j->arena, "%s%s%s %s", text, i > 0 ? "\n" : "", r->name,
                            r->goal == CAP_STUDY_MAXIMISE ? "maximise" : "minimise");
  }
  CAP_TRY(status);
  if (!text) return no_memory(j);
  return told(j, j->sink->text(j->sink, "pareto.responses", text));
}

static cap_status put_all(job *j)
{
  int64_t values = 0;
  for (int r = 0; r < j->sample.nresponse; r++) values += j->table->ncase - j->sample.left_out[r];
  if (values == 0) return told(j, j->sink->text(j->sink, "sensitivity.kind", "none: no case has a value"));
  for (int f = 0; f < j->study->nfactor; f++) CAP_TRY(put_effects_of(j, f));
  CAP_TRY(put_sensitivity(j));
  for (int r = 0; r < j->sample.nresponse; r++)
    if (isfinite(j->sample.scatter[r]))
      CAP_TRY(put_number(j, cap_arena_format(&j->arena, "scatter.%s", j->study->responses[r].name),
                         unit_of(j, r), "standard deviation between replicates of a point",
                         j->sample.scatter[r]));
  if (j->study->surface) CAP_TRY(put_surfaces(j));
  return j->study->npareto > 0 ? put_pareto(j) : CAP_OK;
}

cap_status cap_study_analysis_put(const cap_study *study, const cap_study_table *table, cap_sink *sink,
                                  cap_error *error)
{
  job j = {.study = study, .table = table, .sink = sink, .error = error};
  if (study->nfactor > 64 || study->nresponse > 64)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "expected at most 64 factors and 64 responses");
  if (table->ncase == 0 || study->nresponse == 0) return CAP_OK;
  CAP_TRY(cap_sample_init(&j.sample, study, table, error));
  cap_status status = put_all(&j);
  cap_sample_free(&j.sample);
  cap_arena_free(&j.arena);
  return status;
}
