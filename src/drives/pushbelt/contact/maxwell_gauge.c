/* drives/pushbelt/contact/maxwell_gauge.c — what all flanks of a pulley amount to. See maxwell_element.h.
 *
 * Works only where outputs are wanted. Tilt: the deflection u of both sheaves together over the elements
 * within the arc is fitted by a + r (c cos phi + s sin phi); the equivalent Sattler tilt is the size of (c,
 * s).
 */
#include "drives/pushbelt/contact/maxwell_element.h"
#include "linalg/lu.h"

#include <math.h>

enum { UNKNOWNS = 3 };

typedef struct flock {
  const cap_maxwell_pulley *pulley;
  int n;
  const double *shown; /* [n][CAP_MAXWELL_ELEMENT_NOUTPUT] */
} flock;

static const double *of(const flock *f, int k)
{
  return f->shown + k * CAP_MAXWELL_ELEMENT_NOUTPUT;
}

static bool within(const flock *f, int k)
{
  double theta = of(f, k)[CAP_MAXWELL_ELEMENT_ANGLE];
  return theta >= 0.0 && theta <= f->pulley->course.wrap;
}

/* Part of an element's pitch that is within the arc: weights, so that nothing jumps when elements pass. */
static double share_of(const flock *f, int k)
{
  const cap_maxwell_course *c = &f->pulley->course;
  double theta = of(f, k)[CAP_MAXWELL_ELEMENT_ANGLE], half = 0.5 * c->pitch;
  return fmax(fmin(theta + half, c->wrap) - fmax(theta - half, 0.0), 0.0) / c->pitch;
}

static void add_forces(const flock *f, double *out)
{
  double least = INFINITY, sums[2] = {0}, largest = 0.0, touching = 0.0;
  for (int k = 0; k < f->n; k++)
    for (int side = 0; side < 2; side++) {
      double force = of(f, k)[side ? CAP_MAXWELL_ELEMENT_FIXED : CAP_MAXWELL_ELEMENT_LOOSE];
      sums[side] += force;
      largest = fmax(largest, force);
      touching += force > 0.0;
      if (within(f, k)) least = fmin(least, force);
    }
  out[CAP_MAXWELL_GAUGE_LOOSE] = sums[0];
  out[CAP_MAXWELL_GAUGE_FIXED] = sums[1];
  out[CAP_MAXWELL_GAUGE_LARGEST] = largest;
  out[CAP_MAXWELL_GAUGE_LEAST] = isfinite(least) ? least : 0.0;
  out[CAP_MAXWELL_GAUGE_TOUCHING] = touching;
}

static void row_of(const flock *f, int k, double row[UNKNOWNS])
{
  double phi = of(f, k)[CAP_MAXWELL_ELEMENT_ANGLE] - 0.5 * f->pulley->course.wrap;
  double r = of(f, k)[CAP_MAXWELL_ELEMENT_RADIUS];
  row[0] = 1.0, row[1] = r * cos(phi), row[2] = r * sin(phi);
}

/* Least squares; false: too few elements. */
static bool fit_plane(const flock *f, double plane[UNKNOWNS])
{
  double a[UNKNOWNS * UNKNOWNS] = {0}, row[UNKNOWNS];
  int pivot[UNKNOWNS], count = 0;
  for (int i = 0; i < UNKNOWNS; i++) plane[i] = 0.0;
  for (int k = 0; k < f->n; k++) {
    double share = share_of(f, k);
    if (share == 0.0) continue;
    row_of(f, k, row);
    count++;
    for (int i = 0; i < UNKNOWNS; i++) {
      plane[i] += share * row[i] * of(f, k)[CAP_MAXWELL_ELEMENT_DEFLECTION];
      for (int j = 0; j < UNKNOWNS; j++) a[i * UNKNOWNS + j] += share * row[i] * row[j];
    }
  }
  if (count <= UNKNOWNS || capm_lu_factor(UNKNOWNS, a, pivot)) return false;
  capm_lu_solve(UNKNOWNS, a, pivot, plane);
  return true;
}

static void add_deflection(const flock *f, double *out)
{
  double plane[UNKNOWNS], row[UNKNOWNS], low = INFINITY, high = -INFINITY, under = INFINITY, over = -INFINITY;
  if (!fit_plane(f, plane)) return;
  for (int k = 0; k < f->n; k++) {
    if (!within(f, k)) continue;
    double u = of(f, k)[CAP_MAXWELL_ELEMENT_DEFLECTION], rest = u;
    row_of(f, k, row);
    for (int i = 0; i < UNKNOWNS; i++) rest -= row[i] * plane[i];
    low = fmin(low, u), high = fmax(high, u);
    under = fmin(under, rest), over = fmax(over, rest);
  }
  out[CAP_MAXWELL_GAUGE_TILT] = hypot(plane[1], plane[2]);
  out[CAP_MAXWELL_GAUGE_CENTRE] = plane[1] == 0.0 && plane[2] == 0.0
                                      ? 0.0
                                      : atan2(plane[2], plane[1]) + 0.5 * f->pulley->course.wrap;
  out[CAP_MAXWELL_GAUGE_PLATE] = 0.5 * (over - under);
  out[CAP_MAXWELL_GAUGE_SPIRAL] = (high - low) / (2.0 * f->pulley->course.slope);
}

static void rates(const cap_batch *b, cap_eval *e)
{
  if (!e->force) return;
  const cap_batch *elements = b + b->reads[0];
  flock f = {.pulley = b->bodies[0], .n = elements->n, .shown = e->force + elements->output_adr};
  double *out = e->force + b->output_adr;
  for (int k = 0; k < CAP_MAXWELL_GAUGE_NOUTPUT; k++) out[k] = 0.0;
  e->force[b->elem_adr] = 0.0;
  add_forces(&f, out);
  add_deflection(&f, out);
  out[CAP_MAXWELL_GAUGE_ITERATIONS] = of(&f, 0)[CAP_MAXWELL_ELEMENT_ITERATIONS];
}

const cap_element_type cap_maxwell_gauge_type = {
    .name = "flank sensor",
    .doc = "sums and extremes over all flanks of a pulley; no force",
    .noutput = CAP_MAXWELL_GAUGE_NOUTPUT,
    .wide = true,
    .rates = rates,
};
