/* drives/pushbelt/contact/groove_build.c — see groove.h: what of a variator the groove needs. */
#include "drives/pushbelt/contact/groove_part.h"
#include "drives/pushbelt/description/variator_geometry.h"

#include <string.h>

/* ---- pulleys ------------------------------------------------------------------------------------------- */

static bool is_rigid(const cap_influence *c)
{
  return !c->table && cap_influence_count(c, NULL) == 0;
}

static cap_status make_curve(cap_groove_pulley *p, cap_error *error)
{
  enum { SAMPLES = 200 };
  const cap_variator_pulley *given = p->given;
  double r[3];
  memcpy(p->curve.a, given->shape, sizeof p->curve.a);
  p->curve.low = given->shape_low, p->curve.high = given->shape_high;
  p->steep = 0.0, p->flat = INFINITY;
  for (int k = 0; k <= SAMPLES; k++) {
    cap_flank_contour(&p->curve, p->curve.low + (p->curve.high - p->curve.low) * k / SAMPLES, r);
    if (!(r[1] < 0.0))
      return cap_status_fail_at(error, CAP_ERR_INPUT, "contour.polynomial",
                                "the radius must decrease towards the groove; expected dr/dx < 0 from low to "
                                "high, got %.4g at x = %.4g mm",
                                r[1], 1e3 * (p->curve.low + (p->curve.high - p->curve.low) * k / SAMPLES));
    p->steep = fmax(p->steep, -r[1]);
    p->flat = fmin(p->flat, -r[1]);
  }
  p->m0 = cap_groove_offset_centre(&p->curve, p->rho0, p->radius);
  return CAP_OK;
}
_Static_assert((int)CAP_VARIATOR_SHAPE_ORDER == (int)CAP_FLANK_ORDER, "contours");

cap_status cap_groove_build_pulley(cap_groove *g, int pulley, cap_error *error)
{
  cap_groove_pulley *p = &g->pulley[pulley];
  const cap_variator *v = g->v;
  const cap_variator_pulley *given = p->given = &v->pulley[pulley];
  p->sheaves = (cap_maxwell){.sheave = {given->sheave[0], given->sheave[1]}, .coupled = g->coupled};
  for (int s = 0; s < CAP_VARIATOR_SHEAVES; s++) { /* functions of both are those of the same radii */
    cap_influence *own = &p->sheaves.sheave[s];
    if (!(own->outer > own->inner)) own->inner = v->inner, own->outer = v->outer;
  }
  p->rigid = is_rigid(&given->sheave[0]) && is_rigid(&given->sheave[1]);
  p->table = given->sheave[0].table || given->sheave[1].table;
  p->sine = sin(v->wedge), p->cosine = cos(v->wedge);
  p->radius = given->flank_radius;
  p->up = v->element.flank + p->radius * p->sine;
  p->rho0 = given->radius + p->radius * p->sine;
  if (given->curved) return make_curve(p, error);
  p->steep = p->flat = p->cosine / p->sine;
  return CAP_OK;
}

/* A bound of the angular frequency: elements on their flanks and bristles, pitching, and as many as may be
 * in an arc
 * against the pulley; with dampers the limit of an explicit step is earlier. */
static double fastest_of(const cap_groove *g)
{
  const cap_variator *v = g->v;
  double mass = v->iota * v->element.mass, inertia = v->iota * v->element.inertia, most = 0.0;
  for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++) {
    const cap_groove_pulley *p = &g->pulley[k];
    double arm = fabs(v->element.flank) + g->half, in_arc = 0.5 * g->n, per_z = 0.0, per_turn = 0.0;
    double normal = 2.0 * g->stiffness * g->points, shear = g->shear * g->points;
    if (p->given->loose_mass > 0.0) per_z = in_arc / p->given->loose_mass;
    if (p->given->inertia > 0.0) per_turn = in_arc * p->rho0 * p->rho0 / p->given->inertia;
    double across = (normal * p->sine * p->sine + shear * p->cosine * p->cosine) / mass +
                    0.25 * (normal * p->cosine * p->cosine + shear * p->sine * p->sine) * per_z;
    double along = shear * (1.0 / mass + (arm * arm + g->gyration * g->gyration) / inertia + per_turn);
    most = fmax(most, fmax(across + normal * p->sine * p->sine * arm * arm / inertia, along));
  }
  double angular_frequency = sqrt(most), zeta = 0.5 * angular_frequency * g->damping;
  return angular_frequency / (sqrt(1.0 + zeta * zeta) - zeta);
}

/* ---- groove -------------------------------------------------------------------------------------------- */

/* Each of two points has half of the flank. Where friction is set-valued its limit is an ellipsoid: the one
 * that is right in pure sliding and in pure drilling (docs/theory.md §45.3). */
static void make_patch(cap_groove *g)
{
  const cap_variator_element *e = &g->v->element;
  double share = g->v->contact.flank_points == 2 ? 0.5 : 1.0;
  g->patch = capm_patch_of(share * e->patch_length, e->patch_breadth);
  g->gyration = g->held ? g->patch.pure * g->patch.gyration : g->patch.gyration;
}

cap_status cap_groove_build_make(cap_groove *g, const cap_variator *v, cap_error *error)
{
  const cap_variator_contacts *c = &v->contact;
  bool two = c->flank_points == 2, whole = two && c->flank_whole;
  *g = (cap_groove){.v = v, .n = v->simulated, .points = two && !whole ? 2 : 1, .whole = whole};
  g->coupled = c->flank_coupled;
  g->held = c->flank_held;
  if (g->held && (two || v->pulley[0].curved || v->pulley[1].curved))
    return cap_status_fail_at(
        error, CAP_ERR_INPUT, "flank.stick_model",
        "set-valued friction of the flanks requires one contact point on conical sheaves; "
        "expected bristle, got set-valued");
  g->half = two ? 0.5 * v->element.thickness : 0.0; /* each of the real elements pitches for itself */
  g->stiffness = v->iota * c->flank_stiffness / g->points;
  g->damping = c->flank_damping;
  g->shear = 2.0 * g->stiffness * (c->flank_shear > 0.0 ? c->flank_shear : 1.0);
  make_patch(g);
  bool table = false;
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    CAP_TRY(cap_groove_build_pulley(g, p, error));
    table = table || g->pulley[p].table;
  }
  if (table && g->points * g->n > CAP_GROOVE_MOST)
    return cap_status_fail_at(
        error, CAP_ERR_INPUT, "elements.simulated",
        "too many contact points for tabulated influence numbers; expected at most %d, got "
        "%d; simulate fewer elements, or set flank.points: 1",
        CAP_GROOVE_MOST, g->points * g->n);
  if (isinf(c->flank_friction.mu_kinetic) || isinf(c->flank_friction.mu_static))
    return cap_status_fail_at(error, CAP_ERR_INPUT, "flank.friction",
                              "expected a finite coefficient of friction, got infinity");
  g->fastest = fastest_of(g);
  return CAP_OK;
}

/* The builder lays inner states out element by element, the kernel state by state: what element k is given is
 * the k-th part of the whole block. */
static void add_elements(cap_builder *b, const cap_groove *g, const cap_element_type *type,
                         const double *block)
{
  for (int k = 0; k < g->n; k++) {
    const char *name = cap_arena_format(cap_builder_arena(b), "flank %d", k + 1);
    int handle = cap_builder_element(b, type, name ? name : "", g->v->x + k, CAP_GROUND, NULL,
                                     block + k * CAP_GROOVE_NSTATE);
    cap_builder_body(b, handle, g);
  }
}

cap_status cap_groove_build(cap_builder *b, const cap_variator *v, const double *sections, cap_error *error)
{
  static const char *const parts[CAP_VARIATOR_PULLEYS] = {"pri", "sec"};
  const cap_element_type *type = cap_groove_type_of(v);
  cap_arena *arena = cap_builder_arena(b);
  cap_groove *g = CAP_ARENA_NEW(arena, cap_groove, 1);
  double *block = CAP_ARENA_NEW(arena, double, (v->simulated * CAP_GROOVE_NSTATE));
  if (!g || !block) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  CAP_TRY(cap_groove_build_make(g, v, error));
  memset(block, 0, sizeof(double) * (size_t)(v->simulated * CAP_GROOVE_NSTATE));
  for (int k = 0; k < v->simulated; k++)
    block[CAP_GROOVE_AT_SECTION * v->simulated + k] = sections ? sections[k] : CAP_VARIATOR_IN_LS;
  cap_builder_common(b, type, CAP_VARIATOR_PULLEYS, parts, 0, NULL);
  add_elements(b, g, type, block);
  cap_builder_fastest(b, g->fastest);
  return CAP_OK;
}
