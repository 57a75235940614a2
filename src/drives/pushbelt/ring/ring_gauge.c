/* drives/pushbelt/ring/ring_gauge.c — see ring_gauge.h. */
#include "drives/pushbelt/ring/ring_gauge.h"

#include <math.h>
#include <stdio.h>

static void rates(const cap_batch *b, cap_eval *e)
{
  for (int n = 0; e->force && n < b->n; n++) {
    const cap_ring *ring = b->bodies[n];
    double *out = e->force + b->output_adr + n * CAP_RING_GAUGE_NOUTPUT;
    cap_ring_point p;
    cap_ring_point_at(ring, e->q, b->par[n * CAP_RING_GAUGE_NPARAM + CAP_RING_GAUGE_XI], &p);
    out[CAP_RING_GAUGE_X] = p.r[0];
    out[CAP_RING_GAUGE_Y] = p.r[1];
    out[CAP_RING_GAUGE_TENSION] = p.tension;
    out[CAP_RING_GAUGE_CURVATURE] = p.curvature;
    out[CAP_RING_GAUGE_STRESS] = cap_ring_stress(&ring->section, isnan(p.tension) ? 0.0 : p.tension,
                                                 p.curvature);
    e->force[b->elem_adr + n] = 0.0;
  }
}

int cap_ring_gauge_add(cap_builder *b, const cap_ring *ring, double xi)
{
  int handle = cap_builder_element(b, &cap_ring_gauge_type, "sensor", ring->first, CAP_GROUND, &xi, NULL);
  cap_builder_body(b, handle, ring);
  return handle;
}

static cap_term term_of(int gauge, int output)
{
  return (cap_term){CAP_TERM_OUTPUT, gauge * CAP_OUTPUTS_MOST + output, 1.0};
}

static void add_place(cap_builder *b, const cap_ring *ring, int k, double xi, bool stretches)
{
  static const struct {
    const char *what, *unit, *meaning;
    int output;
  } shown[] = {{"tension", "N", "tension", CAP_RING_GAUGE_TENSION},
               {"curvature", "1/m", "curvature", CAP_RING_GAUGE_CURVATURE},
               {"bending", "N/m2", "bending stress of each layer", CAP_RING_GAUGE_CURVATURE},
               {"stress", "N/m2", "stress in the outer fibre of each layer", CAP_RING_GAUGE_STRESS}};
  int gauge = cap_ring_gauge_add(b, ring, xi);
  for (int i = stretches ? 0 : 1; i < (stretches ? 4 : 3); i++) {
    char name[160], meaning[160];
    cap_term term = term_of(gauge, shown[i].output);
    if (i == 2) term.factor = cap_ring_stress(&ring->section, 0.0, 1.0); /* per curvature */
    snprintf(name, sizeof name, "%s.%d.%s", ring->name, k, shown[i].what);
    snprintf(meaning, sizeof meaning, "%s of %s at %.4g m along its length", shown[i].meaning, ring->name,
             xi);
    cap_builder_channel(b, name, shown[i].unit, meaning, 1, &term);
  }
}

static void add_detail(cap_builder *b, const char *kind, int k, const char *what, const char *unit,
                       const char *meaning, cap_term term)
{
  char name[80], text[80];
  snprintf(name, sizeof name, "%s.%d.%s", kind, k, what);
  snprintf(text, sizeof text, "%s %d", meaning, k);
  cap_builder_channel(b, name, unit, text, 1, &term);
  cap_builder_detail(b);
  cap_builder_film_member(b);
}

static void add_point(cap_builder *b, int k, int gauge, bool stretches)
{
  add_detail(b, "node", k, "x", "m", "x coordinate of point", term_of(gauge, CAP_RING_GAUGE_X));
  add_detail(b, "node", k, "y", "m", "y coordinate of point", term_of(gauge, CAP_RING_GAUGE_Y));
  if (stretches)
    add_detail(b, "segment", k, "tension", "N", "tension at point", term_of(gauge, CAP_RING_GAUGE_TENSION));
}

/* Mean tension of the points. */
static void add_mean(cap_builder *b, const cap_ring *ring, int points, const int *gauges, cap_term *terms)
{
  char name[160], meaning[160];
  for (int k = 0; k < points; k++) {
    terms[k] = term_of(gauges[k], CAP_RING_GAUGE_TENSION);
    terms[k].factor = 1.0 / points;
  }
  snprintf(name, sizeof name, "%s.tension", ring->name);
  snprintf(meaning, sizeof meaning, "mean tension of %s", ring->name);
  cap_builder_channel(b, name, "N", meaning, points, terms);
}

bool cap_ring_gauge_channels(cap_builder *b, const cap_ring *ring, bool stretches, int places, int points)
{
  cap_term *terms = CAP_ARENA_NEW(cap_builder_arena(b), cap_term, points);
  int *gauges = CAP_ARENA_NEW(cap_builder_arena(b), int, points);
  if (!terms || !gauges) return false;
  for (int k = 0; k < points; k++) gauges[k] = cap_ring_gauge_add(b, ring, ring->length * k / points);
  if (stretches) add_mean(b, ring, points, gauges, terms);
  for (int k = 0; k < places; k++) add_place(b, ring, k + 1, ring->length * k / places, stretches);
  for (int k = 0; k < points; k++) add_point(b, k, gauges[k], stretches);
  return true;
}

static const cap_param params[] = {{"place", "m"}};

const cap_element_type cap_ring_gauge_type = {
    .name = "ring sensor",
    .doc = "position, tension and curvature at one point of a ring; no force",
    .nparam = CAP_RING_GAUGE_NPARAM,
    .params = params,
    .noutput = CAP_RING_GAUGE_NOUTPUT,
    .wide = true,
    .rates = rates,
};
