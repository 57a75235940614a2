/* solve/continuation/continuation_fold.c — fold curves in two parameters.
 *
 * The fold is F = 0, g = 0 with g from [J b; c^T 0] (v, g) = (0, 1): n + 1 equations for (x, p) with
 * parameter q, handed to the same continuation core. g_z = -psi^T D2F [v, .] with psi from the transposed
 * system; the derivative of psi^T [J Fp Fq] along v is a central difference of Jacobians. b and c follow psi
 * and v from point to point, and keep within a step.
 */
#include "solve/continuation/continuation_work.h"

typedef struct fold_system {
  const cap_continuation_family *family;
  cap_arena arena;
  int n;
  double *weight;                   /* [n] 1 / x_scale^2 */
  double *b, *c;                    /* [n], [n + 1] with a zero at the end: borders */
  double *v, *psi;                  /* [n + 1] */
  double *fx, *f, *fp, *fq, *place; /* of the family */
  double *plus, *minus;             /* [n + 2] psi^T [J Fp Fq] on both sides */
  cap_continuation_border border;
  cap_continuation_sink sink;
  void *sink_self;
  int first_index; /* of the half in hand */
} fold_system;

/* J at (x, p, q), v, psi and g. */
static cap_status bordered(fold_system *s, const double *x, double p, double q, double *g)
{
  int n = s->n;
  CAP_TRY(s->family->jacobian(s->family->self, x, p, q, s->f, s->fx, s->fp, s->fq));
  CAP_TRY(cap_continuation_border_factor(&s->border, s->fx, 1, (const double *[]){s->b},
                                         (const double *[]){s->c}));
  for (int i = 0; i <= n; i++) s->v[i] = s->psi[i] = i == n;
  cap_continuation_border_solve(&s->border, false, s->v);
  cap_continuation_border_solve(&s->border, true, s->psi);
  *g = s->v[n];
  return CAP_OK;
}

static cap_status fold_residual(void *self, const double *x, double q, double *f)
{
  fold_system *s = self;
  CAP_TRY(bordered(s, x, x[s->n], q, &f[s->n]));
  continuation_copy(s->n, f, s->f);
  return CAP_OK;
}

/* out[n + 2] = psi^T [J Fp Fq] at x + h v. */
static cap_status displaced_product(fold_system *s, const double *x, double q, double h, double *out)
{
  int n = s->n;
  for (int i = 0; i < n; i++) s->place[i] = x[i] + h * s->v[i];
  CAP_TRY(s->family->jacobian(s->family->self, s->place, x[n], q, s->f, s->fx, s->fp, s->fq));
  memset(out, 0, (size_t)(n + 2) * sizeof *out);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) out[j] += s->psi[i] * s->fx[(size_t)i * (size_t)n + (size_t)j];
    out[n] += s->psi[i] * s->fp[i];
    out[n + 1] += s->psi[i] * s->fq[i];
  }
  return CAP_OK;
}

static double scaled_norm(const fold_system *s, const double *x)
{
  double square = 0.0;
  for (int i = 0; i < s->n; i++) square += s->weight[i] * x[i] * x[i];
  return sqrt(square);
}

static cap_status fold_jacobian(void *self, const double *x, double q, double *f, double *fx, double *fq)
{
  fold_system *s = self;
  int n = s->n;
  CAP_TRY(fold_residual(self, x, q, f));
  for (int i = 0; i < n; i++) {
    double *row = fx + (size_t)i * (size_t)(n + 1);
    continuation_copy(n, row, s->fx + (size_t)i * (size_t)n);
    row[n] = s->fp[i];
    fq[i] = s->fq[i];
  }
  double h = 6e-6 * (1.0 + scaled_norm(s, x)) / scaled_norm(s, s->v);
  CAP_TRY(displaced_product(s, x, q, h, s->plus));
  CAP_TRY(displaced_product(s, x, q, -h, s->minus));
  double *last = fx + (size_t)n * (size_t)(n + 1);
  for (int j = 0; j <= n; j++) last[j] = -(s->plus[j] - s->minus[j]) / (2.0 * h);
  fq[n] = -(s->plus[n + 1] - s->minus[n + 1]) / (2.0 * h);
  return CAP_OK;
}

/* b and c along psi and v: [J b; c^T 0] stays well conditioned along the curve. */
static void follow_borders(fold_system *s)
{
  double left = 0.0, right = 0.0;
  for (int i = 0; i < s->n; i++) {
    left = fmax(left, fabs(s->psi[i]));
    right = fmax(right, sqrt(s->weight[i]) * fabs(s->v[i]));
  }
  for (int i = 0; i < s->n; i++) {
    s->b[i] = s->psi[i] / left;
    s->c[i] = s->weight[i] * s->v[i] / right;
  }
}

/* Null vectors at the start: [J Fp; r^T 0] is regular at a fold for almost every r. */
static cap_status start_borders(fold_system *s, const double *x, double p, double q)
{
  CAP_TRY(s->family->jacobian(s->family->self, x, p, q, s->f, s->fx, s->fp, s->fq));
  continuation_copy(s->n, s->b, s->fp);
  for (int i = 0; i < s->n; i++) s->c[i] = sqrt(s->weight[i]) * (1.0 + 0.31 * (i % 7) + 0.17 * (i % 3));
  for (int pass = 0; pass < 3; pass++) {
    double g;
    CAP_TRY(bordered(s, x, p, q, &g));
    follow_borders(s);
  }
  return CAP_OK;
}

static bool fold_sink(void *self, const cap_continuation_point *point)
{
  fold_system *s = self;
  bool special = point->kind == CAP_CONTINUATION_FOLD || point->kind == CAP_CONTINUATION_BRANCH ||
                 point->kind == CAP_CONTINUATION_TEST;
  double g;
  if (!special && bordered(s, point->x, point->x[s->n], point->p, &g) == CAP_OK) follow_borders(s);
  if (s->first_index > 0 && point->kind == CAP_CONTINUATION_START) return true; /* told already */
  cap_continuation_point told = *point;
  told.index += s->first_index;
  return s->sink(s->sink_self, &told);
}

static double *ones_or(cap_arena *arena, int n, const double *values, double last)
{
  double *to = CAP_ARENA_NEW(arena, double, n + 1);
  if (!to) return NULL;
  for (int i = 0; i < n; i++) to[i] = values ? values[i] : 1.0;
  to[n] = last > 0.0 ? last : 1.0;
  return to;
}

static bool fold_memory(fold_system *s, double **x_scale, double **f_scale)
{
  cap_arena *arena = &s->arena;
  int n = s->n;
  *x_scale = ones_or(arena, n, s->family->x_scale, s->family->p_scale);
  *f_scale = ones_or(arena, n, s->family->f_scale, 1.0);
  double **vectors[] = {&s->weight, &s->b,  &s->c,     &s->v,    &s->psi,  &s->f,
                        &s->fp,     &s->fq, &s->place, &s->plus, &s->minus};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    if (!(*vectors[k] = CAP_ARENA_NEW(arena, double, n + 2))) return false;
  s->fx = CAP_ARENA_NEW(arena, double, ((size_t)n * (size_t)n));
  if (!*x_scale || !*f_scale || !s->fx) return false;
  for (int i = 0; i < n; i++) s->weight[i] = 1.0 / ((*x_scale)[i] * (*x_scale)[i]);
  if (!cap_continuation_border_init(&s->border, arena, n, *x_scale, NULL)) return false;
  s->border.progress = s->family->progress;
  return true;
}

/* One direction. The borders belong to the start again: those of the other end may not suit it. */
static cap_status run_half(fold_system *s, cap_continuation *c, const cap_continuation_start *start,
                           int direction, cap_continuation_result *result, cap_error *error)
{
  cap_status status = start_borders(s, start->x, start->x[s->n], start->p);
  if (status != CAP_OK)
    return cap_status_fail(error, status,
                           "no fold near p = %.9g, q = %.9g: the bordered Jacobian is singular",
                           start->x[s->n], start->p);
  return cap_continuation_run(c, start, direction, fold_sink, s, result, error);
}

static cap_status run_halves(fold_system *s, cap_continuation *c, const cap_continuation_start *start,
                             int direction, cap_continuation_result *result, cap_error *error)
{
  CAP_TRY(run_half(s, c, start, direction ? direction : 1, result, error));
  if (direction != 0 || result->end[0] == CAP_CONTINUATION_END_CLOSED ||
      result->end[0] == CAP_CONTINUATION_END_STOPPED)
    return CAP_OK;
  cap_continuation_result back;
  s->first_index = result->npoint - 1; /* the start is not told again */
  CAP_TRY(run_half(s, c, start, -1, &back, error));
  result->end[1] = back.end[1];
  result->reject[1] = back.reject[1];
  result->p_end[1] = back.p_end[1];
  memcpy(result->text[1], back.text[1], sizeof back.text[1]);
  result->npoint += back.npoint - 1;
  result->nfold += back.nfold, result->nbranch += back.nbranch, result->ncorner += back.ncorner;
  result->nrejected += back.nrejected, result->nevaluation += back.nevaluation;
  return CAP_OK;
}

static cap_status run_fold(fold_system *s, const cap_continuation_options *options, const double *x, double p,
                           double q, int direction, cap_continuation_result *result, cap_error *error)
{
  double *x_scale, *f_scale, *place = NULL;
  if (!fold_memory(s, &x_scale, &f_scale) || !(place = CAP_ARENA_NEW(&s->arena, double, s->n + 1)))
    return cap_status_fail(error, CAP_ERR_NOMEM, "no memory for a fold curve of %d unknowns", s->n);
  continuation_copy(s->n, place, x);
  place[s->n] = p;
  cap_continuation_problem problem = {.n = s->n + 1,
                                      .self = s,
                                      .residual = fold_residual,
                                      .jacobian = fold_jacobian,
                                      .x_scale = x_scale,
                                      .f_scale = f_scale,
                                      .p_scale = s->family->q_scale,
                                      .progress = s->family->progress};
  cap_continuation *c = NULL;
  CAP_TRY(cap_continuation_create(&problem, options, &c, error));
  cap_status status = run_halves(s, c, &(cap_continuation_start){.x = place, .p = q}, direction, result,
                                 error);
  cap_continuation_free(c);
  return status;
}

cap_status cap_continuation_fold(const cap_continuation_family *family,
                                 const cap_continuation_options *options, const double *x, double p, double q,
                                 int direction, cap_continuation_sink sink, void *sink_self,
                                 cap_continuation_result *result, cap_error *error)
{
  *result = (cap_continuation_result){0};
  if (family->n < 1 || !family->jacobian)
    return cap_status_fail(error, CAP_ERR_INPUT, "fold curve: expected unknowns and functions");
  fold_system s = {.family = family, .n = family->n, .sink = sink, .sink_self = sink_self};
  cap_status status = run_fold(&s, options, x, p, q, direction, result, error);
  cap_arena_free(&s.arena);
  return status;
}
