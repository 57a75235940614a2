/* study/design.c — see design.h. */
#include "study/design.h"
#include "study/chains.h"
#include "study/distribution.h"
#include "study/draw.h"
#include "study/sobol.h"

#include <stdlib.h>
#include <string.h>

static cap_status no_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for the cases");
}

/* Where point p begins: its first replicate. */
static double *row_of(const cap_study *s, int64_t p)
{
  return s->values + p * s->replicates * s->nfactor;
}

/* ------------------------------------------------------------------------------------------------ numbers */

/* The values of a factor when only it varies; `values` (may be NULL) takes them. */
static int own_values(const cap_study_factor *f, double *values)
{
  double ends[2];
  const double *all = f->values;
  int n = f->nvalue, used = 0;
  if (f->law != CAP_STUDY_LISTED) {
    cap_distribution_ends(f, &ends[0], &ends[1]);
    all = ends, n = 2;
  }
  for (int k = 0; k < n; k++) {
    if (all[k] == f->nominal) continue; /* that case is there */
    if (values) values[used] = all[k];
    used++;
  }
  return used;
}

static int64_t limited(int64_t n)
{
  return n > CAP_STUDY_CASES ? -1 : n;
}

static int64_t grid_points(const cap_study *s)
{
  int64_t n = 1;
  for (int i = 0; i < s->nindependent && n > 0; i++) n = limited(n * s->factors[s->independent[i]].nvalue);
  return n;
}

static int64_t one_at_a_time_points(const cap_study *s)
{
  int64_t n = 1;
  for (int i = 0; i < s->nindependent; i++) n += own_values(&s->factors[s->independent[i]], NULL);
  return limited(n);
}

int64_t cap_design_points(const cap_study *study, const cap_design_rows *rows)
{
  switch (study->design) {
  case CAP_STUDY_GRID:
    return grid_points(study);
  case CAP_STUDY_ONE_AT_A_TIME:
    return one_at_a_time_points(study);
  case CAP_STUDY_LATIN_HYPERCUBE:
  case CAP_STUDY_SOBOL:
    return limited(study->count);
  case CAP_STUDY_SALTELLI:
    return study->count > CAP_STUDY_CASES ? -1 : limited(study->count * (study->nindependent + 2));
  case CAP_STUDY_TABLE:
    return limited(rows->nrow);
  }
  return -1;
}

/* ------------------------------------------------------------------------------------------------ designs */

/* The first factor is the slowest. */
static void make_grid(const cap_study *s, int64_t npoint)
{
  for (int64_t p = 0; p < npoint; p++) {
    int64_t rest = p;
    for (int i = s->nindependent - 1; i >= 0; i--) {
      const cap_study_factor *f = &s->factors[s->independent[i]];
      row_of(s, p)[s->independent[i]] = f->values[rest % f->nvalue];
      rest /= f->nvalue;
    }
  }
}

static void put_nominal(const cap_study *s, double *row)
{
  for (int i = 0; i < s->nindependent; i++) row[s->independent[i]] = s->factors[s->independent[i]].nominal;
}

static cap_status make_one_at_a_time(const cap_study *s, cap_error *error)
{
  int64_t p = 0;
  put_nominal(s, row_of(s, p++));
  for (int i = 0; i < s->nindependent; i++) {
    const cap_study_factor *f = &s->factors[s->independent[i]];
    int most = f->nvalue > 2 ? f->nvalue : 2;
    double *values = malloc((size_t)most * sizeof *values);
    if (!values) return no_memory(error);
    int n = own_values(f, values);
    for (int k = 0; k < n; k++, p++) {
      put_nominal(s, row_of(s, p));
      row_of(s, p)[s->independent[i]] = values[k];
    }
    free(values);
  }
  return CAP_OK;
}

/* Each factor takes one value of each of `count` parts of equal probability; which part goes with which is
 * shuffled (Fisher and Yates), and the place within the part is drawn. Streams 2i and 2i + 1 of the seed are
 * those of the i-th factor that varies. */
static cap_status make_latin_hypercube(const cap_study *s, cap_error *error)
{
  const uint32_t n = (uint32_t)s->count;
  uint32_t *part = malloc((size_t)n * sizeof *part);
  if (!part) return no_memory(error);
  for (int i = 0; i < s->nindependent; i++) {
    const uint64_t stream = 2 * (uint64_t)i;
    for (uint32_t k = 0; k < n; k++) part[k] = k;
    for (uint32_t k = n - 1; k > 0; k--) {
      uint32_t other = capm_draw_below(capm_draw_bits(s->seed, stream, k), k + 1), kept = part[k];
      part[k] = part[other];
      part[other] = kept;
    }
    for (uint32_t k = 0; k < n; k++) {
      double within = capm_draw_unit(capm_draw_bits(s->seed, stream + 1, k));
      row_of(s, k)[s->independent[i]] = cap_distribution_quantile(&s->factors[s->independent[i]],
                                                                  ((double)part[k] + within) / (double)n);
    }
  }
  free(part);
  return CAP_OK;
}

static void put_quantiles(const cap_study *s, const double *u, double *row)
{
  for (int i = 0; i < s->nindependent; i++)
    row[s->independent[i]] = cap_distribution_quantile(&s->factors[s->independent[i]], u[i]);
}

/* Coordinates of one point: A, or A and B of Saltelli. */
static void put_sobol(const cap_study *s, int64_t p, const double *u)
{
  const int d = s->nindependent;
  if (s->design == CAP_STUDY_SOBOL) {
    put_quantiles(s, u, row_of(s, p));
    return;
  }
  double *a = row_of(s, p * (d + 2)), *b = row_of(s, p * (d + 2) + 1);
  put_quantiles(s, u, a);
  put_quantiles(s, u + d, b);
  for (int i = 0; i < d; i++) {
    double *mixed = row_of(s, p * (d + 2) + 2 + i);
    memcpy(mixed, a, (size_t)s->nfactor * sizeof *mixed);
    mixed[s->independent[i]] = b[s->independent[i]];
  }
}

/* All coordinates of the first two plain points are alike, so A and B would be the same there: B is turned by
 * a digital shift that is always the same, of those bits that `count` points use, so that its values are
 * middles of parts too. */
static void part_samples(const cap_study *s, cap_sobol *sobol)
{
  if (s->design != CAP_STUDY_SALTELLI || s->seed != 0) return;
  uint32_t used = 0;
  for (int64_t n = 1; n < s->count; n *= 2) used = used >> 1 | 1u << 31;
  for (int i = 0; i < s->nindependent; i++)
    sobol->shift[s->nindependent + i] = (uint32_t)(capm_draw_bits(0, (uint64_t)i, 1) >> 32) & used;
}

static cap_status make_sobol(const cap_study *s, cap_error *error)
{
  cap_sobol *sobol = malloc(sizeof *sobol);
  if (!sobol) return no_memory(error);
  double u[CAP_SOBOL_DIMENSIONS];
  cap_sobol_init(sobol, s->nindependent * (s->design == CAP_STUDY_SALTELLI ? 2 : 1), s->count, s->seed);
  part_samples(s, sobol);
  for (int64_t p = 0; p < s->count; p++) {
    cap_sobol_next(sobol, u);
    put_sobol(s, p, u);
  }
  free(sobol);
  return CAP_OK;
}

static void make_table(const cap_study *s, const cap_design_rows *rows)
{
  for (int64_t p = 0; p < rows->nrow; p++)
    for (int i = 0; i < s->nindependent; i++)
      row_of(s, p)[s->independent[i]] = rows->columns[s->independent[i]][p];
}

static cap_status make_points(const cap_study *s, const cap_design_rows *rows, int64_t npoint,
                              cap_error *error)
{
  switch (s->design) {
  case CAP_STUDY_GRID:
    make_grid(s, npoint);
    return CAP_OK;
  case CAP_STUDY_ONE_AT_A_TIME:
    return make_one_at_a_time(s, error);
  case CAP_STUDY_LATIN_HYPERCUBE:
    return make_latin_hypercube(s, error);
  case CAP_STUDY_SOBOL:
  case CAP_STUDY_SALTELLI:
    return make_sobol(s, error);
  case CAP_STUDY_TABLE:
    make_table(s, rows);
    return CAP_OK;
  }
  return CAP_OK;
}

/* Formulas of each point, then its replicates. */
static cap_status complete_points(const cap_study *s, int64_t npoint, cap_arena *scratch, cap_error *error)
{
  for (int64_t p = 0; p < npoint; p++) {
    double *row = row_of(s, p);
    if (s->nformula && cap_study_fill_with(s, row, scratch, error) != CAP_OK) {
      if (error->status == CAP_ERR_NOMEM) return CAP_ERR_NOMEM;
      cap_error inner = *error;
      return cap_status_fail(error, CAP_ERR_INPUT, "in case %lld, %s", (long long)(p * s->replicates + 1),
                             inner.text);
    }
    for (int r = 1; r < s->replicates; r++)
      memcpy(row + r * s->nfactor, row, (size_t)s->nfactor * sizeof *row);
  }
  return CAP_OK;
}

cap_status cap_design_make(cap_study *study, const cap_design_rows *rows, cap_error *error)
{
  int64_t npoint = cap_design_points(study, rows);
  if (npoint < 0 || npoint * study->replicates > CAP_STUDY_CASES)
    return cap_status_fail(error, CAP_ERR_INPUT, "too many cases; expected at most %d", CAP_STUDY_CASES);
  study->ncase = npoint * study->replicates;
  study->values = CAP_ARENA_NEW(&study->arena, double, study->ncase * study->nfactor + 1);
  if (!study->values) return no_memory(error);
  CAP_TRY(make_points(study, rows, npoint, error));
  cap_arena scratch = {0};
  cap_status status = complete_points(study, npoint, &scratch, error);
  cap_arena_free(&scratch);
  CAP_TRY(status);
  return cap_chains_make(study, error);
}
