/* drives/pushbelt/tracking/tracking_solver.c — see tracking_solver.h.
 *
 * Nodes i = 0 .. n - 1 at z_i = z0 - L/2 + i dz, line loads f_i (N/m). For a given a the loads are a
 * piecewise linear function of a, and so is every sum of them: a is found by the secant within a bracket,
 * which ends as soon as both ends lie on one piece.
 */
#include "drives/pushbelt/tracking/tracking_solver.h"

#include "linalg/lcp.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct cap_tracking {
  capm_tracking_ring ring;
  int n; /* nodes */
  double step;
  double hoop;           /* Pa/m: k = E h/R^2 */
  double decay;          /* 1/m: lambda = (k/(4 D))^(1/4) */
  double *influence;     /* [n][n] m^2/N: C */
  double *surface;       /* [n] m: s_i below the crest */
  bool *beside;          /* [n] node beyond the edge of the saddle */
  double *offset;        /* [n] m: a - s_i */
  double *load, *gap;    /* [n] N/m: f_i; m: g_i */
  double *weight;        /* [n] what is summed with the loads */
  double place, highest; /* m: z0; the largest s_i of the saddle */
  double pressed;        /* m: how far the ring without tension lies below that */
  bool known;            /* the matrix is that of the last call of capm_lcp */
  capm_lcp *lcp;
  int solutions, iterations;
};

void cap_tracking_solver_listen(cap_tracking *t, const cap_progress *progress)
{
  t->lcp->progress = progress;
}

void cap_tracking_solver_free(cap_tracking *t)
{
  if (!t) return;
  capm_lcp_free(t->lcp);
  free(t->influence);
  free(t->surface);
  free(t->beside);
  free(t);
}

/* Deflection at x <= a of a beam on a foundation, 0 .. length, both ends free, under a unit load at a
 * (Hetenyi). All lengths in units of 1/lambda; times lambda/k. */
static double deflection(double x, double a, double length)
{
  double b = length - a;
  double sh = sinh(length), sn = sin(length);
  double even = sh * cos(a) * cosh(b) - sn * cosh(a) * cos(b);
  double odd = sh * (sin(a) * cosh(b) - cos(a) * sinh(b)) + sn * (sinh(a) * cos(b) - cosh(a) * sin(b));
  return (2.0 * cosh(x) * cos(x) * even + (cosh(x) * sin(x) + sinh(x) * cos(x)) * odd) /
         ((sh - sn) * (sh + sn));
}

/* C_ij, which is the same from the other edge: the mean of both rounds alike on both sides. */
static void fill_influence(cap_tracking *t)
{
  int n = t->n;
  double length = t->decay * t->ring.width, step = length / (n - 1), unit = t->decay / t->hoop;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i && i + j < n; j++) {
      double from_left = deflection(j * step, i * step, length);
      double from_right = deflection((n - 1 - i) * step, (n - 1 - j) * step, length);
      double c = 0.5 * unit * (from_left + from_right);
      int k = n - 1 - i, l = n - 1 - j;
      t->influence[i * n + j] = t->influence[j * n + i] = c;
      t->influence[k * n + l] = t->influence[l * n + k] = c;
    }
}

cap_status cap_tracking_solver_create(const capm_tracking_ring *ring, int intervals, cap_tracking **out,
                                      cap_error *error)
{
  const double least = 0.1, most = 200.0;
  double bending = ring->modulus * ring->thickness * ring->thickness * ring->thickness /
                   (12.0 * (1.0 - ring->poisson * ring->poisson));
  double hoop = ring->modulus * ring->thickness / (ring->radius * ring->radius);
  double decay = pow(hoop / (4.0 * bending), 0.25), lengths = decay * ring->width;
  *out = NULL;
  if (!(lengths >= least && lengths <= most))
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "expected a width of %g to %g decay lengths of bending (%.4g mm each), got %.3g; change thickness or "
        "radius of the ring",
        least, most, 1e3 / decay, lengths);
  cap_tracking *t = calloc(1, sizeof *t);
  size_t n = (size_t)intervals + 1;
  if (!t) return cap_status_fail(error, CAP_ERR_NOMEM, "%s", cap_status_text(CAP_ERR_NOMEM));
  t->ring = *ring;
  t->n = intervals + 1;
  t->step = ring->width / intervals;
  t->hoop = hoop;
  t->decay = decay;
  t->influence = calloc(n * n, sizeof(double));
  t->surface = calloc(5 * n, sizeof(double));
  t->beside = calloc(n, sizeof(bool));
  t->lcp = capm_lcp_create(t->n);
  if (!t->influence || !t->surface || !t->beside || !t->lcp) {
    cap_tracking_solver_free(t);
    return cap_status_fail(error, CAP_ERR_NOMEM, "%s", cap_status_text(CAP_ERR_NOMEM));
  }
  t->offset = t->surface + n;
  t->load = t->offset + n;
  t->gap = t->load + n;
  t->weight = t->gap + n;
  fill_influence(t);
  *out = t;
  return CAP_OK;
}

/* Symmetric about z0 to the last bit. */
static double place_of(const cap_tracking *t, int i)
{
  return t->place + 0.5 * (2 * i - (t->n - 1)) * t->step;
}

/* Height of the saddle over its crest. */
static double height(const capm_tracking_ring *ring, double z)
{
  return -z * z / (ring->crown + sqrt(ring->crown * ring->crown - z * z));
}

/* Sine of the saddle's angle atan(dr/dz). */
static double slope(const capm_tracking_ring *ring, double z)
{
  return -z / ring->crown;
}

/* The saddle below the ring at z0. */
static cap_status lay(cap_tracking *t, double place, cap_error *error)
{
  const capm_tracking_ring *r = &t->ring;
  double reach = fabs(place) + 0.5 * r->width;
  if (!(reach < r->crown))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "at the position %.6g mm the ring reaches beyond the crown radius of the saddle; "
                           "expected less than %.6g mm from the crest, got %.6g mm",
                           1e3 * place, 1e3 * r->crown, 1e3 * reach);
  t->place = place;
  t->highest = -INFINITY;
  for (int i = 0; i < t->n; i++) {
    double z = place_of(t, i);
    t->surface[i] = height(r, z);
    t->beside[i] = fabs(z) > 0.5 * r->saddle;
    if (!t->beside[i]) t->highest = fmax(t->highest, t->surface[i]);
  }
  if (t->highest == -INFINITY)
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "the ring does not touch the saddle; expected a position of less than %.6g mm from "
        "the crest, got %.6g mm",
        0.5e3 * (r->saddle + r->width), 1e3 * place);
  return CAP_OK;
}

/* The loads when the ring without tension lies `pressed` below the highest point of the saddle, and their sum
 * with the weights. */
static cap_status press(cap_tracking *t, double pressed, double *sum, cap_error *error)
{
  capm_lcp_stats stats;
  t->pressed = pressed;
  for (int i = 0; i < t->n; i++) {
    t->offset[i] = t->highest - pressed - t->surface[i];
    if (t->beside[i]) t->offset[i] += 10.0 * pressed; /* out of reach: nowhere is the ring lower than a */
  }
  cap_status status = capm_lcp_solve(t->lcp, t->n, t->influence, t->known, t->offset, t->load, &stats);
  t->known = status == CAP_OK;
  t->solutions++;
  if (status == CAP_STOPPED)
    return cap_status_fail(error, status, "interrupted at the position %.6g mm", 1e3 * t->place);
  if (status != CAP_OK) {
    memset(t->load, 0, (size_t)t->n * sizeof(double));
    return cap_status_fail(
        error, CAP_ERR_NUMERICS,
        "the contact pressure did not converge at the position %.6g mm (penetration %.6g mm); "
        "reduce the number of intervals",
        1e3 * t->place, 1e3 * pressed);
  }
  t->iterations += stats.iterations + stats.pivots;
  *sum = 0.0;
  for (int i = 0; i < t->n; i++) *sum += t->weight[i] * t->load[i];
  return CAP_OK;
}

typedef struct end {
  double pressed, miss; /* m; sum - wanted */
} end;

static cap_status try_at(cap_tracking *t, double pressed, double wanted, end *e, cap_error *error)
{
  double sum = 0.0;
  CAP_TRY(press(t, pressed, &sum, error));
  *e = (end){pressed, sum - wanted};
  return CAP_OK;
}

/* Two ends around the wanted sum, from where the ring was pressed before, or from what uniform pressure would
 * take: wanted/(k L). */
static cap_status bracket(cap_tracking *t, double wanted, end *low, end *high, cap_error *error)
{
  enum { MOST = 100 };
  double factor = 1.1, start = t->pressed > 0.0 ? t->pressed : wanted / (t->hoop * t->ring.width);
  CAP_TRY(try_at(t, start, wanted, high, error));
  *low = *high;
  for (int k = 0; k < MOST; k++, factor *= factor) {
    if (high->miss >= 0.0 && low->miss <= 0.0) return CAP_OK;
    if (high->miss < 0.0) {
      *low = *high;
      CAP_TRY(try_at(t, high->pressed * factor, wanted, high, error));
    } else {
      *high = *low;
      CAP_TRY(try_at(t, low->pressed / factor, wanted, low, error));
    }
  }
  return cap_status_fail(error, CAP_ERR_NUMERICS,
                         "the tension of the ring did not converge at the position %.6g mm", 1e3 * t->place);
}

/* The loads whose weighted sum is `wanted` > 0: within the bracket the secant, an end that stays twice
 * counted half (Illinois). The last problem is solved with a factor of its own, without what updates have
 * gathered. */
static cap_status find(cap_tracking *t, double wanted, cap_error *error)
{
  enum { MOST = 100 };
  end low, high, next;
  int moved = 0; /* which end did: -1 low, 1 high */
  double close = 1e-11 * wanted;
  CAP_TRY(bracket(t, wanted, &low, &high, error));
  double low_part = low.miss, high_part = high.miss, at = high.pressed;
  for (int k = 0; k < MOST && high.miss > close; k++) {
    at = low.pressed - low_part * (high.pressed - low.pressed) / (high_part - low_part);
    if (!(at > low.pressed && at < high.pressed)) break; /* the bracket is rounding */
    CAP_TRY(try_at(t, at, wanted, &next, error));
    if (fabs(next.miss) <= close) break;
    if (next.miss < 0.0) {
      low = next;
      low_part = next.miss;
      if (moved < 0) high_part *= 0.5;
      moved = -1;
    } else {
      high = next;
      high_part = next.miss;
      if (moved > 0) low_part *= 0.5;
      moved = 1;
    }
  }
  t->known = false;
  return try_at(t, at, wanted, &next, error);
}

static double part_of(const cap_tracking *t, int i)
{
  return i == 0 || i == t->n - 1 ? 0.5 * t->step : t->step;
}

/* Gaps, forces along and across the saddle, what is in contact, and how well the answer is one. */
static void measure(cap_tracking *t, cap_tracking_point *p)
{
  const capm_tracking_ring *r = &t->ring;
  double sum = 0.0, product = 0.0, highest = 0.0, deepest = 0.0;
  *p = (cap_tracking_point){
      .place = t->place, .begin = NAN, .end = NAN, .solutions = t->solutions, .iterations = t->iterations};
  for (int i = 0; i < t->n; i++) {
    double z = place_of(t, i), f = t->load[i], sine = slope(r, z), pressure = f / part_of(t, i);
    t->gap[i] = t->offset[i];
    for (int j = 0; j < t->n; j++) t->gap[i] += t->influence[i * t->n + j] * t->load[j];
    product = fmax(product, fabs(pressure * t->gap[i]));
    highest = fmax(highest, t->gap[i]);
    deepest = fmax(deepest, -t->gap[i]);
    p->peak = fmax(p->peak, pressure);
    sum += f;
    p->normal += r->depth * f * sqrt(1.0 - sine * sine);
    p->tangential += r->depth * f * sine;
    if (t->beside[i]) t->gap[i] -= 10.0 * t->pressed;
    if (f <= 0.0) continue;
    if (isnan(p->begin)) p->begin = z;
    p->end = z;
  }
  p->tension = r->radius * sum;
  p->complementarity = p->peak > 0.0 && highest > 0.0 ? product / (p->peak * highest) : 0.0;
  p->penetration = highest > 0.0 ? deepest / highest : 0.0;
}

/* Without tension the ring lies loosely upon the highest point. */
static void rest(cap_tracking *t)
{
  t->pressed = 0.0; /* the next is found from uniform pressure */
  for (int i = 0; i < t->n; i++) {
    t->load[i] = 0.0;
    t->offset[i] = t->highest - t->surface[i];
  }
}

static cap_status solve(cap_tracking *t, double wanted, cap_tracking_point *point, cap_error *error)
{
  t->solutions = t->iterations = 0;
  if (wanted > 0.0) CAP_TRY(find(t, wanted, error));
  else rest(t);
  measure(t, point);
  return CAP_OK;
}

cap_status cap_tracking_solver_at_tension(cap_tracking *t, double place, double tension,
                                          cap_tracking_point *point, cap_error *error)
{
  CAP_TRY(lay(t, place, error));
  for (int i = 0; i < t->n; i++) t->weight[i] = 1.0;
  return solve(t, tension / t->ring.radius, point, error);
}

cap_status cap_tracking_solver_at_force(cap_tracking *t, double place, double normal,
                                        cap_tracking_point *point, cap_error *error)
{
  CAP_TRY(lay(t, place, error));
  for (int i = 0; i < t->n; i++) {
    double sine = slope(&t->ring, place_of(t, i));
    t->weight[i] = sqrt(1.0 - sine * sine);
  }
  return solve(t, normal / t->ring.depth, point, error);
}

int cap_tracking_solver_nodes(const cap_tracking *t)
{
  return t->n;
}

void cap_tracking_solver_profile(const cap_tracking *t, double *place, double *pressure, double *gap)
{
  for (int i = 0; i < t->n; i++) {
    place[i] = place_of(t, i);
    pressure[i] = t->load[i] / part_of(t, i);
    gap[i] = t->gap[i];
  }
}
