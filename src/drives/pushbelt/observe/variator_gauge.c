/* drives/pushbelt/observe/variator_gauge.c — see variator_gauge.h. */
#include "drives/pushbelt/observe/variator_gauge.h"
#include "drives/pushbelt/contact/groove.h"
#include "drives/pushbelt/contact/push_chain.h"
#include "drives/pushbelt/contact/ring_guide.h"
#include "drives/pushbelt/description/tuned.h"
#include "drives/pushbelt/description/variator_geometry.h"
#include "model/builder.h"

#include <math.h>

/* Strands are looked at in this part of the centre distance about their middle. */
#define MIDDLE 0.3

typedef struct belt {
  const cap_variator *v;
  const cap_eval *e;
  const double *groove, *chain, *guide; /* outputs of element 0 */
} belt;

static const double *outputs_of(const cap_batch *b, const cap_eval *e, int which)
{
  return e->force + (b + b->reads[which])->output_adr;
}

/* ---- pulleys ------------------------------------------------------------------------------------------- */

static double speed_of(const belt *w, int pulley)
{
  return w->e->v[w->v->pulley[pulley].rotation];
}

static void see_pulleys(const belt *w, double *out)
{
  double count[CAP_VARIATOR_PULLEYS] = {0}, slide[CAP_VARIATOR_PULLEYS] = {0},
         radius[CAP_VARIATOR_PULLEYS] = {0};
  for (int k = 0; k < w->v->simulated; k++) {
    const double *at = w->groove + k * CAP_GROOVE_NOUTPUT;
    int p = (int)at[CAP_GROOVE_PULLEY];
    if (p < 0) continue;
    out[CAP_VARIATOR_GAUGE_THRUST + p] += at[CAP_GROOVE_AXIAL];
    out[CAP_VARIATOR_GAUGE_TORQUE + p] += at[CAP_GROOVE_TORQUE];
    slide[p] += at[CAP_GROOVE_SLIDE_T];
    radius[p] += at[CAP_GROOVE_RADIUS];
    count[p] += 1.0;
  }
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    double n = fmax(count[p], 1.0), rim = fabs(speed_of(w, p)) * radius[p] / n;
    out[CAP_VARIATOR_GAUGE_RADIUS + p] = radius[p] / n;
    out[CAP_VARIATOR_GAUGE_TOUCHING + p] = w->v->iota * count[p];
    out[CAP_VARIATOR_GAUGE_SLIP + p] = rim > 0.0 ? slide[p] / n / rim : 0.0;
  }
}

/* Saddles in the arcs, as far as they press, and flanks: how they slide, and what does not. */
static void see_sliding(const belt *w, double *out)
{
  double pressed[CAP_VARIATOR_PULLEYS] = {0}, touching[CAP_VARIATOR_PULLEYS] = {0};
  for (int k = 0; k < w->v->simulated; k++) {
    const double *flank = w->groove + k * CAP_GROOVE_NOUTPUT, *guide = w->guide + k * CAP_RING_GUIDE_NOUTPUT;
    double slide = guide[CAP_RING_GUIDE_SLIDE];
    int p = (int)flank[CAP_GROOVE_PULLEY];
    out[CAP_VARIATOR_GAUGE_DEPTH] = fmax(out[CAP_VARIATOR_GAUGE_DEPTH], -guide[CAP_RING_GUIDE_GAP]);
    if (p < 0) continue;
    touching[p] += 1.0;
    out[CAP_VARIATOR_GAUGE_FLANK_STUCK + p] += hypot(flank[CAP_GROOVE_SLIDE_T], flank[CAP_GROOVE_SLIDE_G]) <
                                               CAP_TUNED_FLANK_STILL;
    if (!(guide[CAP_RING_GUIDE_NORMAL] > 0.0)) continue;
    pressed[p] += 1.0;
    out[CAP_VARIATOR_GAUGE_RING_SLIDE + p] += slide * slide;
    out[CAP_VARIATOR_GAUGE_RING_STUCK + p] += fabs(slide) < CAP_TUNED_RING_STILL;
  }
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    double n = fmax(pressed[p], 1.0);
    out[CAP_VARIATOR_GAUGE_RING_SLIDE + p] = sqrt(out[CAP_VARIATOR_GAUGE_RING_SLIDE + p] / n);
    out[CAP_VARIATOR_GAUGE_RING_STUCK + p] /= n;
    out[CAP_VARIATOR_GAUGE_FLANK_STUCK + p] /= fmax(touching[p], 1.0);
  }
}

/* ---- strands ------------------------------------------------------------------------------------------- */

/* 0 in the middle of the upper strand, 1 of the lower, -1 elsewhere. */
static int strand_at(const belt *w, double x, double y)
{
  const cap_variator_pulley *p = w->v->pulley;
  double middle = 0.5 * (p[0].x + p[1].x), half = 0.5 * MIDDLE * w->v->centre_distance;
  return fabs(x - middle) > half ? -1 : y < 0.0;
}

static void see_strands(const belt *w, double *out)
{
  const cap_variator *v = w->v;
  const double *q = w->e->q;
  double joints[2] = {0}, places[2] = {0}, heads[2] = {0};
  for (int k = 0; k < v->simulated; k++) {
    int next = k + 1 == v->simulated ? 0 : k + 1;
    const double *joint = w->chain + k * CAP_PUSH_CHAIN_NOUTPUT;
    int here = strand_at(w, q[v->x + k], q[v->y + k]);
    int between = strand_at(w, 0.5 * (q[v->x + k] + q[v->x + next]), 0.5 * (q[v->y + k] + q[v->y + next]));
    if (here >= 0) {
      out[CAP_VARIATOR_GAUGE_TENSION + here] += w->guide[k * CAP_RING_GUIDE_NOUTPUT + CAP_RING_GUIDE_TENSION];
      places[here] += 1.0;
    }
    if (between >= 0) {
      out[CAP_VARIATOR_GAUGE_PUSH + between] += joint[CAP_PUSH_CHAIN_EDGE] + joint[CAP_PUSH_CHAIN_HEAD];
      heads[between] += joint[CAP_PUSH_CHAIN_HEAD];
      joints[between] += 1.0;
    }
  }
  for (int s = 0; s < 2; s++) {
    double push = out[CAP_VARIATOR_GAUGE_PUSH + s];
    out[CAP_VARIATOR_GAUGE_HEAD + s] = push > 0.0 ? heads[s] / push : 0.0;
    out[CAP_VARIATOR_GAUGE_PUSH + s] = push / fmax(joints[s], 1.0);
    out[CAP_VARIATOR_GAUGE_TENSION + s] /= fmax(places[s], 1.0);
  }
}

/* Tension acts on the line of the ring, push on that of the rocking edges; both are known from where the
 * flanks run. */
static double carried(const belt *w, const double *out)
{
  const cap_variator *v = w->v;
  double flank = out[CAP_VARIATOR_GAUGE_RADIUS + CAP_VARIATOR_PRI];
  double edge = flank + v->element.edge - v->element.flank;
  double ring = flank + cap_variator_geometry_ring_height(v) - v->element.flank;
  return (out[CAP_VARIATOR_GAUGE_TENSION + 1] - out[CAP_VARIATOR_GAUGE_TENSION]) * ring +
         (out[CAP_VARIATOR_GAUGE_PUSH] - out[CAP_VARIATOR_GAUGE_PUSH + 1]) * edge;
}

/* ---- the belt ------------------------------------------------------------------------------------------ */

static void see_gaps(const belt *w, double *out)
{
  for (int k = 0; k < w->v->simulated; k++) {
    const double *joint = w->chain + k * CAP_PUSH_CHAIN_NOUTPUT;
    double edge = joint[CAP_PUSH_CHAIN_EDGE_GAP], head = joint[CAP_PUSH_CHAIN_HEAD_GAP];
    out[CAP_VARIATOR_GAUGE_ENDPLAY] += edge;
    out[CAP_VARIATOR_GAUGE_ENDPLAY + 1] += head;
    out[CAP_VARIATOR_GAUGE_OPEN] += fmax(edge, 0.0);
    out[CAP_VARIATOR_GAUGE_OPEN + 1] += fmax(head, 0.0);
  }
}

static double belt_speed(const belt *w)
{
  const cap_variator *v = w->v;
  const double *q = w->e->q, *u = w->e->v;
  double sum = 0.0;
  for (int k = 0; k < v->simulated; k++)
    sum += u[v->x + k] * cos(q[v->pitch + k]) + u[v->y + k] * sin(q[v->pitch + k]);
  return sum / v->simulated;
}

/* Of what stands still or does not touch there is none. */
static double ratio(double of, double to)
{
  return to != 0.0 ? of / to : 0.0;
}

static void rates(const cap_batch *b, cap_eval *e)
{
  if (!e->force) return;
  belt w = {.v = b->bodies[0],
            .e = e,
            .groove = outputs_of(b, e, 0),
            .chain = outputs_of(b, e, 1),
            .guide = outputs_of(b, e, 2)};
  double *out = e->force + b->output_adr;
  for (int k = 0; k < CAP_VARIATOR_GAUGE_NOUTPUT; k++) out[k] = 0.0;
  see_pulleys(&w, out);
  see_sliding(&w, out);
  see_strands(&w, out);
  see_gaps(&w, out);
  out[CAP_VARIATOR_GAUGE_SPEED_RATIO] = ratio(speed_of(&w, CAP_VARIATOR_PRI), speed_of(&w, CAP_VARIATOR_SEC));
  out[CAP_VARIATOR_GAUGE_THRUST_RATIO] = ratio(out[CAP_VARIATOR_GAUGE_THRUST + CAP_VARIATOR_PRI],
                                               out[CAP_VARIATOR_GAUGE_THRUST + CAP_VARIATOR_SEC]);
  out[CAP_VARIATOR_GAUGE_BELT_SPEED] = belt_speed(&w);
  out[CAP_VARIATOR_GAUGE_CARRIED] = carried(&w, out);
  e->force[b->elem_adr] = 0.0;
}

int cap_variator_gauge_add(cap_builder *b, const cap_variator *v)
{
  const cap_element_type *reads[] = {cap_groove_type_of(v), &cap_push_chain_type, cap_ring_guide_type_of(v)};
  cap_builder_common(b, &cap_variator_gauge_type, 0, NULL, 0, NULL);
  cap_builder_reads(b, &cap_variator_gauge_type, 3, reads);
  int handle = cap_builder_element(b, &cap_variator_gauge_type, "variator", v->x, CAP_GROUND, NULL, NULL);
  cap_builder_body(b, handle, v);
  return handle;
}

const cap_element_type cap_variator_gauge_type = {
    .name = "variator sensor",
    .doc = "sums, means and extremes over a whole variator; no force",
    .noutput = CAP_VARIATOR_GAUGE_NOUTPUT,
    .wide = true,
    .rates = rates,
};
