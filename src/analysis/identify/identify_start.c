/* analysis/identify/identify_start.c — first parameters of a law from the geometry of the loop. */
#include "analysis/identify/identify_start.h"
#include "linalg/lu.h"
#include <math.h>
#include <nlopt.h>
#include <string.h>

enum { LANES = CAP_IDENTIFY_LAW_LANES, P = CAP_IDENTIFY_LAW_UNKNOWNS };
static const double PI = 3.14159265358979323846;

static double sum_of_squares(const double *data, const double *force, int n)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += (data[i] - force[i]) * (data[i] - force[i]);
  return sum;
}

/* ---- Dahl ---- */

/* Line through the force at the end of the strokes in one direction: *slope, *offset. */
static void end_line(const cap_identify_cycle *y, int up, double *slope, double *offset)
{
  const double range = y->u_max - y->u_min, edge = up ? y->u_max - 0.2 * range : y->u_min + 0.2 * range;
  double n = 0.0, su = 0.0, sf = 0.0, suu = 0.0, suf = 0.0;
  for (int i = 0; i < y->n; i++) {
    const cap_identify_stroke *s = &y->strokes[y->stroke_of[i]];
    if ((s->u1 > s->u0) != up || (up ? y->u[i] < edge : y->u[i] > edge)) continue;
    const double u = y->u[i] - edge;
    n += 1.0, su += u, sf += y->force[i], suu += u * u, suf += u * y->force[i];
  }
  const double determinant = n * suu - su * su;
  *slope = determinant > 0.0 ? (n * suf - su * sf) / determinant : 0.0;
  *offset = n > 0.0 ? (sf - *slope * su) / n - *slope * edge : 0.0;
}

/* Force at the first sample, averaged over a hundredth of a cycle. */
static double first_force(const cap_identify_cycle *y)
{
  double sum = 0.0;
  int n = 0;
  for (; n < y->n && (n < 3 || (y->time[n] - y->time[0]) * y->angular_frequency < 0.02 * PI); n++)
    sum += y->force[n];
  return sum / n;
}

typedef struct shape_search {
  cap_identify_model *model;
  double *work, *parameters;
  double reference; /* N: half the distance of the envelopes */
  int evaluations;
} shape_search;

static void set_shape(double *parameters, double stiffness_log, double mu, double reference)
{
  parameters[4] = exp(stiffness_log - mu * log(reference));
  parameters[5] = mu;
}

/* Sum of squares over the logarithm of the stiffness in the middle of the loop, and mu. */
static double shape_squares(unsigned n, const double *x, double *gradient, void *self)
{
  (void)n, (void)gradient;
  shape_search *s = self;
  double one[1][P];
  memcpy(one[0], s->parameters, sizeof one[0]);
  set_shape(one[0], x[0], x[1], s->reference);
  cap_identify_law_force(s->model, 1, one, s->work);
  s->evaluations++;
  const double sum = sum_of_squares(s->model->cycle->force, s->work, s->model->npoint);
  return isfinite(sum) ? sum : 1e300;
}

/* Best of a grid of stiffnesses and exponents, a row of exponents at a time. */
static void scan_shapes(shape_search *s, double base, double x[2])
{
  static const double mus[LANES] = {0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.5, 2.5};
  double best = INFINITY;
  for (int row = -1; row < 5; row++) {
    double lanes[LANES][P];
    for (int l = 0; l < LANES; l++) {
      memcpy(lanes[l], s->parameters, sizeof lanes[l]);
      set_shape(lanes[l], base + 0.7 * row, mus[l], s->reference);
    }
    cap_identify_law_force(s->model, LANES, lanes, s->work);
    s->evaluations++;
    for (int l = 0; l < LANES; l++) {
      const double sum = sum_of_squares(s->model->cycle->force, s->work + (size_t)l * s->model->npoint,
                                        s->model->npoint);
      if (sum < best) best = sum, x[0] = base + 0.7 * row, x[1] = mus[l];
    }
  }
}

cap_status cap_identify_start_dahl(cap_identify_model *m, double *work, double *parameters, int *evaluations)
{
  const cap_identify_cycle *y = m->cycle;
  end_line(y, 1, &parameters[0], &parameters[1]);
  end_line(y, 0, &parameters[2], &parameters[3]);
  const double middle = 0.5 * (y->u_min + y->u_max), range = y->u_max - y->u_min;
  double gap = parameters[1] - parameters[3] + (parameters[0] - parameters[2]) * middle;
  if (!(gap > 0.05 * y->f_range)) { /* the ends are still steep: horizontal envelopes through the extremes */
    parameters[0] = parameters[2] = 0.0;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < y->n; i++) low = fmin(low, y->force[i]), high = fmax(high, y->force[i]);
    parameters[1] = high, parameters[3] = low, gap = high - low;
  }
  parameters[6] = first_force(y);
  shape_search s = {.model = m, .work = work, .parameters = parameters, .reference = 0.5 * gap};
  double x[2] = {log(gap / range), 0.5}, squares;
  scan_shapes(&s, x[0], x);
  nlopt_opt search = nlopt_create(NLOPT_LN_BOBYQA, 2);
  if (!search) return CAP_ERR_NOMEM;
  const double low[2] = {x[0] - 3.0, 0.02}, high[2] = {x[0] + 3.0, 6.0}, step[2] = {0.3, 0.3 * x[1]};
  nlopt_set_min_objective(search, shape_squares, &s);
  nlopt_set_lower_bounds(search, low);
  nlopt_set_upper_bounds(search, high);
  nlopt_set_initial_step(search, step);
  nlopt_set_ftol_rel(search, 1e-3);
  nlopt_set_maxeval(search, 40);
  nlopt_optimize(search, x, &squares); /* whatever it returns, x is the best so far */
  nlopt_destroy(search);
  set_shape(parameters, x[0], x[1], s.reference);
  *evaluations += s.evaluations;
  return CAP_OK;
}

/* ---- Masing ---- */

/* Least squares of the force on the columns w, u - middle, v, 1 (the first left out when w is NULL), every
 * `stride`-th sample. Returns the sum of squares scaled to all samples. x: coefficients of w, u, v, 1. */
static double regress(const cap_identify_model *m, const double *w, int stride, double x[4])
{
  const cap_identify_cycle *y = m->cycle;
  const double middle = 0.5 * (y->u_min + y->u_max), range = y->u_max - y->u_min,
               speed = y->angular_frequency * range;
  const int first = w ? 0 : 1, size = 4 - first;
  double matrix[4][4] = {{0.0}}, rhs[4] = {0.0}, square = 0.0, mean = 0.0, count = 0.0;
  for (int i = 0; i < m->npoint; i += stride) mean += y->force[i], count += 1.0;
  mean /= count;
  for (int i = 0; i < m->npoint; i += stride) {
    const double row[4] = {w ? w[i] / range : 0.0, (m->u[i] - middle) / range, m->v[i] / speed, 1.0};
    const double value = y->force[i] - mean;
    for (int j = 0; j < 4; j++) {
      for (int k = 0; k < 4; k++) matrix[j][k] += row[j] * row[k];
      rhs[j] += row[j] * value;
    }
    square += value * value;
  }
  double a[16], b[4];
  int pivot[4];
  for (int j = 0; j < size; j++) {
    for (int k = 0; k < size; k++) a[j * size + k] = matrix[first + j][first + k];
    b[j] = rhs[first + j];
  }
  if (capm_lu_factor(size, a, pivot) || capm_lu_pivot_ratio(size, a) < 1e-12) return INFINITY;
  capm_lu_solve(size, a, pivot, b);
  x[0] = 0.0;
  for (int j = 0; j < size; j++) square -= b[j] * rhs[first + j], x[first + j] = b[j];
  x[0] /= range, x[1] /= range, x[2] /= speed;
  x[3] += mean - x[1] * middle;
  return fmax(square, 0.0) * m->npoint / count;
}

static double corner_squares(cap_identify_model *m, double eta, int stride, double *w, double x[4])
{
  cap_identify_law_slider(m, eta, NAN, w);
  return regress(m, w, stride, x);
}

/* integral of v^2 over a cycle, m2/s */
static double speed_integral(const cap_identify_cycle *y)
{
  double sum = 0.0;
  for (int h = 1; h <= y->nharmonic; h++)
    sum += h * h * (y->cosine[h] * y->cosine[h] + y->sine[h] * y->sine[h]);
  return PI * y->angular_frequency * sum;
}

cap_status cap_identify_start_masing(cap_identify_model *m, double *work, cap_identify_corner *corner)
{
  enum { SCAN = 48 };
  const cap_identify_cycle *y = m->cycle;
  const double half = 0.5 * (y->u_max - y->u_min);
  const int stride = m->npoint / 2000 + 1;
  double x[4], best = INFINITY, eta = 0.5 * half;
  for (int i = 1; i < SCAN; i++) {
    const double squares = corner_squares(m, half * i / SCAN, stride, work, x);
    if (squares < best && x[0] > 0.0) best = squares, eta = half * i / SCAN;
  }
  double low = eta - half / SCAN, high = eta + half / SCAN; /* golden section inside the best bracket */
  for (int i = 0; i < 16; i++) {
    const double left = low + 0.381966 * (high - low), right = high - 0.381966 * (high - low);
    const double at_left = corner_squares(m, left, stride, work, x);
    if (at_left < corner_squares(m, right, stride, work, x)) high = right;
    else low = left;
  }
  corner->eta = 0.5 * (low + high);
  corner->squares = corner_squares(m, corner->eta, 1, work, x);
  const double slipped = cap_identify_law_slider(m, corner->eta, NAN, work);
  const double k = x[0], alpha = k * corner->eta, k0 = x[1], f0 = -x[3]; /* (24c) to (24f), noise averaged */
  const double c = (y->area - alpha * slipped) / speed_integral(y); /* (26); (28) for a harmonic deflection */
  const double found[P] = {k, k0, alpha, f0, c, work[0]};
  memcpy(corner->unknowns, found, sizeof found);
  corner->squares_stuck = regress(m, NULL, 1, x);
  return CAP_OK;
}
