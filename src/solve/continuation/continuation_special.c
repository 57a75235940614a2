/* solve/continuation/continuation_special.c — see continuation_special.h; the systems are those of
 * docs/theory.md §12. */
#include "solve/continuation/continuation_special.h"

#include "solve/continuation/continuation_correct.h"

enum { MOST_ITERATIONS = 10 };

/* The corner-stones of one iteration, in scratch vectors. */
enum { DISPLACED, PRODUCT, PSI, FIRST, SECOND, PARTICULAR, SLOPE, SLOPE_SECOND, LEFT, RIGHT };

/* out[n + 1] = psi^T [J Fp] of the last evaluation. */
static void left_product(const cap_continuation *c, const double *psi, double *out)
{
  int n = c->n;
  out[n] = 0.0;
  for (int i = 0; i < n; i++) out[n] += psi[i] * c->fp[i];
  if (c->problem.product) {
    c->problem.product(c->problem.self, psi, out);
    return;
  }
  memset(out, 0, (size_t)n * sizeof *out);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) out[j] += psi[i] * c->fx[(size_t)i * (size_t)n + (size_t)j];
}

/* slope[n + 1] = psi^T D2F [v, .] by central differences along v. */
static cap_status second_derivative(cap_continuation *c, const double *z, const double *psi, const double *v,
                                    double *slope)
{
  int size = c->n + 1;
  double length = continuation_norm(c, size, v);
  double h = 6e-6 * (1.0 + continuation_norm(c, size, z)) / (length > 0.0 ? length : 1.0);
  double *displaced = c->scratch[DISPLACED], *product = c->scratch[PRODUCT];
  for (int i = 0; i < size; i++) displaced[i] = z[i] + h * v[i];
  CAP_TRY(cap_continuation_correct_evaluate(c, displaced));
  left_product(c, psi, slope);
  for (int i = 0; i < size; i++) displaced[i] = z[i] - h * v[i];
  CAP_TRY(cap_continuation_correct_evaluate(c, displaced));
  left_product(c, psi, product);
  for (int i = 0; i < size; i++) slope[i] = (slope[i] - product[i]) / (2.0 * h);
  return CAP_OK;
}

static double plain_dot(int n, const double *a, const double *b)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Quadratic convergence leaves the square of the last correction, or it has stopped shrinking in rounding. */
static bool settled(double size, double before)
{
  return size < 3e-8 || (size < 1e-6 && size > 0.1 * before);
}

/* ---- folds --------------------------------------------------------------------------------------------- */

/* With M = [J Fp; t^T W], M v = (0, 1) is the tangent, and v_p = 0 the fold. */
static cap_status fold_step(cap_continuation *c, const double *normal, double *z, double *size)
{
  int n = c->n;
  double *v = c->scratch[FIRST], *psi = c->scratch[PSI], *particular = c->scratch[PARTICULAR];
  double *slope = c->scratch[SLOPE];
  CAP_TRY(cap_continuation_correct_evaluate(c, z));
  for (int i = 0; i <= n; i++) c->row[i] = c->weight[i] * normal[i];
  CAP_TRY(cap_continuation_border_factor(&c->border, c->fx, 1, (const double *[]){c->fp},
                                         (const double *[]){c->row}));
  for (int i = 0; i <= n; i++) {
    v[i] = psi[i] = i == n;
    particular[i] = i < n ? -c->f[i] : 0.0;
  }
  cap_continuation_border_solve(&c->border, false, v);
  cap_continuation_border_solve(&c->border, true, psi);
  cap_continuation_border_solve(&c->border, false, particular);
  CAP_TRY(second_derivative(c, z, psi, v, slope));
  double gamma = (v[n] - plain_dot(n + 1, slope, particular)) / plain_dot(n + 1, slope, v);
  for (int i = 0; i <= n; i++) particular[i] += gamma * v[i];
  *size = continuation_norm(c, n + 1, particular) / (1.0 + continuation_norm(c, n + 1, z));
  if (!isfinite(*size)) return CAP_RETRY_NOCONV;
  for (int i = 0; i <= n; i++) z[i] += particular[i];
  return CAP_OK;
}

cap_status cap_continuation_special_fold(cap_continuation *c, cap_continuation_state *at)
{
  double *z = c->scratch[RIGHT], size = INFINITY;
  continuation_copy(c->n + 1, z, at->z);
  for (int count = 0; count < MOST_ITERATIONS; count++) {
    double before = size;
    CAP_TRY(fold_step(c, at->t, z, &size));
    if (!settled(size, before)) continue;
    double *normal = c->scratch[LEFT];
    continuation_copy(c->n + 1, normal, at->t);
    return cap_continuation_correct(c, z, normal, 1e-9, at);
  }
  return CAP_RETRY_NOCONV;
}

/* ---- branch points ------------------------------------------------------------------------------------- */

/* Approximate null vectors of M = [J Fp; t^T W] near the branch point by inverse iteration: left -> the
 * border column, right -> the second border row. The start vectors are arbitrary, with no symmetry. */
static cap_status null_vectors(cap_continuation *c, const cap_continuation_state *at)
{
  int n = c->n;
  double *left = c->scratch[LEFT], *right = c->scratch[RIGHT];
  CAP_TRY(cap_continuation_correct_evaluate(c, at->z));
  for (int i = 0; i <= n; i++) {
    c->row[i] = c->weight[i] * at->t[i];
    left[i] = right[i] = (1.0 + 0.31 * (i % 7) + 0.17 * (i % 3)) / sqrt(c->weight[i]);
  }
  CAP_TRY(cap_continuation_border_factor(&c->border, c->fx, 1, (const double *[]){c->fp},
                                         (const double *[]){c->row}));
  for (int pass = 0; pass < 4; pass++) {
    double *to = pass % 2 ? left : right;
    continuation_copy(n + 1, c->rhs, pass % 2 ? right : left);
    cap_continuation_border_solve(&c->border, pass % 2, c->rhs);
    double most = 0.0;
    for (int i = 0; i <= n; i++) most = fmax(most, fabs(c->rhs[i]));
    if (!(most > 0.0) || !isfinite(most)) return CAP_RETRY_NOCONV;
    for (int i = 0; i <= n; i++) to[i] = c->rhs[i] / most;
  }
  double along = continuation_dot(c, n + 1, right, at->t);
  for (int i = 0; i <= n; i++) right[i] -= along * at->t[i];
  return cap_continuation_correct_normalise(c, right) ? CAP_OK : CAP_RETRY_NOCONV;
}

/* M = [J Fp b; c1 0; c2 0] at z, and from it: both kernel vectors, psi, the particular solution; g[2]. */
static cap_status branch_solves(cap_continuation *c, const double *normal, const double *z, double *g)
{
  int n = c->n;
  double *rows[2] = {c->scratch[SLOPE], c->scratch[SLOPE_SECOND]}; /* free until the slopes are taken */
  for (int i = 0; i <= n; i++) {
    rows[0][i] = c->weight[i] * normal[i];
    rows[1][i] = c->weight[i] * c->scratch[RIGHT][i];
  }
  rows[0][n + 1] = rows[1][n + 1] = 0.0;
  CAP_TRY(cap_continuation_correct_evaluate(c, z));
  CAP_TRY(cap_continuation_border_factor(&c->border, c->fx, 2, (const double *[]){c->fp, c->scratch[LEFT]},
                                         (const double *[]){rows[0], rows[1]}));
  double *solves[4] = {c->scratch[FIRST], c->scratch[SECOND], c->scratch[PSI], c->scratch[PARTICULAR]};
  for (int s = 0; s < 4; s++) memset(solves[s], 0, (size_t)(n + 2) * sizeof(double));
  solves[0][n] = solves[1][n + 1] = solves[2][n + 1] = 1.0;
  for (int i = 0; i < n; i++) solves[3][i] = -c->f[i];
  for (int s = 0; s < 4; s++) cap_continuation_border_solve(&c->border, s == 2, solves[s]);
  g[0] = solves[0][n + 1];
  g[1] = solves[1][n + 1];
  return CAP_OK;
}

/* One Newton step for F + beta b = 0, g = 0; form = {a11, a12, a22}, psi^T D2F on the kernel. */
static cap_status branch_step(cap_continuation *c, const double *normal, double *z, double *size,
                              double *beta, double *form)
{
  int n = c->n;
  double g[2];
  CAP_TRY(branch_solves(c, normal, z, g));
  double *v[2] = {c->scratch[FIRST], c->scratch[SECOND]}, *particular = c->scratch[PARTICULAR];
  double *slope[2] = {c->scratch[SLOPE], c->scratch[SLOPE_SECOND]};
  for (int j = 0; j < 2; j++) CAP_TRY(second_derivative(c, z, c->scratch[PSI], v[j], slope[j]));
  double a11 = plain_dot(n + 1, slope[0], v[0]), a22 = plain_dot(n + 1, slope[1], v[1]);
  double a12 = 0.5 * (plain_dot(n + 1, slope[0], v[1]) + plain_dot(n + 1, slope[1], v[0]));
  double r0 = g[0] - plain_dot(n + 1, slope[0], particular);
  double r1 = g[1] - plain_dot(n + 1, slope[1], particular);
  double det = a11 * a22 - a12 * a12;
  double gamma[2] = {(a22 * r0 - a12 * r1) / det, (a11 * r1 - a12 * r0) / det};
  *beta = particular[n + 1] + gamma[0] * g[0] + gamma[1] * g[1];
  for (int i = 0; i <= n; i++) particular[i] += gamma[0] * v[0][i] + gamma[1] * v[1][i];
  *size = continuation_norm(c, n + 1, particular) / (1.0 + continuation_norm(c, n + 1, z));
  if (!isfinite(*size)) return CAP_RETRY_NOCONV;
  for (int i = 0; i <= n; i++) z[i] += particular[i];
  form[0] = a11, form[1] = a12, form[2] = a22;
  return CAP_OK;
}

/* Directions with a11 a^2 + 2 a12 a b + a22 b^2 = 0, as combinations of the kernel vectors: the one nearer to
 * the old tangent becomes at->t, the other one `other`. */
static cap_status branch_tangents(const cap_continuation *c, const double *form, cap_continuation_state *at,
                                  double *other)
{
  double disc = form[1] * form[1] - form[0] * form[2];
  if (!(disc > 0.0)) return CAP_RETRY_NOCONV; /* an isolated point: no curve passes */
  double q = -(form[1] + copysign(sqrt(disc), form[1]));
  double first[2] = {q, form[0]}, second[2] = {form[2], q};
  double *t = c->rhs;
  for (int i = 0; i <= c->n; i++) {
    t[i] = first[0] * c->scratch[FIRST][i] + first[1] * c->scratch[SECOND][i];
    other[i] = second[0] * c->scratch[FIRST][i] + second[1] * c->scratch[SECOND][i];
  }
  if (!cap_continuation_correct_normalise(c, t) || !cap_continuation_correct_normalise(c, other))
    return CAP_RETRY_NOCONV;
  double cos_t = continuation_dot(c, c->n + 1, t, at->t),
         cos_other = continuation_dot(c, c->n + 1, other, at->t);
  if (fabs(cos_other) > fabs(cos_t)) {
    for (int i = 0; i <= c->n; i++) {
      double keep = t[i];
      t[i] = other[i];
      other[i] = keep;
    }
    cos_t = cos_other;
  }
  for (int i = 0; i <= c->n; i++) at->t[i] = cos_t < 0.0 ? -t[i] : t[i];
  return CAP_OK;
}

cap_status cap_continuation_special_branch(cap_continuation *c, cap_continuation_state *at, double *other)
{
  CAP_TRY(null_vectors(c, at));
  double size = INFINITY, beta = 0.0, form[3];
  for (int count = 0; count < MOST_ITERATIONS; count++) {
    double before = size;
    CAP_TRY(branch_step(c, at->t, at->z, &size, &beta, form));
    if (!settled(size, before)) continue;
    /* beta is what F lacks for a crossing: branches of gap sqrt(2 beta / a) do not meet */
    double most = fmax(fabs(form[0]), fmax(fabs(form[1]), fabs(form[2])));
    double gap = sqrt(2.0 * fabs(beta) / most);
    if (!(gap <= 1e-6 * (1.0 + continuation_norm(c, c->n + 1, at->z)))) return CAP_RETRY_NOCONV;
    at->sign = 0;
    return branch_tangents(c, form, at, other);
  }
  return CAP_RETRY_NOCONV;
}
