/* step/excess.c — see excess.h. */
#include "step/excess.h"

#include <float.h>
#include <math.h>
#include <string.h>

double cap_excess_least(const cap_model *m)
{
  double least = 0.0;
  for (int k = 0; k < m->nx; k++)
    if (strcmp(m->x_unit[k], "m") == 0) least = fmax(least, m->x_size[k]);
  return least;
}

/* Deflections of contacts and quaternions, each relative to its own size; at least `worst`. */
static double excess_of_inner(const cap_model *m, double tolerance, const cap_excess_ends *s, double worst)
{
  for (int k = 0; k < m->nx; k++) {
    int i = 2 * m->nv + k;
    double own = fmax(m->x_size[k], fmax(fabs(s->y[i]), fabs(s->end[i])));
    double miss = fabs(s->miss[i]) / (tolerance * own);
    if (!(miss <= worst)) worst = miss;
  }
  return worst;
}

double cap_excess_of(const cap_model *m, double tolerance, double least, const cap_excess_ends *s)
{
  int start[4] = {0, m->nv, 2 * m->nv, m->nstate};
  double worst = 0.0, rounding = 0.0;
  for (int i = 0; i < m->nstate; i++) /* a maximum would forget it */
    if (!isfinite(s->end[i]) || !isfinite(s->miss[i])) return INFINITY;
  for (int kind = 0; kind < 3; kind++) {
    /* a body that rests on a viscoelastic contact moves by deflections: smaller motion is none */
    double size = kind == 0 ? least : kind == 1 ? least * m->fastest : 0.0, off = 0.0;
    if (kind == 2 && m->ncontact) return excess_of_inner(m, tolerance, s, worst);
    for (int i = 0; kind == 1 && s->base && i < m->nv; i++) size = fmax(size, fabs(s->base[i]));
    for (int i = start[kind]; i < start[kind + 1]; i++) {
      size = fmax(size, fmax(fmax(fabs(s->y[i]), fabs(s->end[i])), fabs(s->h * s->slope[i])));
      off = fmax(off, fabs(s->miss[i]));
    }
    bool rest = kind == 1 && size < 1e3 * rounding;
    double allowed = tolerance * size + (rest ? rounding : 0.0) + DBL_MIN;
    if (kind == 0) rounding = 8.0 * DBL_EPSILON * size / fabs(s->h);
    if (!(off <= worst * allowed)) worst = off / allowed;
  }
  return worst;
}
