/* solve/variator_continuum_beside.c — see variator_continuum_beside.h. */
#include "solve/variator_continuum_beside.h"

#include <math.h>

enum { FIGURES = 7 };

/* Names, and where both stand. */
typedef struct figure {
  cap_column continuum, distance;
  size_t seen, point;
} figure;

#define FIGURE(name, unit, text, member)                                                                     \
  {                                                                                                          \
    {"continuum." name, unit, text ", of the continuum"},                                                    \
        {"distance." name, unit, text ", less that of the continuum"},                                       \
        offsetof(cap_variator_continuum_seen, member), offsetof(cap_variator_continuum_point, member)        \
  }

static const figure figures[FIGURES] = {
    FIGURE("thrust_ratio", "1", "thrust ratio i_F", thrust_ratio),
    FIGURE("speed_ratio", "1", "speed ratio i_s", speed_ratio),
    FIGURE("efficiency", "1", "efficiency", efficiency),
    FIGURE("push.upper", "N", "push force of the upper strand", push[0]),
    FIGURE("push.lower", "N", "push force of the lower strand", push[1]),
    FIGURE("ring.upper", "N", "ring tension of the upper strand", ring[0]),
    FIGURE("ring.lower", "N", "ring tension of the lower strand", ring[1]),
};

cap_variator_continuum_seen cap_variator_continuum_beside_nothing(void)
{
  return (cap_variator_continuum_seen){.load = {NAN, NAN, NAN, NAN}, NAN, NAN, NAN, {NAN, NAN}, {NAN, NAN}};
}

static double value_at(const void *base, size_t offset)
{
  return *(const double *)(const void *)((const char *)base + offset);
}

static cap_status put(const cap_variator_continuum_point *p, const cap_variator_continuum_seen *seen,
                      cap_sink *sink)
{
  for (int k = 0; k < FIGURES; k++) {
    double is = value_at(p, figures[k].point), was = value_at(seen, figures[k].seen);
    CAP_TRY(sink->number(sink, figures[k].continuum, is));
    if (isfinite(was)) CAP_TRY(sink->number(sink, figures[k].distance, was - is));
  }
  return CAP_OK;
}

static double or_else(double value, double otherwise)
{
  return isfinite(value) ? value : otherwise;
}

cap_status cap_variator_continuum_beside(const cap_variator *v, const cap_variator_continuum_seen *seen,
                                         cap_sink *sink, cap_error *error)
{
  cap_variator_continuum *c;
  cap_variator_continuum_point p;
  cap_error reason = {0};
  const cap_variator_loads load = {.speed = or_else(seen->load.speed, v->load.speed),
                                   .ratio = or_else(seen->load.ratio, v->load.ratio),
                                   .torque = or_else(seen->load.torque, v->load.torque),
                                   .clamping = or_else(seen->load.clamping, v->load.clamping)};
  cap_status status = cap_variator_continuum_create(v, NULL, &c, &reason);
  if (status == CAP_OK) status = cap_variator_continuum_solve(c, &load, 0.0, &p, &reason);
  cap_variator_continuum_free(c);
  if (status == CAP_ERR_NOMEM) return cap_status_fail(error, status, "%s", reason.text);
  if (status != CAP_OK) return sink->text(sink, "continuum", reason.text);
  if (p.state != CAP_VARIATOR_CONTINUUM_HOLDS)
    return sink->text(sink, "continuum",
                      p.state == CAP_VARIATOR_CONTINUUM_SLIDES_PRI ? "macro slip on the primary"
                                                                   : "macro slip on the secondary");
  return put(&p, seen, sink);
}
