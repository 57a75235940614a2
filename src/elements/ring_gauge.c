/* elements/ring_gauge.c — see ring_gauge.h. */
#include "elements/ring_gauge.h"

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
  int handle = cap_builder_element(b, &cap_ring_gauge_type, "gauge", ring->first, CAP_GROUND, &xi, NULL);
  cap_builder_body(b, handle, ring);
  return handle;
}

static cap_term term_of(int gauge, int output)
{
  return (cap_term){CAP_TERM_OUTPUT, gauge * CAP_OUTPUTS_MOST + output, 1.0};
}

static void add_detail(cap_builder *b, const char *name, const char *unit, const char *meaning, int nterm,
                       const cap_term *terms)
{
  cap_builder_channel(b, name, unit, meaning, nterm, terms);
  cap_builder_detail(b);
}

static void add_place(cap_builder *b, const cap_ring *ring, int k, int gauge)
{
  char name[160];
  cap_term tension = term_of(gauge, CAP_RING_GAUGE_TENSION),
           bending = term_of(gauge, CAP_RING_GAUGE_CURVATURE);
  cap_term stress = term_of(gauge, CAP_RING_GAUGE_STRESS);
  bending.factor = cap_ring_stress(&ring->section, 0.0, 1.0);
  snprintf(name, sizeof name, "%s.tension.%d", ring->name, k);
  add_detail(b, name, "N", "tension at a place of the ring", 1, &tension);
  snprintf(name, sizeof name, "%s.bending.%d", ring->name, k);
  add_detail(b, name, "Pa", "bending stress of a layer at a place of the ring", 1, &bending);
  snprintf(name, sizeof name, "%s.stress.%d", ring->name, k);
  add_detail(b, name, "Pa", "stress of the outer fibre of a layer at a place of the ring", 1, &stress);
}

bool cap_ring_gauge_places(cap_builder *b, const cap_ring *ring, int places)
{
  cap_term *terms = CAP_ARENA_NEW(cap_builder_arena(b), cap_term, places);
  int *gauges = CAP_ARENA_NEW(cap_builder_arena(b), int, places);
  char name[160];
  if (!terms || !gauges) return false;
  for (int k = 0; k < places; k++) {
    gauges[k] = cap_ring_gauge_add(b, ring, ring->length * k / places);
    terms[k] = term_of(gauges[k], CAP_RING_GAUGE_TENSION);
    terms[k].factor = 1.0 / places;
  }
  snprintf(name, sizeof name, "%s.tension", ring->name);
  cap_builder_channel(b, name, "N", "mean tension of the ring", places, terms);
  for (int k = 0; k < places; k++) add_place(b, ring, k, gauges[k]);
  return true;
}

void cap_ring_gauge_points(cap_builder *b, const cap_ring *ring, bool stretches, int points)
{
  for (int k = 0; k < points; k++) {
    int gauge = cap_ring_gauge_add(b, ring, ring->length * k / points);
    cap_term x = term_of(gauge, CAP_RING_GAUGE_X), y = term_of(gauge, CAP_RING_GAUGE_Y);
    cap_term tension = term_of(gauge, CAP_RING_GAUGE_TENSION);
    char name[80];
    snprintf(name, sizeof name, "node.%d.x", k);
    add_detail(b, name, "m", "place along x of a point of the ring", 1, &x);
    snprintf(name, sizeof name, "node.%d.y", k);
    add_detail(b, name, "m", "place along y of a point of the ring", 1, &y);
    snprintf(name, sizeof name, "segment.%d.tension", k);
    if (stretches) add_detail(b, name, "N", "tension at a point of the ring", 1, &tension);
  }
}

static const cap_param params[] = {{"place", "m"}};

const cap_element_type cap_ring_gauge_type = {
    .name = "ring gauge",
    .doc = "what a ring shows of one of its points; no force",
    .nparam = CAP_RING_GAUGE_NPARAM,
    .params = params,
    .noutput = CAP_RING_GAUGE_NOUTPUT,
    .wide = true,
    .rates = rates,
};
