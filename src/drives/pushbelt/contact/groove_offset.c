/* drives/pushbelt/contact/groove_offset.c — see groove.h: closings at which flanks touch, and how much more
 * carries a load.
 */
#include "drives/pushbelt/contact/groove_part.h"
#include "drives/pushbelt/description/variator_geometry.h"

#include <stdlib.h>

/* The foot x on a contour of a touching sphere whose centre is rho from the axis, r + R nr = rho; contours
 * fall towards the groove. */
static double foot_of(const cap_flank_curve *c, double rho, double radius)
{
  double r[3], low = c->low - 1.0, high = c->high + 1.0;
  for (int k = 0; k < 200 && high - low > 1e-17; k++) {
    double middle = 0.5 * (low + high);
    cap_flank_contour(c, middle, r);
    if (r[0] + radius / sqrt(1.0 + r[1] * r[1]) > rho) low = middle;
    else high = middle;
  }
  return 0.5 * (low + high);
}

double cap_groove_offset_centre(const cap_flank_curve *c, double rho, double radius)
{
  double r[3], x = foot_of(c, rho, radius);
  cap_flank_contour(c, x, r);
  return x - r[1] * radius / sqrt(1.0 + r[1] * r[1]);
}

double cap_groove_offset_closing(const cap_variator *v, int pulley, double radius)
{
  cap_groove g = {.v = v};
  if (!v->pulley[pulley].curved) return 2.0 * tan(v->wedge) * (radius - v->pulley[pulley].radius);
  if (cap_groove_build_pulley(&g, pulley, NULL) != CAP_OK) return NAN;
  const cap_groove_pulley *p = &g.pulley[pulley];
  return 2.0 * (p->m0 - cap_groove_offset_centre(&p->curve, radius + p->radius * p->sine, p->radius));
}

/* Mean of the influence over an arc of even load, m/N: by the table's numbers or functions, at the middles of
 * equal parts. */
static double mean_influence(const cap_influence *c, double radius, double wrap)
{
  enum { PARTS = 64 };
  double sum = 0.0;
  for (int d = 1 - PARTS; d < PARTS; d++)
    sum += (PARTS - abs(d)) * cap_influence_at(c, radius, d * wrap / PARTS, radius, 0.0);
  return sum / (PARTS * PARTS);
}

double cap_groove_offset(const cap_variator *v, int pulley, double radius, double wrap, double force)
{
  const cap_variator_pulley *p = &v->pulley[pulley];
  double nx = cos(v->wedge), edge = radius + v->element.edge - v->element.flank;
  double elements = edge * wrap / cap_variator_geometry_edge_thickness(v, 0);
  if (p->curved) {
    cap_groove g = {.v = v};
    double r[3];
    if (cap_groove_build_pulley(&g, pulley, NULL) != CAP_OK) return NAN;
    const cap_groove_pulley *own = &g.pulley[pulley];
    cap_flank_contour(&own->curve, foot_of(&own->curve, radius + own->radius * own->sine, own->radius), r);
    nx = -r[1] / sqrt(1.0 + r[1] * r[1]);
  }
  double flanks = 2.0 / (v->iota * v->contact.flank_stiffness * nx * nx) / elements;
  return force *
         (flanks + mean_influence(&p->sheave[0], radius, wrap) + mean_influence(&p->sheave[1], radius, wrap));
}
