/* drives/accessory/belt/belt_life.c — see belt_life.h. */
#include "drives/accessory/belt/belt_life.h"

#include <math.h>

static const double UNIT_DIAMETER = 0.1, UNIT_TENSION = 100.0; /* m, N a rib: only units of the damage */

cap_belt_life_pass cap_belt_life_running(const cap_belt *belt, const cap_belt_statics *s)
{
  cap_belt_life_pass p = {.n = s->n, .ribs = belt->ribs > 0 ? belt->ribs : 1};
  double length = 0.0;
  for (int i = 0; i < s->n; i++) {
    double before = s->spans[i ? i - 1 : s->n - 1].tension, after = s->spans[i].tension;
    p.diameter[i] = belt->pulleys[i].effective;
    p.back[i] = belt->pulleys[i].side == CAP_BELT_BACK;
    p.tight[i] = fmax(before, after);
    p.tension += after * s->path.span[i].length;
    length += s->path.span[i].length;
  }
  p.tension /= length;
  p.passes = s->rate / belt->length0;
  return p;
}

static double by_diameter(const cap_belt_life_fatigue *f, const cap_belt_life_pass *p, int i)
{
  double tension = f->tension == CAP_BELT_LIFE_TIGHT ? p->tight[i] : p->tension;
  return (p->back[i] ? f->back : f->groove) * pow(p->diameter[i] / UNIT_DIAMETER, -f->exponent) *
         pow(tension / (p->ribs * UNIT_TENSION), f->tension_exponent) *
         (p->heat != 0.0 ? exp2(p->heat / f->halving) : 1.0);
}

/* The tension has its centrifugal part m v^2 in it. */
static double by_stress(const cap_belt_life_fatigue *f, const cap_belt_life_pass *p, int i)
{
  double sigma = p->tight[i] / f->area + f->modulus * f->thickness / p->diameter[i];
  return pow(sigma / f->strength, f->exponent);
}

void cap_belt_life_miner(const cap_belt_life_fatigue *fatigue, const cap_belt_life_pass *pass,
                         cap_belt_life_damage *damage)
{
  *damage = (cap_belt_life_damage){0};
  for (int i = 0; i < pass->n; i++) {
    damage->share[i] = fatigue->law == CAP_BELT_LIFE_STRESS ? by_stress(fatigue, pass, i)
                                                            : by_diameter(fatigue, pass, i);
    damage->pass += damage->share[i];
  }
  for (int i = 0; i < pass->n; i++)
    damage->share[i] = damage->pass > 0.0 ? damage->share[i] / damage->pass : 0.0;
  damage->rate = damage->pass * pass->passes;
}
