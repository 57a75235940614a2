/* drives/accessory/accessory_drive_segments_start.c — see accessory_drive_segments.h. */
#include "drives/accessory/accessory_drive_segments.h"

#include <math.h>

typedef cap_accessory_lay lay;
typedef cap_accessory_piece piece;

static double stretch_at(const lay *w, double effective)
{
  double g = w->run->rate;
  return (w->belt->EA + effective) / (w->belt->EA - w->belt->mass * g * g);
}

/* Unstretched belt on a slip arc up to the angle `turned` from its begin: the integral of r dphi / lambda
 * with t = t0 exp(friction phi). */
static double slip_holds(const lay *w, const piece *p, double turned)
{
  double EA = w->belt->EA, g = w->run->rate, r = w->belt->pulleys[p->pulley].radius;
  double firm = (EA - w->belt->mass * g * g) / EA, grown = p->effective * expm1(p->friction * turned);
  return r * firm * (turned - log1p(grown / (EA + p->effective)) / p->friction);
}

static void add(lay *w, piece p)
{
  p.from = w->total;
  w->total += p.holds;
  w->pieces[w->npiece++] = p;
}

/* Where the belt cannot carry the load, the friction that would just do stands in, as in the statics. */
static void add_pulley(lay *w, int k)
{
  int before = k ? k - 1 : w->belt->npulley - 1;
  double enters = w->run->spans[before].effective, leaves = w->run->spans[k].effective;
  double wrap = w->run->path.pulley[k].wrap, ratio = log(leaves / enters);
  double slips = fmin(w->run->pulleys[k].slip_arc, wrap), r = w->belt->pulleys[k].radius;
  piece sticks = {.pulley = k, .arc = true, .effective = enters};
  sticks.holds = r * (wrap - slips) / stretch_at(w, enters);
  add(w, sticks);
  if (slips > 0.0 && ratio != 0.0) {
    piece slip = {
        .pulley = k, .arc = true, .turned = wrap - slips, .effective = enters, .friction = ratio / slips};
    slip.holds = slip_holds(w, &slip, slips);
    add(w, slip);
  }
  piece span = {.pulley = k, .effective = leaves};
  span.holds = w->run->path.span[k].length / stretch_at(w, leaves);
  add(w, span);
  w->sink[k] = 0.5 * (enters + leaves) * w->deep[k];
}

void cap_accessory_drive_segments_start_lay(const cap_belt *belt, const cap_belt_statics *run,
                                            const double *deep, lay *w)
{
  *w = (lay){.belt = belt, .run = run, .deep = deep};
  for (int k = 0; k < belt->npulley; k++) add_pulley(w, k);
}

/* Angle from the begin of a slip arc at which it holds s. */
static double slip_turned(const lay *w, const piece *p, double s)
{
  double r = w->belt->pulleys[p->pulley].radius, turned = s * stretch_at(w, p->effective) / r;
  for (int k = 0; k < 20; k++) {
    double lambda = stretch_at(w, p->effective * exp(p->friction * turned));
    double step = (slip_holds(w, p, turned) - s) * lambda / r;
    turned -= step;
    if (fabs(step) < 1e-15) break;
  }
  return turned;
}

/* Direction of the belt where it enters pulley k, counted on from the entry of the first pulley. */
static double entry_direction(const lay *w, int k)
{
  double a = w->run->path.span[w->belt->npulley - 1].direction;
  for (int i = 0; i < k; i++) a += w->belt->pulleys[i].side * w->run->path.pulley[i].wrap;
  return a;
}

static cap_accessory_point on_arc(const lay *w, const piece *p, double s)
{
  const cap_belt_pulley *pulley = &w->belt->pulleys[p->pulley];
  const double *centre = w->run->path.pulley[p->pulley].centre;
  double turned = p->friction != 0.0 ? slip_turned(w, p, s)
                                     : s * stretch_at(w, p->effective) / pulley->radius;
  cap_accessory_point at = {.pulley = p->pulley, .friction = p->friction};
  at.effective = p->effective * exp(p->friction * turned);
  at.angle = entry_direction(w, p->pulley) + pulley->side * (p->turned + turned);
  double radius = pulley->radius + w->sink[p->pulley] - w->deep[p->pulley] * at.effective;
  at.x = centre[0] + pulley->side * radius * sin(at.angle);
  at.y = centre[1] - pulley->side * radius * cos(at.angle);
  at.speed = w->run->rate * stretch_at(w, at.effective);
  at.turn = pulley->side * at.speed / radius;
  return at;
}

static cap_accessory_point on_span(const lay *w, const piece *p, double s)
{
  const cap_belt_path_span *span = &w->run->path.span[p->pulley];
  double stretch = stretch_at(w, p->effective), way = s * stretch;
  return (cap_accessory_point){.x = span->from[0] + way * span->u[0],
                               .y = span->from[1] + way * span->u[1],
                               .angle = entry_direction(w, p->pulley) +
                                        w->belt->pulleys[p->pulley].side *
                                            w->run->path.pulley[p->pulley].wrap,
                               .speed = w->run->rate * stretch,
                               .effective = p->effective,
                               .pulley = -1};
}

cap_accessory_point cap_accessory_drive_segments_start_point(const lay *w, double s)
{
  int k = 0;
  s *= w->total / w->belt->length0; /* 1 but for rounding */
  while (k + 1 < w->npiece && s >= w->pieces[k + 1].from) k++;
  const piece *p = &w->pieces[k];
  return p->arc ? on_arc(w, p, s - p->from) : on_span(w, p, s - p->from);
}
