/* drives/pushbelt/variator/variator_start_belt.c — see variator_start_belt.h. */
#include "drives/pushbelt/variator/variator_start_belt.h"
#include "base/whole.h"
#include "drives/pushbelt/carry/variator_carry.h"
#include "drives/pushbelt/description/tuned.h"

#include <math.h>

enum { PRI = CAP_VARIATOR_PRI, SEC = CAP_VARIATOR_SEC };

/* ---- along the line ------------------------------------------------------------------------------------ */

/* The four parts in their order from the start of the lower strand. */
typedef struct part {
  int section;
  double along, length; /* m: from the start of the part; of the part */
} part;

static part part_at(const cap_variator_state *s, double place)
{
  const cap_variator_start_arc *p = &s->arc[PRI], *q = &s->arc[SEC];
  const part parts[] = {{CAP_VARIATOR_IN_LS, 0.0, s->strand},
                        {CAP_VARIATOR_IN_PRI, 0.0, p->edge * p->wrap},
                        {CAP_VARIATOR_IN_US, 0.0, s->strand},
                        {CAP_VARIATOR_IN_SEC, 0.0, q->edge * q->wrap}};
  part at = parts[0];
  for (int k = 0; k < CAP_VARIATOR_SECTIONS; k++) {
    at = parts[k];
    at.along = place;
    if (place < at.length) break;
    place -= at.length;
  }
  return at;
}

/* From `in` to `out` over the active part of an arc, at its end. */
static double over_arc(const part *at, double radius, double active, double in, double out)
{
  double ramp = fmin(fmax(active * radius, 0.2 * at->length), at->length);
  double share = (at->along - (at->length - ramp)) / ramp;
  return in + (out - in) * fmin(fmax(share, 0.0), 1.0);
}

double cap_variator_start_belt_push(const cap_variator_state *s, double place)
{
  part at = part_at(s, fmod(place, s->edge_length));
  switch (at.section) {
  case CAP_VARIATOR_IN_LS:
    return s->push_ls;
  case CAP_VARIATOR_IN_PRI:
    return over_arc(&at, s->arc[PRI].edge, s->active, s->push_ls, s->push_us);
  case CAP_VARIATOR_IN_US:
    return s->push_us;
  default:
    return over_arc(&at, s->arc[SEC].edge, s->active, s->push_us, s->push_ls);
  }
}

double cap_variator_start_belt_tension(const cap_variator_state *s, double place)
{
  part at = part_at(s, fmod(place, s->edge_length));
  double share = at.along / at.length;
  switch (at.section) {
  case CAP_VARIATOR_IN_LS:
    return s->tension_ls;
  case CAP_VARIATOR_IN_PRI:
    return s->tension_ls + share * (s->tension_us - s->tension_ls);
  case CAP_VARIATOR_IN_US:
    return s->tension_us;
  default:
    return s->tension_us + share * (s->tension_ls - s->tension_us);
  }
}

/* An element whose rocking edge is at a place of the line; beyond its end the line goes on with the next
 * turn. */
typedef struct pose {
  double x, y, pitch, curvature;
  int section;
} pose;

static pose pose_at(const cap_variator *v, const cap_variator_state *s, double place)
{
  double turns = floor(place / s->edge_length), upper = s->slope, lower = M_PI - s->slope;
  part at = part_at(s, place - turns * s->edge_length);
  bool arc = at.section == CAP_VARIATOR_IN_PRI || at.section == CAP_VARIATOR_IN_SEC;
  /* strands go on from the end of the arc before them */
  bool primary = at.section == CAP_VARIATOR_IN_PRI || at.section == CAP_VARIATOR_IN_US;
  const cap_variator_start_arc *a = &s->arc[primary ? PRI : SEC];
  double pitch = at.section == CAP_VARIATOR_IN_US || at.section == CAP_VARIATOR_IN_SEC ? upper : lower;
  if (arc) pitch -= at.along / a->edge;
  double c = cos(pitch), r = (arc ? a->edge : a->edge - a->saddle_depth) - v->element.edge, sine = sin(pitch);
  double ahead = arc ? 0.0 : at.along;
  return (pose){.x = a->centre - r * sine + ahead * c,
                .y = r * c + ahead * sine,
                .pitch = pitch - 2.0 * M_PI * turns,
                .curvature = arc ? 1.0 / a->edge : 0.0,
                .section = at.section};
}

/* ---- joints -------------------------------------------------------------------------------------------- */

typedef struct belt {
  const cap_variator *v;
  const cap_variator_state *s;
} belt;

static void joint_pose(const void *self, double place, double at[3])
{
  const belt *b = self;
  const pose p = pose_at(b->v, b->s, place);
  at[0] = p.x, at[1] = p.y, at[2] = p.pitch;
}

/* From element 0 at the place of its phase all around; the first `nopen` joints are open by `gap` each. */
static double march(const cap_variator *v, cap_variator_state *s, int nopen, double gap)
{
  const belt b = {v, s};
  double first = v->phase * s->edge_length / s->n, place = first;
  for (int k = 0; k < s->n; k++) {
    double push = fmax(cap_variator_start_belt_push(s, place), CAP_TUNED_LEAST_PUSH);
    s->place[k] = place;
    place = cap_variator_carry_next(v, k, (k + 1) % s->n, joint_pose, &b, place, push) +
            (k < nopen ? gap : 0.0);
  }
  return place - first - s->edge_length;
}

double cap_variator_start_belt_place(const cap_variator *v, cap_variator_state *s)
{
  s->endplay = 0.0;
  return march(v, s, 0, 0.0);
}

void cap_variator_start_belt_open(const cap_variator *v, cap_variator_state *s, double slack)
{
  double mean = s->edge_length / s->n, gap;
  int nopen = capm_whole_between(0.25 * s->strand / mean, 1, s->n);
  gap = slack / nopen;
  for (int k = 0; k < 20; k++) {
    double miss = march(v, s, nopen, gap);
    if (fabs(miss) < 1e-15) break;
    gap -= miss / nopen;
  }
  s->endplay = nopen * gap;
}

/* Of the range +-1. */
static double drawn(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return 2.0 * (double)(*state >> 11) / 9007199254740992.0 - 1.0;
}

void cap_variator_start_belt_move(const cap_variator *v, cap_variator_state *s)
{
  uint64_t state = v->disturbances;
  for (int k = 0; k < s->n; k++) {
    pose p = pose_at(v, s, s->place[k]);
    double speed = s->speed * (1.0 - p.curvature * v->element.edge);
    s->x[k] = p.x;
    s->y[k] = p.y;
    s->pitch[k] = p.pitch;
    s->vx[k] = speed * cos(p.pitch);
    s->vy[k] = speed * sin(p.pitch);
    s->w[k] = -s->speed * p.curvature;
    s->section[k] = p.section;
    if (!(v->disturbance > 0.0)) continue;
    s->x[k] += v->disturbance * drawn(&state);
    s->y[k] += v->disturbance * drawn(&state);
  }
}
