/* solve/continuation/continuation_correct.c — see continuation_correct.h. */
#include "solve/continuation/continuation_correct.h"

static bool all_finite(int n, const double *a)
{
  double sum = 0.0; /* 0 * a is NaN for every value that is not finite */
  for (int i = 0; i < n; i++) sum += 0.0 * a[i];
  return sum == 0.0;
}

cap_status cap_continuation_correct_evaluate(cap_continuation *c, const double *z)
{
  c->nevaluation++;
  c->why = CAP_CONTINUATION_REJECT_NONFINITE;
  cap_status status = c->problem.jacobian(c->problem.self, z, z[c->n], c->f, c->fx, c->fp);
  if (status < 0) {
    c->why = CAP_CONTINUATION_REJECT_FAILED;
    c->failed = status;
  }
  if (status != CAP_OK) return status;
  return all_finite(c->n, c->f) && all_finite(c->n, c->fp) ? CAP_OK : CAP_RETRY_NONFINITE;
}

double cap_continuation_correct_residual(const cap_continuation *c, const double *f)
{
  double most = 0.0;
  for (int i = 0; i < c->n; i++)
    most = fmax(most, fabs(f[i]) / (c->problem.f_scale ? c->problem.f_scale[i] : 1.0));
  return most;
}

bool cap_continuation_correct_normalise(const cap_continuation *c, double *t)
{
  double size = continuation_norm(c, c->n + 1, t);
  if (!(size > 0.0) || !isfinite(size)) return false;
  for (int i = 0; i <= c->n; i++) t[i] /= size;
  return true;
}

/* The tangent from the factors of the last iteration: M t' = (0, 1) has t' on the normal's side. */
static cap_status tangent_from_factors(cap_continuation *c, cap_continuation_state *to)
{
  memset(to->t, 0, (size_t)c->n * sizeof *to->t);
  to->t[c->n] = 1.0;
  cap_continuation_border_solve(&c->border, false, to->t);
  if (!cap_continuation_correct_normalise(c, to->t)) return CAP_RETRY_NOCONV;
  to->sign = c->border.sign;
  return CAP_OK;
}

/* One Newton step towards F = 0, normal . (z - from) = 0; its size over 1 + |z| in *size. */
static cap_status newton_step(cap_continuation *c, const double *from, const double *normal, double *z,
                              double *size)
{
  int n = c->n;
  CAP_TRY(cap_continuation_correct_evaluate(c, z));
  double distance = 0.0;
  for (int i = 0; i <= n; i++) {
    c->row[i] = c->weight[i] * normal[i];
    distance += c->row[i] * (z[i] - from[i]);
  }
  c->why = CAP_CONTINUATION_REJECT_SINGULAR;
  CAP_TRY(cap_continuation_border_factor(&c->border, c->fx, 1, (const double *[]){c->fp},
                                         (const double *[]){c->row}));
  for (int i = 0; i < n; i++) c->rhs[i] = -c->f[i];
  c->rhs[n] = -distance;
  cap_continuation_border_solve(&c->border, false, c->rhs);
  *size = continuation_norm(c, n + 1, c->rhs) / (1.0 + continuation_norm(c, n + 1, z));
  if (!isfinite(*size)) return CAP_RETRY_NOCONV;
  for (int i = 0; i <= n; i++) z[i] += c->rhs[i];
  return CAP_OK;
}

/* Rounding keeps a correction from shrinking further. */
static bool at_rounding(const double *corrections, int count)
{
  return count >= 3 && corrections[count - 1] < 1e-9 && corrections[count - 1] > 0.2 * corrections[count - 2];
}

static bool diverges(const double *corrections, int count)
{
  if (count < 2 || corrections[count - 1] < 1e-9) return false;
  return corrections[count - 1] > 2.0 * corrections[count - 2] ||
         (count > 2 && corrections[count - 1] > corrections[count - 3]);
}

cap_status cap_continuation_correct(cap_continuation *c, const double *from, const double *normal,
                                    double tolerance, cap_continuation_state *to)
{
  continuation_copy(c->n + 1, to->z, from);
  for (int count = 1; count <= c->options.max_iterations; count++) {
    double *size = &c->corrections[count - 1];
    CAP_TRY(newton_step(c, from, normal, to->z, size));
    to->iterations = count;
    if (*size <= tolerance || at_rounding(c->corrections, count)) {
      to->residual = cap_continuation_correct_residual(c, c->f);
      return tangent_from_factors(c, to);
    }
    if (diverges(c->corrections, count)) break;
  }
  c->why = CAP_CONTINUATION_REJECT_NOCONV;
  return CAP_RETRY_NOCONV;
}

cap_status cap_continuation_correct_tests(cap_continuation *c, cap_continuation_state *at)
{
  if (c->problem.ntest == 0) return CAP_OK;
  cap_status status = c->problem.test(c->problem.self, at->z, at->z[c->n], at->tests);
  if (status < 0) {
    c->why = CAP_CONTINUATION_REJECT_FAILED;
    c->failed = status;
  }
  return status;
}
