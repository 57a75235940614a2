/* hb/hb_march.c — see hb_march.h. */
#include "hb/hb_march.h"
#include "base/clones.h"
#include "laws/coulomb.h"

#include <math.h>
#include <string.h>

/* ---- inner states -------------------------------------------------------------------------------------- */

/* The period is cut into segments that are marched side by side as lanes of the element's kernel, each from
 * its own start; Newton's method on all starts at once joins them. One state alone would wait for the chain
 * of operations of every evaluation. */
enum { SEGMENTS = CAP_HB_LAW_SEGMENTS };

typedef struct segments {
  int length;                                      /* samples a segment */
  double h;                                        /* s */
  double start[SEGMENTS], end[SEGMENTS];           /* state */
  double growth[SEGMENTS];                         /* d end/d start */
  double shift[SEGMENTS];                          /* what the starts must change by */
  double slope[3][SEGMENTS], rate[SEGMENTS];       /* of the step just done */
  double u0[SEGMENTS], u1[SEGMENTS], dt[SEGMENTS]; /* of the step: deflections, duration */
  double step[SEGMENTS];                           /* work */
} segments;

/* Rates of the inner states and their derivatives to u, v and x. */
CAP_INLINE void rates_of(const cap_hb_law *law, const double *u, const double *v, const double *x,
                         segments *s)
{
  static const double ones[3][3][SEGMENTS] = {
      {{1, 1, 1, 1, 1, 1, 1, 1}}, {{0}, {1, 1, 1, 1, 1, 1, 1, 1}}, {{0}, {0}, {1, 1, 1, 1, 1, 1, 1, 1}}};
  double t[SEGMENTS] = {0}, h[SEGMENTS] = {0}, dh[3][SEGMENTS] = {{0}};
  cap_eval e = {.nlane = SEGMENTS,
                .ncol = 3,
                .t = t,
                .q = u,
                .v = v,
                .x = x,
                .dq = ones[0][0],
                .dv = ones[1][0],
                .dx = ones[2][0],
                .h = h,
                .dh = dh[0],
                .xdot = s->rate,
                .dxdot = s->slope[0]};
  law->segments.type->rates(&law->segments, &e);
}

/* One implicit midpoint step x0 -> x1 (a guess at first) over the deflections from u0 to u1: the increment's
 * own sign tells the law which way it goes. */
CAP_INLINE void midpoint(const cap_hb_law *law, segments *s, const double *x0, double *x1)
{
  double u[SEGMENTS], v[SEGMENTS], x[SEGMENTS];
  for (int l = 0; l < SEGMENTS; l++) {
    u[l] = 0.5 * (s->u0[l] + s->u1[l]);
    v[l] = (s->u1[l] - s->u0[l]) / s->dt[l];
    s->step[l] = INFINITY;
  }
  for (int i = 0; i < 40; i++) {
    bool more = false;
    for (int l = 0; l < SEGMENTS; l++) x[l] = 0.5 * (x0[l] + x1[l]);
    rates_of(law, u, v, x, s);
    for (int l = 0; l < SEGMENTS; l++) {
      double step = (x0[l] + s->dt[l] * s->rate[l] - x1[l]) / (1.0 - 0.5 * s->dt[l] * s->slope[2][l]);
      double size = 1e-13 * (fabs(x1[l]) + fabs(x0[l])), before = fabs(s->step[l]);
      x1[l] += step;
      s->step[l] = step;
      /* the next one shrinks at least as this one did */
      more = more || (fabs(step) > size && !(step * step <= size * before && isfinite(before)));
    }
    if (!more) break;
  }
}

/* A step within which the deflection turns has two parts, to the turning point and back from it: else what a
 * reversal does would depend on where between two samples it lies, and the balance would have ripples. The
 * point is that of the cubic through deflections u and velocities (times h) m at both ends: it is at an end
 * when the velocity is zero there, so that nothing jumps when it moves on to the next step. */
CAP_INLINE double turning_point(double u0, double u1, double m0, double m1)
{
  if (!(m0 * m1 < 0.0)) return 0.0;
  double d = u1 - u0, a = 3.0 * (m0 + m1 - 2.0 * d), b = 6.0 * d - 4.0 * m0 - 2.0 * m1;
  double q = -0.5 * (b + copysign(sqrt(fmax(b * b - 4.0 * a * m0, 0.0)), b));
  double near = m0 / q, far = q / a; /* the root between 0 and 1 */
  return near > 0.0 && near < 1.0 ? near : far > 0.0 && far < 1.0 ? far : 0.5;
}

/* Weights of u0, u1, m0 and m1 in the cubic at t. */
CAP_INLINE void cubic(double t, double weight[4])
{
  double s = 1.0 - t;
  weight[0] = (1.0 + 2.0 * t) * s * s;
  weight[1] = (1.0 + 2.0 * s) * t * t;
  weight[2] = t * s * s;
  weight[3] = -s * t * t;
}

/* Deflection at the turning point of the step from sample n. */
CAP_INLINE double turning_deflection(const cap_hb_law *law, int n, int next, double h, double at)
{
  double weight[4];
  cubic(at, weight);
  return weight[0] * law->u[n] + weight[1] * law->u[next] +
         h * (weight[2] * law->v[n] + weight[3] * law->v[next]);
}

typedef struct part {
  double h;             /* s */
  double u, v, x, rate; /* rate of the state at its middle, with derivatives */
} part;

/* One or two parts of the step from sample n. */
CAP_INLINE int parts_of(const cap_hb_law *law, int n, double h, part p[2])
{
  const cap_hb_turn *t = &law->turns[n];
  p[0] = (part){t->at > 0.0 ? t->at * h : h, law->x_u[n], law->x_v[n], law->x_x[n], law->x_rate[n]};
  if (!(t->at > 0.0)) return 1;
  p[1] = (part){(1.0 - t->at) * h, t->u, t->v, t->x, t->rate};
  return 2;
}

CAP_INLINE double gain_of(const part *p)
{
  return (1.0 + 0.5 * p->h * p->x) / (1.0 - 0.5 * p->h * p->x);
}

static double gain_over(const cap_hb_law *law, int n, double h)
{
  part p[2];
  int count = parts_of(law, n, h, p);
  return gain_of(&p[0]) * (count > 1 ? gain_of(&p[1]) : 1.0);
}

cap_hb_march_step cap_hb_march_over(const cap_hb_law *law, int n, double h)
{
  part parts[2];
  cap_hb_march_step over = {1.0, 0.0, 0.0};
  double elapsed = 0.0;
  int count = parts_of(law, n, h, parts);
  for (int k = 0; k < count; k++) {
    const part *p = &parts[k];
    double by = p->h / (1.0 - 0.5 * p->h * p->x), gain = gain_of(p);
    over.by_q = gain * over.by_q + by * p->u;
    over.by_p = gain * over.by_p + by * (p->u * (elapsed + 0.5 * p->h) + p->v);
    over.gain *= gain;
    elapsed += p->h;
  }
  return over;
}

/* The second parts of the steps number j: segments without a turn stay where they are. */
CAP_INLINE void return_from_turns(cap_hb_law *law, segments *s, int j, const double *target, double *x)
{
  double next[SEGMENTS];
  for (int l = 0; l < SEGMENTS; l++) {
    const cap_hb_turn *t = &law->turns[l * s->length + j];
    s->u0[l] = t->at > 0.0 ? s->u1[l] : target[l];
    s->u1[l] = target[l];
    s->dt[l] = (1.0 - t->at) * s->h;
    next[l] = x[l];
  }
  midpoint(law, s, x, next);
  for (int l = 0; l < SEGMENTS; l++) {
    cap_hb_turn *t = &law->turns[l * s->length + j];
    if (!(t->at > 0.0)) continue;
    *t = (cap_hb_turn){t->at, s->slope[0][l], s->slope[1][l], s->slope[2][l], s->rate[l]};
    x[l] = next[l];
  }
}

/* All segments once; samples of the state, of its rate and slopes. */
CAP_CLONES static void go_through(cap_hb_law *law, segments *s)
{
  int length = s->length, last = SEGMENTS * length - 1;
  double x[SEGMENTS], before[SEGMENTS] = {0}, target[SEGMENTS];
  for (int l = 0; l < SEGMENTS; l++) {
    x[l] = s->start[l];
    target[l] = law->u[l * length];
  }
  for (int j = 0; j < length; j++) {
    double next[SEGMENTS];
    bool turns = false;
    for (int l = 0; l < SEGMENTS; l++) {
      int n = l * length + j, to = n < last ? n + 1 : 0;
      double at = turning_point(law->u[n], law->u[to], s->h * law->v[n], s->h * law->v[to]);
      law->x[n] = x[l];
      law->turns[n].at = at;
      s->u0[l] = target[l];
      target[l] = law->u[to];
      s->u1[l] = at > 0.0 ? turning_deflection(law, n, to, s->h, at) : target[l];
      s->dt[l] = at > 0.0 ? at * s->h : s->h;
      next[l] = x[l] + s->dt[l] * before[l];
      turns = turns || at > 0.0;
    }
    midpoint(law, s, x, next);
    for (int l = 0; l < SEGMENTS; l++) {
      int n = l * length + j;
      law->x_u[n] = s->slope[0][l];
      law->x_v[n] = s->slope[1][l];
      law->x_x[n] = s->slope[2][l];
      law->x_rate[n] = before[l] = s->rate[l];
      x[l] = next[l];
    }
    if (turns) return_from_turns(law, s, j, target, x);
  }
  memcpy(s->end, x, sizeof x);
}

static void find_growth(const cap_hb_law *law, segments *s)
{
  for (int l = 0; l < SEGMENTS; l++) {
    s->growth[l] = 1.0;
    for (int n = l * s->length; n < (l + 1) * s->length; n++) s->growth[l] *= gain_over(law, n, s->h);
  }
}

/* Changes of the starts that join the segments and close the period, as far as slopes tell; returns the
 * largest, relative to the states. Where nothing is forgotten over the period the first start stays. */
static double join(segments *s, double *product)
{
  double around = 0.0, worst = 0.0;
  *product = 1.0;
  for (int l = 0; l < SEGMENTS; l++) {
    double gap = s->end[l] - s->start[l + 1 < SEGMENTS ? l + 1 : 0];
    around = gap + s->growth[l] * around;
    *product *= s->growth[l];
  }
  s->shift[0] = *product < 1.0 ? around / (1.0 - *product) : 0.0;
  for (int l = 0; l < SEGMENTS; l++) {
    worst = fmax(worst, fabs(s->shift[l]) / (fabs(s->start[l]) + fabs(s->end[l]) + 1e-300));
    if (!isfinite(s->shift[l])) return INFINITY;
    if (l + 1 < SEGMENTS) s->shift[l + 1] = s->end[l] - s->start[l + 1] + s->growth[l] * s->shift[l];
  }
  return worst;
}

/* The last change, too small for another round: every sample by its slope. */
static void shift_samples(cap_hb_law *law, const segments *s)
{
  for (int l = 0; l < SEGMENTS; l++) {
    double shift = s->shift[l];
    for (int n = l * s->length; n < (l + 1) * s->length; n++) {
      law->x[n] += shift;
      shift *= gain_over(law, n, s->h);
    }
  }
}

/* Derivative of the turning point of step n to the coefficients, row[nc]; to its place it has none. */
CAP_INLINE void turning_row(const cap_hb_law *law, int nc, int n_all, int n, const double *t0,
                            const double *t1, double *restrict row)
{
  double weight[4];
  cubic(law->turns[n].at, weight);
  row[0] = t0[0];
  for (int r = 1; r + 1 < nc; r += 2) {
    double by0 = M_PI * (r + 1) / n_all * weight[2], by1 = M_PI * (r + 1) / n_all * weight[3];
    row[r] = weight[0] * t0[r] + weight[1] * t1[r] - by0 * t0[r + 1] - by1 * t1[r + 1];
    row[r + 1] = weight[0] * t0[r + 1] + weight[1] * t1[r + 1] + by0 * t0[r] + by1 * t1[r];
  }
}

/* dx at every sample: first from zero, with the product of the growth factors, then closed. */
CAP_CLONES static void march_tangent(int nc, int n_all, int stride, double w, double h,
                                     const double *restrict by_sample, const cap_hb_law *law,
                                     double *restrict now, double *restrict growth, double *restrict march)
{
  double *turn = now + stride, product = 1.0;
  memset(now, 0, sizeof(double) * (size_t)stride);
  for (int n = 0; n < n_all; n++) {
    part parts[2];
    int next = n + 1 < n_all ? n + 1 : 0, count = parts_of(law, n, h, parts);
    const double *from = by_sample + n * nc, *end = by_sample + next * nc;
    double from_u = law->u[n];
    growth[n] = product;
    memcpy(march + (size_t)n * (size_t)stride, now, sizeof(double) * (size_t)stride);
    if (count > 1) turning_row(law, nc, n_all, n, from, end, turn);
    for (int k = 0; k < count; k++) {
      const part *p = &parts[k];
      const double *restrict t0 = from, *restrict t1 = k + 1 < count ? turn : end;
      double half = 0.5 * p->h * p->x, by = 1.0 / (1.0 - half), gain = (1.0 + half) * by;
      double before = by * (0.5 * p->h * p->u - p->v), after = by * (0.5 * p->h * p->u + p->v);
      double to_u = k + 1 < count ? turning_deflection(law, n, next, h, law->turns[n].at) : law->u[next],
             v = (to_u - from_u) / p->h;
      for (int r = 0; r < nc; r++) now[r] = gain * now[r] + before * t0[r] + after * t1[r];
      /* h is inversely, v directly proportional to w */
      now[nc] = gain * now[nc] + by * p->h / w * (p->v * v - p->rate);
      product *= gain;
      from = t1;
      from_u = to_u;
    }
  }
  double scale = 1.0 / (1.0 - product);
  for (int n = 0; n < n_all; n++) {
    double *row = march + (size_t)n * (size_t)stride, factor = scale * growth[n];
    for (int r = 0; r < stride; r++) row[r] += factor * now[r];
  }
}

/* Newton's method on the starts. Where slopes mislead, as after a wild guess, some rounds from rest in which
 * the segments only pass on what they end with. */
static double close_period(cap_hb_law *law, segments *s, double *product)
{
  enum { PASSES = 40, WARM = 12, ROUNDS = 2 * SEGMENTS };
  double gap = INFINITY;
  for (int l = 0; l < SEGMENTS; l++) s->start[l] = law->x[l * s->length];
  for (int pass = 0; pass < PASSES; pass++) {
    go_through(law, s);
    find_growth(law, s);
    gap = join(s, product);
    if (gap <= 1e-8) break;
    bool lost = pass == WARM || (!isfinite(gap) && pass < WARM);
    bool pass_on = (pass < 2 && gap > 1e-2) || (pass > WARM && pass <= WARM + ROUNDS);
    if (lost) pass = WARM;
    for (int l = 0; l < SEGMENTS; l++) {
      if (lost) s->start[l] = law->rest;
      else s->start[l] = pass_on ? s->end[(l + SEGMENTS - 1) % SEGMENTS] : s->start[l] + s->shift[l];
    }
  }
  return gap;
}

/* No motion that the state would notice. */
static bool is_still(const cap_hb_law *law, int nsample, double h)
{
  double change = 0.0;
  for (int n = 0; n < nsample; n++) change += fabs(h * law->x_rate[n]);
  return change <= 1e-12 * fabs(law->x[0]);
}

/* Every state is periodic then: take that of the way from the initial deflection, and its slope. */
static void settle(cap_hb_law *law, const capm_fourier *f, bool tangent)
{
  int stride = cap_hb_law_stride(f->ncoef);
  double x = law->rest, slope = 0.0;
  law->segments.type->settle(&law->segments, 0, 0, law->rest_u, law->u[0], &x, &slope);
  for (int n = 0; n < f->nsample; n++) {
    double *row = law->march + (size_t)n * (size_t)stride;
    law->x[n] = x;
    for (int r = 0; tangent && r < f->ncoef; r++) row[r] = slope * f->by_sample[n * f->ncoef + r];
    for (int r = f->ncoef; tangent && r < stride; r++) row[r] = 0.0;
  }
}

cap_status cap_hb_march_state(cap_hb_law *law, const capm_fourier *f, double w, bool tangent,
                              cap_error *error)
{
  segments s = {.length = f->nsample / SEGMENTS, .h = 2.0 * M_PI / (w * f->nsample)};
  int stride = cap_hb_law_stride(f->ncoef);
  double product = 0.0, gap = close_period(law, &s, &product);
  if (!isfinite(gap)) {
    for (int n = 0; n < f->nsample; n++) law->x[n] = law->rest;
    return cap_status_fail(error, CAP_RETRY_NONFINITE,
                           "an internal variable is not finite within the period");
  }
  if (law->segments.type->settle && is_still(law, f->nsample, s.h)) {
    settle(law, f, tangent);
    return CAP_OK;
  }
  shift_samples(law, &s);
  if (tangent && product < 1.0) /* f_v is filled after this */
    march_tangent(f->ncoef, f->nsample, stride, w, s.h, f->by_sample, law, law->work, law->f_v, law->march);
  else if (tangent) memset(law->march, 0, sizeof(double) * (size_t)f->nsample * (size_t)stride);
  return CAP_OK;
}

void cap_hb_march_add(const cap_hb_law *law, const capm_fourier *f, const cap_hb_law_result *out)
{
  int nc = f->ncoef, stride = cap_hb_law_stride(nc);
  size_t width = (size_t)stride;
  double *series = law->march + (size_t)f->nsample * width;
  for (int n = 0; n < f->nsample; n++) {
    double *row = law->march + (size_t)n * width;
    if (law->f_x[n] == 1.0) continue;
    for (int r = 0; r < stride; r++) row[r] *= law->f_x[n];
  }
  capm_fourier_analyse_rows(f, stride, law->march, series);
  for (int i = 0; i < nc; i++) {
    const double *from = series + (size_t)i * width;
    for (int r = 0; out->tangent && r < nc; r++) out->tangent[i * nc + r] += from[r];
    if (out->to_w) out->to_w[i] += from[nc];
  }
}

/* ---- sliders ------------------------------------------------------------------------------------------- */

static int extreme(int n, const double *u, double sign)
{
  int best = 0;
  for (int i = 1; i < n; i++)
    if (sign * u[i] > sign * u[best]) best = i;
  return best;
}

/* A slider that never slips: its force is that of its spring about the rest force, as far as the limit
 * allows; else about the extreme that the limit holds. */
static void stuck(cap_hb_law *law, const capm_fourier *f, const double *u, int top, int bottom,
                  const cap_hb_law_result *out)
{
  int nc = f->ncoef, anchor = -1;
  double at = u[0], force = law->rest;
  if (force + law->k * (law->u[top] - at) > law->limit) anchor = top, force = law->limit;
  else if (force + law->k * (law->u[bottom] - at) < -law->limit) anchor = bottom, force = -law->limit;
  if (anchor >= 0) at = law->u[anchor];
  for (int r = 0; r < nc; r++) out->force[r] = law->k * u[r];
  out->force[0] += force - law->k * at;
  for (int n = 0; n < f->nsample; n++) {
    law->x[n] = law->f[n] = force + law->k * (law->u[n] - at);
    law->x_u[n] = law->k;
  }
  if (!out->tangent) return;
  for (int r = 0; r < nc; r++) out->tangent[r * nc + r] = law->k;
  if (anchor < 0) out->tangent[0] = 0.0;
  for (int r = 0; r < nc && anchor >= 0; r++) out->tangent[r] -= law->k * f->by_sample[anchor * nc + r];
}

/* From the largest deflection, where the force is the limit, once around. While stuck the force is that of
 * the spring since the last slipping sample (the anchor), and so is its tangent. */
static void march_slider(cap_hb_law *law, const capm_fourier *f, int top, double *tangent)
{
  int nc = f->ncoef, anchor = top, n_all = f->nsample;
  double *run = law->work, force = law->limit;
  law->x[top] = law->limit;
  law->x_u[top] = 0.0;
  memset(run, 0, sizeof(double) * (size_t)nc);
  for (int m = 1; m <= n_all; m++) {
    int n = (top + m) % n_all;
    double trial = force + law->k * (law->u[n] - law->u[anchor]);
    bool slips = fabs(trial) > law->limit || m == n_all;
    const double *basis = f->by_sample + n * nc;
    if (slips && tangent) { /* close the run of this anchor */
      const double *held = f->by_sample + anchor * nc;
      for (int i = 0; i < nc; i++)
        for (int r = 0; r < nc && run[i] != 0.0; r++) tangent[i * nc + r] -= run[i] * held[r];
      memset(run, 0, sizeof(double) * (size_t)nc);
    }
    if (m == n_all) break;
    law->x[n] = slips ? capm_coulomb_project(trial, law->limit) : trial;
    law->x_u[n] = slips ? 0.0 : law->k;
    if (slips) anchor = n, force = law->x[n];
    else
      for (int i = 0; i < nc; i++) run[i] += (i ? 2.0 : 1.0) * law->k / n_all * basis[i];
  }
}

void cap_hb_march_slider(cap_hb_law *law, const capm_fourier *f, const double *u,
                         const cap_hb_law_result *out)
{
  int nc = f->ncoef;
  int top = extreme(f->nsample, law->u, 1.0), bottom = extreme(f->nsample, law->u, -1.0);
  if (out->tangent) memset(out->tangent, 0, sizeof(double) * (size_t)(nc * nc));
  if (out->to_w) memset(out->to_w, 0, sizeof(double) * (size_t)nc);
  if (law->k * (law->u[top] - law->u[bottom]) <= 2.0 * law->limit) {
    stuck(law, f, u, top, bottom, out);
    return;
  }
  march_slider(law, f, top, out->tangent);
  memcpy(law->f, law->x, sizeof(double) * (size_t)f->nsample);
  capm_fourier_analysis(f, law->x, out->force);
  if (!out->tangent) return;
  capm_fourier_sums(f, f->nrow, law->x_u, law->work);
  capm_fourier_multiply(f, law->work, 1.0, out->tangent);
}

/* Where friction jumps the velocity has a kink, of which H harmonics show the rounded form: there the series
 * is 2 L c short of zero, c = sum_{h > H} 1/h^2 / (pi w m), and so its sign would change too late. L is half
 * the jump of the force: the limit where the motion reverses, m a (a the acceleration of the series, half of
 * that before) where it comes to rest. Friction takes the sign of v + 2 c proj(m a). */
static double kink(const capm_fourier *f, double w)
{
  return 2.0 / (M_PI * w * (f->nharmonic + 0.5));
}

/* law->f_u: acceleration; law->f_v: derivative of the friction's argument to it. */
static void sample_acceleration(cap_hb_law *law, const capm_fourier *f, double w, const double *u)
{
  double *c = law->work, *rate = c + f->ncoef;
  capm_fourier_derivative(f->nharmonic, u, c);
  capm_fourier_derivative(f->nharmonic, c, rate);
  for (int r = 0; r < f->ncoef; r++) rate[r] *= w * w;
  capm_fourier_synthesis(f, rate, law->f_u);
}

void cap_hb_march_coulomb(cap_hb_law *law, const capm_fourier *f, double w, const double *u, const double *z,
                          const cap_hb_law_result *out)
{
  int nc = f->ncoef;
  double ahead = kink(f, w), most = law->mobility * law->limit, *rate = law->x_rate, *curve = law->f_v;
  sample_acceleration(law, f, w, u);
  capm_fourier_synthesis(f, z, law->x);
  for (int n = 0; n < f->nsample; n++) {
    double a = law->f_u[n], tail = ahead * capm_coulomb_project(a, most);
    double trial = law->x[n] + law->regular * (law->v[n] + tail);
    law->x_u[n] = capm_coulomb_project_slope(trial, law->limit);
    law->f[n] = capm_coulomb_project(trial, law->limit);
    curve[n] = law->x_u[n] * law->regular * ahead * capm_coulomb_project_slope(a, most);
    rate[n] = law->x_u[n] * law->regular * (law->v[n] - tail) / w + 2.0 * curve[n] * a / w;
    law->v[n] += tail; /* whose sign is that of the friction */
  }
  capm_fourier_analysis(f, law->f, out->force);
  if (out->to_w) capm_fourier_analysis(f, rate, out->to_w);
  if (!out->tangent) return;
  memset(out->tangent, 0, sizeof(double) * (size_t)(nc * nc));
  memset(out->to_z, 0, sizeof(double) * (size_t)(nc * nc));
  capm_fourier_sums(f, f->nrow, law->x_u, law->work);
  capm_fourier_multiply_derivative(f, law->work, law->regular * w, out->tangent);
  capm_fourier_multiply(f, law->work, 1.0, out->to_z);
  capm_fourier_sums(f, f->nrow, curve, law->work);
  capm_fourier_multiply_second(f, law->work, w * w, out->tangent);
}
