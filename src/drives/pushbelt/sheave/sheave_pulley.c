/* drives/pushbelt/sheave/sheave_pulley.c — sheaves and course of a pulley from its keys, and where it is at
 * rest. */
#include "base/whole.h"
#include "drives/pushbelt/sheave/sheave.h"
#include "linalg/spline.h"

#include <limits.h>
#include <math.h>

static cap_status out_of_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

static cap_status lay_sheaves(const cap_sheave_spec *s, cap_arena *arena, cap_maxwell *m, cap_error *error)
{
  *m = (cap_maxwell){.coupled = s->flanks == 0,
                     .form = s->solver == 0 ? CAP_MAXWELL_AUTO : CAP_MAXWELL_LEMKE};
  for (int side = 0; side < 2; side++)
    CAP_TRY(cap_compliance_influence(&s->compliance, side, s->pulley.inner, s->pulley.outer, arena,
                                     &m->sheave[side], error));
  return CAP_OK;
}

/* Radii over the angle; the reference is the largest of them, where the groove of the open pulley is as wide
 * as the elements. */
static cap_status lay_radius(const cap_sheave_spec *s, cap_arena *arena, cap_maxwell_course *c,
                             cap_error *error)
{
  const cap_series *p = &s->belt.radius.points;
  bool points = s->belt.radius.shape == CAP_SHEAVE_POINTS, spiral = s->belt.radius.shape == CAP_SHEAVE_SPIRAL;
  int n = points ? p->n : 2;
  double *at = CAP_ARENA_NEW(arena, double, n), *r = CAP_ARENA_NEW(arena, double, n);
  double *slopes = CAP_ARENA_NEW(arena, double, n);
  if (!at || !r || !slopes) return out_of_memory(error);
  at[0] = 0.0, at[n - 1] = c->wrap;
  r[0] = spiral ? s->belt.radius.entry : s->belt.radius.radius;
  r[n - 1] = spiral ? s->belt.radius.exit : s->belt.radius.radius;
  for (int k = 0; points && k < n; k++) at[k] = p->x[k], r[k] = p->y[k];
  c->npoint = n, c->at = at, c->r = r, c->slopes = slopes;
  for (int k = 0; k < n; k++) c->reference = fmax(c->reference, r[k]);
  cap_status status = capm_spline_slopes(n, at, r, slopes);
  return status == CAP_OK ? CAP_OK
                          : cap_status_fail(error, status, "no spline through the running radii was found");
}

cap_status cap_sheave_pulley_lay(const cap_sheave_spec *s, cap_arena *arena, cap_maxwell_pulley *pulley,
                                 int *count, cap_error *error)
{
  cap_maxwell_course *c = &pulley->course;
  *c = (cap_maxwell_course){.slope = tan(s->pulley.wedge),
                            .speed = s->pulley.speed,
                            .wrap = s->belt.wrap,
                            .pitch = s->belt.wrap / s->belt.elements,
                            .margin = CAP_SHEAVE_MARGIN,
                            .compliance = 1.0 / s->belt.stiffness};
  *count = capm_whole_between(ceil((c->wrap + 2.0 * c->margin) / c->pitch), 0, INT_MAX);
  if (*count > CAP_MAXWELL_ELEMENT_MOST)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "expected at most %d elements, including those before and after the arc, got %d",
                           CAP_MAXWELL_ELEMENT_MOST, *count);
  CAP_TRY(lay_sheaves(s, arena, &pulley->sheaves, error));
  return lay_radius(s, arena, c, error);
}

/* Axial travel up to which belt and pulley are as assumed: elements before and after the arc stay free. */
static double longest_travel(const cap_maxwell_course *c)
{
  return 2.0 * c->slope * c->reference * (1.0 / cos(c->margin) - 1.0);
}

double cap_sheave_pulley_strongest(const cap_maxwell_pulley *given, int count)
{
  cap_maxwell_pulley copy = *given;
  copy.sheaves.form = CAP_MAXWELL_AUTO;
  double most = cap_maxwell_element_force(&copy, count, 0.0, longest_travel(&copy.course));
  return isfinite(most) ? most : INFINITY;
}

static cap_status no_force(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NUMERICS, "the flank forces at the start did not converge");
}

/* The force grows with the axial travel and never slower: bracketed, then by Illinois. All forms give the
 * same. */
cap_status cap_sheave_pulley_closing(const cap_maxwell_pulley *given, int count, double force,
                                     double *closing, cap_error *error)
{
  cap_maxwell_pulley copy = *given, *pulley = &copy;
  const cap_maxwell_course *c = &copy.course;
  copy.sheaves.form = CAP_MAXWELL_AUTO;
  double most = longest_travel(c);
  double low = 0.0, high = 2.0 * c->compliance * force / count, at_low = -force, at_high = -force;
  *closing = 0.0;
  if (!(force > 0.0)) return CAP_OK;
  while (at_high < 0.0) {
    low = high, at_low = at_high;
    high *= 2.0;
    if (high > most)
      return cap_status_fail(
          error, CAP_ERR_INPUT,
          "no equilibrium with the clamping force; expected an axial travel of at most %.3g mm, got "
          "more at %.6g N",
          most * 1e3, force);
    at_high = cap_maxwell_element_force(pulley, count, 0.0, high) - force;
    if (!isfinite(at_high)) return no_force(error);
  }
  for (int k = 0; k < 100; k++) {
    double z = low - at_low * (high - low) / (at_high - at_low);
    double off = cap_maxwell_element_force(pulley, count, 0.0, z) - force;
    if (!isfinite(off)) return no_force(error);
    *closing = z;
    if (fabs(off) <= 1e-12 * force || high - low <= 1e-16) break;
    if (off < 0.0) low = z, at_low = off, at_high *= 0.5;
    else high = z, at_high = off, at_low *= 0.5;
  }
  return CAP_OK;
}
