/* drives/pushbelt/continuum/variator_continuum_beside.c — see variator_continuum_beside.h. */
#include "drives/pushbelt/continuum/variator_continuum_beside.h"

#include <math.h>

enum { FIGURES = CAP_VARIATOR_CONTINUUM_BESIDE_DISTANCE };

/* Names, and where both stand. */
typedef struct figure {
  cap_column continuum, distance;
  size_t seen, point;
} figure;

#define FIGURE(name, unit, text, member)                                                                     \
  {                                                                                                          \
    {"continuum." name, unit, text ", continuum model"},                                                     \
        {"distance." name, unit, text ", minus the continuum model"},                                        \
        offsetof(cap_variator_continuum_seen, member), offsetof(cap_variator_continuum_point, member)        \
  }

static const figure figures[FIGURES] = {
    FIGURE("thrust_ratio", "1", "thrust ratio i_F", thrust_ratio),
    FIGURE("speed_ratio", "1", "speed ratio i_s", speed_ratio),
    FIGURE("efficiency", "1", "efficiency", efficiency),
    FIGURE("push.upper", "N", "push force in the upper strand", push[0]),
    FIGURE("push.lower", "N", "push force in the lower strand", push[1]),
    FIGURE("ring.upper", "N", "ring tension in the upper strand", ring[0]),
    FIGURE("ring.lower", "N", "ring tension in the lower strand", ring[1]),
};

cap_variator_continuum_seen cap_variator_continuum_beside_nothing(void)
{
  return (cap_variator_continuum_seen){.load = {NAN, NAN, NAN, NAN}, NAN, NAN, NAN, {NAN, NAN}, {NAN, NAN}};
}

static double value_at(const void *base, size_t offset)
{
  return *(const double *)(const void *)((const char *)base + offset);
}

cap_column cap_variator_continuum_beside_column(int k)
{
  return k < FIGURES ? figures[k].continuum : figures[k - FIGURES].distance;
}

static double or_else(double value, double otherwise)
{
  return isfinite(value) ? value : otherwise;
}

static cap_status solve(const cap_variator *v, const cap_variator_continuum_seen *seen,
                        cap_variator_continuum_point *p, cap_error *why)
{
  cap_variator_continuum *c;
  const cap_variator_loads load = {.speed = or_else(seen->load.speed, v->load.speed),
                                   .ratio = or_else(seen->load.ratio, v->load.ratio),
                                   .torque = or_else(seen->load.torque, v->load.torque),
                                   .clamping = or_else(seen->load.clamping, v->load.clamping)};
  cap_status status = cap_variator_continuum_create(v, NULL, &c, why);
  if (status == CAP_OK) status = cap_variator_continuum_solve(c, &load, 0.0, p, why);
  cap_variator_continuum_free(c);
  if (status == CAP_OK && p->state != CAP_VARIATOR_CONTINUUM_HOLDS)
    return cap_status_fail(why, CAP_RETRY_NOCONV,
                           p->state == CAP_VARIATOR_CONTINUUM_UNSOLVED     ? "no solution found"
                           : p->state == CAP_VARIATOR_CONTINUUM_SLIDES_PRI ? "macro slip on the primary"
                                                                           : "macro slip on the secondary");
  return status;
}

cap_status cap_variator_continuum_beside_values(const cap_variator *v,
                                                const cap_variator_continuum_seen *seen, double *values,
                                                cap_error *why)
{
  cap_variator_continuum_point p;
  cap_status status = solve(v, seen, &p, why);
  for (int k = 0; k < FIGURES; k++) {
    values[k] = status == CAP_OK ? value_at(&p, figures[k].point) : NAN;
    values[FIGURES + k] = value_at(seen, figures[k].seen) - values[k];
  }
  return status == CAP_ERR_NOMEM ? status : CAP_OK;
}

cap_status cap_variator_continuum_beside_put(const double *values, const cap_error *why, cap_sink *sink)
{
  if (isnan(values[0])) return sink->text(sink, "continuum", why->text);
  for (int k = 0; k < CAP_VARIATOR_CONTINUUM_BESIDE; k++)
    if (isfinite(values[k])) CAP_TRY(sink->number(sink, cap_variator_continuum_beside_column(k), values[k]));
  return CAP_OK;
}

cap_status cap_variator_continuum_beside(const cap_variator *v, const cap_variator_continuum_seen *seen,
                                         cap_sink *sink, cap_error *error)
{
  cap_error why = {0};
  double values[CAP_VARIATOR_CONTINUUM_BESIDE];
  cap_status status = cap_variator_continuum_beside_values(v, seen, values, &why);
  if (status != CAP_OK) return cap_status_fail(error, status, "%s", why.text);
  return cap_variator_continuum_beside_put(values, &why, sink);
}
