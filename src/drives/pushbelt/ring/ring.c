/* drives/pushbelt/ring/ring.c — see ring.h. */
#include "drives/pushbelt/ring/ring.h"

#include <math.h>
#include <string.h>

#define TYPE(comma, name, doc) &cap_ring_##name##_type,
#define NAME(comma, name, doc) #name,

const cap_ring_type *const cap_ring_types[] = {CAP_RING_MODELS(TYPE, , ) NULL};
const char *const cap_ring_names[] = {CAP_RING_MODELS(NAME, , ) NULL};

void cap_ring_section_fill(cap_ring_section *s, double density)
{
  double count = (double)s->layers * (double)s->packs, area = s->thickness * s->width;
  s->EA = count * area * s->modulus;
  s->EI = count * area * s->thickness * s->thickness / 12.0 * s->modulus;
  s->mass = count * area * density;
}

int cap_ring_number(const char *name)
{
  for (int k = 0; cap_ring_names[k]; k++)
    if (strcmp(cap_ring_names[k], name) == 0) return k;
  return -1;
}

const cap_ring_type *cap_ring_find(const char *name)
{
  int k = cap_ring_number(name);
  return k < 0 ? NULL : cap_ring_types[k];
}

static const char *mesh_fault(const cap_ring_shape *s)
{
  if (!s->mesh) return NULL;
  if (s->mesh[0] != 0.0) return "expected the first node at 0";
  for (int k = 1; k < s->nodes; k++)
    if (!(s->mesh[k] > s->mesh[k - 1])) return "expected nodes in ascending order";
  return s->mesh[s->nodes - 1] < s->length ? NULL : "expected all nodes within the length of the ring";
}

cap_ring_fault cap_ring_obstacle(const cap_ring_shape *s)
{
  const cap_ring_type *type = cap_ring_find(s->model);
  if (!type) return (cap_ring_fault){"unknown ring model", "model", 0.0};
  if (!(s->length > 0.0)) return (cap_ring_fault){"expected a length above 0", "length", 0.0};
  if (!(s->free_length >= 0.0)) return (cap_ring_fault){"expected a length above 0", "free_length", 0.0};
  if (!(s->section.EA > 0.0 && s->section.EI >= 0.0 && s->section.mass > 0.0))
    return (cap_ring_fault){"expected a mass and a stiffness above 0", "section", 0.0};
  if (!(s->section.damping >= 0.0))
    return (cap_ring_fault){"expected a damping of at least 0", "damping", 0.0};
  if (!(s->centre_distance >= 0.0 && 2.0 * s->centre_distance < s->length))
    return (cap_ring_fault){"the axes are too far apart for the length of the ring", "centre_distance", 0.0};
  const char *mesh = mesh_fault(s);
  if (mesh) return (cap_ring_fault){mesh, "mesh", 0.0};
  return type->obstacle ? type->obstacle(s) : (cap_ring_fault){0};
}

cap_ring *cap_ring_build(cap_builder *b, const cap_ring_shape *shape, cap_error *error)
{
  cap_ring_fault fault = cap_ring_obstacle(shape);
  if (fault.text) {
    cap_status_fail(error, CAP_ERR_UNSUPPORTED, "ring model \"%s\": %s", shape->model, fault.text);
    return NULL;
  }
  cap_ring *ring = cap_ring_find(shape->model)->build(b, shape);
  if (!ring) cap_status_fail(error, CAP_ERR_NOMEM, "out of memory while building the ring");
  return ring;
}

static double within(const cap_ring *ring, double xi)
{
  if (ring->open) return fmin(fmax(xi, 0.0), ring->length);
  xi -= ring->length * floor(xi / ring->length);
  return xi < ring->length ? xi : 0.0; /* -1e-20 would round to the length itself */
}

void cap_ring_point_at(const cap_ring *ring, const double *q, double xi, cap_ring_point *point)
{
  ring->type->point_at(ring, q, within(ring, xi), point);
}

void cap_ring_push(const cap_ring_point *p, const double force[2], double moment, double *h)
{
  for (int k = 0; k < p->ncoord; k++)
    h[p->coord[k]] += p->J[0][k] * force[0] + p->J[1][k] * force[1] + p->turn[k] * moment;
}

/* Newton on f(xi) = (place - r) . r', whose slope is (place - r) . r'' - r' . r'; where the slope has the
 * wrong sign (beyond the centre of curvature) the step of a straight ring is taken. */
double cap_ring_nearest(const cap_ring *ring, const double *q, const double place[2], double xi)
{
  enum { MOST = 50 };
  double scale = 1e-8 * ring->length /* the next step would be its square */, longest = 0.05 * ring->length;
  for (int k = 0; k < MOST; k++) {
    double r[2], r1[2], r2[2];
    xi = within(ring, xi);
    ring->type->place_at(ring, q, xi, r, r1, r2);
    double dx = place[0] - r[0], dy = place[1] - r[1], square = r1[0] * r1[0] + r1[1] * r1[1];
    double slope = square - (dx * r2[0] + dy * r2[1]);
    double step = (dx * r1[0] + dy * r1[1]) / (slope > 0.1 * square ? slope : square);
    step = fmin(fmax(step, -longest), longest);
    xi += step;
    if (fabs(step) < scale) break;
  }
  return within(ring, xi);
}

void cap_ring_nearest_all(const cap_ring *ring, const double *q, int n, const double (*places)[2], double *xi)
{
  for (int k = 0; k < n; k++) xi[k] = within(ring, xi[k]);
  if (ring->type->nearest_all && ring->type->nearest_all(ring, q, n, places, xi)) return;
  for (int k = 0; k < n; k++) xi[k] = cap_ring_nearest(ring, q, places[k], xi[k]);
}

double cap_ring_stress(const cap_ring_section *s, double tension, double curvature)
{
  return tension / ((double)(s->layers * s->packs) * s->thickness * s->width) +
         0.5 * s->modulus * s->thickness * curvature;
}
