/* drives/pushbelt/variator/variator_describe.c — what the keys of a variator mean together.
 *
 * Maths: docs/theory.md §43.
 */
#include "drives/pushbelt/description/tuned.h"
#include "drives/pushbelt/description/variator_geometry.h"
#include "drives/pushbelt/variator/variator.h"
#include "laws/compression.h"

#include <math.h>
#include <stdint.h>

typedef cap_variator_spec spec;

#define MOST_TURN 1.5 /* rad: as the key allows */

/* ---- thicknesses --------------------------------------------------------------------------------------- */

/* Numbers in (0, 1) that depend on the seed alone (splitmix64). */
static double uniform(uint64_t *state)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
  double u = uniform(state), w = uniform(state);
  return sqrt(-2.0 * log(u)) * cos(2.0 * M_PI * w);
}

/* Of iota real elements, each with its own deviation, the sum has the root of iota times as much. */
static cap_status add_thicknesses(const spec *s, cap_arena *arena, cap_variator *v, cap_error *error)
{
  int n = v->simulated;
  double mean = cap_variator_geometry_scaled(s->element.thickness, v->iota, v->edge_correction);
  uint64_t state = (uint64_t)s->elements.thicknesses.seed;
  if (s->elements.thicknesses.order == CAP_VARIATOR_UNIFORM) return CAP_OK;
  double *t = CAP_ARENA_NEW(arena, double, n);
  if (!t) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < n; k++) switch (s->elements.thicknesses.order) {
    case CAP_VARIATOR_RANDOM:
      t[k] = mean + s->elements.thicknesses.spread * sqrt(v->iota) * normal(&state);
      break;
    case CAP_VARIATOR_ALTERNATING:
      t[k] = mean + (k % 2 ? -0.5 : 0.5) * s->elements.thicknesses.difference;
      break;
    default:
      t[k] = cap_variator_geometry_scaled(s->elements.thicknesses.list.v[k % s->elements.thicknesses.list.n],
                                          v->iota, v->edge_correction);
    }
  v->thickness = t;
  return CAP_OK;
}

/* ---- contacts ------------------------------------------------------------------------------------------ */

static cap_variator_press law_of(const cap_pushbelt_law *l)
{
  return (cap_variator_press){l->c, l->xi0, l->k};
}

static cap_variator_contacts contacts_of(const spec *s)
{
  return (cap_variator_contacts){
      .edge = law_of(&s->press.contact.edge),
      .head = law_of(cap_pushbelt_head_law(&s->press.contact)),
      .press_damping = s->press.contact.damping,
      .press_friction = s->press.contact.friction,
      .pin_clearance = s->pin.clearance,
      .pin_stiffness = s->pin.kind == CAP_VARIATOR_PIN_NONE ? 0.0 : s->pin.stiffness,
      .flank_shear = s->flank.shear,
      .saddle_shear = s->guide.shear,
      .press_shear = s->press.shear,
      .flank_stiffness = s->flank.of == 1 ? 2.0 * s->flank.stiffness : s->flank.stiffness,
      .flank_damping = s->flank.damping,
      .flank_friction = capm_friction_keys_of_law(&s->flank.friction),
      .flank_points = s->flank.points,
      .flank_whole = s->flank.whole,
      .flank_coupled = s->flank.coupling == 0,
      .saddle_stiffness = s->guide.saddle,
      .ear_stiffness = s->guide.ear_given ? s->guide.ear : s->guide.saddle,
      .saddle_damping = s->guide.damping,
      .ring_friction = capm_friction_keys_of_law(&s->guide.friction),
      .flank_held = s->flank.sticking == CAP_VARIATOR_SET_VALUED,
      .ring_held = s->guide.sticking == CAP_VARIATOR_SET_VALUED,
      .saddle_held = s->guide.normal == CAP_VARIATOR_SET_VALUED};
}

/* Angles between thick neighbours are iota times as large: with a radius and a chamfer scaled so they touch
 * at the heights of real ones, and their arcs take as much room. */
static cap_variator_element element_of(const spec *s)
{
  const cap_pushbelt_element *e = &s->element;
  double iota = capm_compression_iota(s->elements.real, cap_variator_simulated(s));
  double scale = s->elements.edge == CAP_VARIATOR_EDGE_SCALED ? iota : 1.0;
  return (cap_variator_element){.thickness = e->thickness,
                                .head_thickness = cap_pushbelt_head(e),
                                .edge = e->edge - e->centre,
                                .flank = s->flank.height - e->centre,
                                .saddle = e->saddle - e->centre,
                                .ear = e->ear - e->centre,
                                .head = e->head - e->centre,
                                .pin = s->pin.height - e->centre,
                                .pin_length = s->pin.length,
                                .edge_radius = e->radius / scale,
                                .edge_turn = fmin(e->chamfer * scale, MOST_TURN),
                                .patch_length = s->flank.length_given ? s->flank.length : e->thickness,
                                .patch_breadth = s->flank.breadth,
                                .mass = e->mass,
                                .inertia = e->inertia};
}

/* ---- pulleys and ring ---------------------------------------------------------------------------------- */

static cap_status describe_pulley(const spec *s, int which, cap_arena *arena, cap_variator_pulley *p,
                                  cap_error *error)
{
  const cap_variator_side *side = which == CAP_VARIATOR_PRI ? &s->primary : &s->secondary;
  *p = (cap_variator_pulley){.inertia = side->inertia,
                             .loose_mass = side->loose_mass,
                             .loose_damping = side->loose_damping,
                             .curved = s->contour.kind == 1,
                             .shape_low = s->contour.low,
                             .shape_high = s->contour.high,
                             .flank_radius = s->flank.sphere,
                             .x = which == CAP_VARIATOR_PRI ? 0.0 : s->centre_distance,
                             .rotation = -1,
                             .closing = -1};
  for (int k = 0; p->curved && k < s->contour.shape.n; k++) p->shape[k] = s->contour.shape.v[k];
  for (int k = 0; k < CAP_VARIATOR_SHEAVES; k++)
    CAP_TRY(cap_compliance_influence(&s->compliance, k, s->inner, s->outer, arena, &p->sheave[k], error));
  return CAP_OK;
}

/* Where element 0 starts; drawn from the seed unless it is given. */
static double phase_of(const spec *s)
{
  uint64_t state = (uint64_t)s->disturbance.seed;
  if (s->disturbance.phase_given) return s->disturbance.phase;
  return s->disturbance.seed ? uniform(&state) : 0.0;
}

/* The endplay is that of the real belt, whatever number of elements is simulated. */
static double ring_length(const spec *s, const cap_variator *v)
{
  if (!s->ring.endplay_given) return s->ring.free_length;
  return s->elements.real * s->element.thickness + 2.0 * M_PI * cap_variator_geometry_ring_over_edge(v) +
         s->ring.endplay;
}

cap_status cap_variator_describe(const spec *s, cap_arena *arena, cap_variator *v, cap_error *error)
{
  *v = (cap_variator){.simulated = cap_variator_simulated(s),
                      .real = s->elements.real,
                      .iota = capm_compression_iota(s->elements.real, cap_variator_simulated(s)),
                      .edge_correction = s->elements.edge == CAP_VARIATOR_EDGE_KEPT ? s->elements.correction
                                                                                    : 0.0,
                      .stacked = s->elements.edge == CAP_VARIATOR_EDGE_STACKED,
                      .centre_distance = s->centre_distance,
                      .wedge = s->wedge,
                      .inner = s->inner,
                      .outer = s->outer,
                      .element = element_of(s),
                      .contact = contacts_of(s),
                      .ring = {.damping = s->ring.damping,
                               .layers = s->ring.pack.layers,
                               .packs = s->ring.pack.packs,
                               .thickness = s->ring.pack.layer,
                               .width = s->ring.pack.width,
                               .modulus = s->ring.pack.modulus},
                      .ring_thickness = cap_pushbelt_pack_thickness(&s->ring.pack),
                      .begin = (cap_variator_begin)s->start,
                      .disturbance = s->disturbance.size,
                      .disturbances = (uint64_t)s->disturbance.seed,
                      .x = -1,
                      .y = -1,
                      .pitch = -1};
  v->phase = phase_of(s);
  cap_ring_section_fill(&v->ring, s->ring.pack.density);
  v->ring_length = ring_length(s, v);
  CAP_TRY(add_thicknesses(s, arena, v, error));
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) CAP_TRY(describe_pulley(s, p, arena, &v->pulley[p], error));
  v->load = cap_variator_describe_loads(s, v);
  return CAP_OK;
}

/* ---- mesh ---------------------------------------------------------------------------------------------- */

enum { NODES_GRADED = 160, NODES_EVEN = 72, NODES_HEAVY = 72, NODES_MOST = 4096 };
static const double LAYER_SHARE = 1.0 / 3.0;

bool cap_variator_describe_graded(const spec *s)
{
  return s->ring.mesh == CAP_VARIATOR_GRADED && cap_ring_types[s->ring.model]->grades;
}

/* Nodes that are lighter are harder for the solver of set-valued contacts, which misses some steps, and stiff
 * saddles turn them so fast that steps would be far shorter (§46.3). */
static bool is_heavy(const spec *s)
{
  static const double stiff = 6e7; /* N/m, of the bristles of a real element */
  double shear = s->guide.shear > 0.0 ? s->guide.shear : 1.0;
  return s->guide.sticking == CAP_VARIATOR_SET_VALUED || s->guide.saddle * shear > stiff;
}

/* For a spacing that is given: as many as it asks for without load. */
static int nodes_of(const spec *s, const cap_variator *v)
{
  cap_ring_mesh_grade g = {.length = v->ring_length,
                           .centre_distance = v->centre_distance,
                           .theta = (s->ratio - 1.0) / (s->ratio + 1.0),
                           .finest = s->ring.finest,
                           .within = CAP_TUNED_MESH_WITHIN};
  if (s->ring.nodes_given) return s->ring.nodes;
  if (!cap_variator_describe_graded(s)) return NODES_EVEN;
  if (is_heavy(s) && !s->ring.finest_given) return NODES_HEAVY;
  return s->ring.finest_given ? capm_whole_between(cap_ring_mesh_fair(&g), NODES_GRADED, NODES_MOST)
                              : NODES_GRADED;
}

cap_ring_mesh_grade cap_variator_describe_mesh(const spec *s, const cap_variator *v, double length,
                                               double distance, double theta)
{
  cap_ring_mesh_grade g = {.length = length,
                           .centre_distance = distance,
                           .theta = theta,
                           .nodes = nodes_of(s, v),
                           .finest = s->ring.finest,
                           .within = CAP_TUNED_MESH_WITHIN};
  if (!s->ring.finest_given)
    g.finest = fmax(LAYER_SHARE * cap_variator_geometry_layer(v), cap_ring_mesh_finest(&g));
  return g;
}

/* ---- loads --------------------------------------------------------------------------------------------- */

static bool is_given(const cap_variator_given *g)
{
  return g->value_given || g->path_given;
}

static double first_of(const cap_variator_given *g)
{
  return g->path_given ? g->path.y[0] : g->value;
}

static double largest_of(const cap_variator_given *g)
{
  double most = fabs(g->value);
  for (int k = 0; g->path_given && k < g->path.n; k++) most = fmax(most, fabs(g->path.y[k]));
  return most;
}

/* (2.49) at the line of the rocking edge, the pulley that needs more; without losses M_S = -i_g M_P. */
static double clamping_of(const spec *s, const cap_variator *v)
{
  const cap_variator_side *torque = is_given(&s->secondary.torque) ? &s->secondary : &s->primary;
  cap_variator_line ring = cap_variator_geometry_line(v->ring_length, v->centre_distance, s->ratio);
  cap_variator_line edge = cap_variator_geometry_beside(&ring, -cap_variator_geometry_ring_over_edge(v));
  double most = largest_of(&torque->torque), at = torque == &s->secondary ? 1.0 : s->ratio;
  double secondary = most * at, mu = v->contact.flank_friction.mu_static;
  if (!s->secondary.safety_given) return first_of(&s->secondary.clamping);
  return fmax(
      cap_variator_geometry_clamping(s->secondary.safety, secondary, edge.r[CAP_VARIATOR_SEC], s->wedge, mu),
      cap_variator_geometry_clamping(s->secondary.safety, secondary / s->ratio, edge.r[CAP_VARIATOR_PRI],
                                     s->wedge, mu));
}

cap_variator_loads cap_variator_describe_loads(const spec *s, const cap_variator *v)
{
  bool driven = is_given(&s->primary.speed), braked = is_given(&s->secondary.torque);
  return (cap_variator_loads){
      .speed = driven ? first_of(&s->primary.speed) : s->ratio * first_of(&s->secondary.speed),
      .ratio = s->ratio,
      .torque = braked ? first_of(&s->secondary.torque) : -s->ratio * first_of(&s->primary.torque),
      .clamping = clamping_of(s, v)};
}
