/* drives/pushbelt/variator/variator_build.c — the system of a variator: bodies, contacts, loads.
 *
 * Maths: docs/theory.md §43. Coordinates: x of all elements, y of all, pitch of all; rotation and closing of
 * the primary, then of the secondary; the ring's. What is shown is in variator_channels.c.
 */
#include "drives/pushbelt/contact/groove.h"
#include "drives/pushbelt/contact/push_chain.h"
#include "drives/pushbelt/contact/ring_guide.h"
#include "drives/pushbelt/description/tuned.h"
#include "drives/pushbelt/observe/variator_gauge.h"
#include "drives/pushbelt/observe/variator_pins.h"
#include "drives/pushbelt/variator/variator.h"
#include "drives/pushbelt/variator/variator_start.h"
#include "elements/elements.h"

#include <math.h>
#include <string.h>

typedef cap_variator_spec spec;
typedef cap_variator_side side;

#define HELD  17.0  /* pi^4/(2 growth), docs/theory.md §47.3 */
#define LEAST 1e-12 /* s; 0 would be no bound */

typedef struct builder {
  const spec *s;
  cap_builder *b;
  cap_variator *v;
  cap_variator_state start;
  cap_ring_shape shape;
  const cap_ring *ring;
  cap_variator_shown shown;
} builder;

static cap_status out_of_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

static int add_array(builder *w, const char *what, const char *unit, double mass, const double *q,
                     const double *v)
{
  int first = -1;
  for (int k = 0; k < w->v->simulated; k++) {
    const char *name = cap_arena_format(cap_builder_arena(w->b), "element.%d.%s", k, what);
    int at = cap_builder_dof(w->b, name ? name : "", unit, mass, q[k], v[k]);
    if (k == 0) first = at;
  }
  return first;
}

static void add_elements(builder *w)
{
  const cap_variator_element *e = &w->v->element;
  const cap_variator_state *s = &w->start;
  w->v->x = add_array(w, "x", "m", w->v->iota * e->mass, s->x, s->vx);
  w->v->y = add_array(w, "y", "m", w->v->iota * e->mass, s->y, s->vy);
  w->v->pitch = add_array(w, "pitch", "rad", w->v->iota * e->inertia, s->pitch, s->w);
}

/* ---- loads --------------------------------------------------------------------------------------------- */

static bool is_given(const cap_variator_given *g)
{
  return g->value_given || g->path_given;
}

/* Its table; a constant is one point. NULL: out of memory. */
static cap_variator_load *load_of(builder *w, const cap_variator_given *g, double otherwise)
{
  cap_arena *arena = cap_builder_arena(w->b);
  int n = g && g->path_given ? g->path.n : 1;
  cap_variator_load *load = CAP_ARENA_NEW(arena, cap_variator_load, 1);
  double *t = CAP_ARENA_NEW(arena, double, n), *y = CAP_ARENA_NEW(arena, double, n);
  if (!load || !t || !y) return NULL;
  t[0] = 0.0, y[0] = g && g->value_given ? g->value : otherwise;
  for (int k = 0; g && g->path_given && k < n; k++) t[k] = g->path.x[k], y[k] = g->path.y[k];
  *load = (cap_variator_load){.n = n, .t = t, .y = y};
  if (g && g->input.name) load->input = 1 + cap_builder_input(w->b, &g->input, g->value, false);
  return load;
}

static cap_status add_load(builder *w, const char *name, int coordinate, const cap_variator_load *load,
                           cap_error *error)
{
  if (!load) return out_of_memory(error);
  int handle = cap_builder_element(w->b, &cap_variator_load_type, name, coordinate, CAP_GROUND, NULL, NULL);
  cap_builder_body(w->b, handle, load);
  return CAP_OK;
}

/* A pulley that is turned at a given speed, or one that a torque acts on. */
static cap_status add_rotation(builder *w, const side *s, int which, const char *name, const char *torque,
                               cap_error *error)
{
  cap_variator_pulley *p = &w->v->pulley[which];
  const cap_variator_given *g = &s->speed;
  const double zero = 0.0;
  if (is_given(g)) {
    cap_motion motion;
    const cap_series *path = &g->path;
    int n = g->path_given ? path->n : 1;
    CAP_TRY(cap_motion_shaft(cap_builder_arena(w->b), n, g->path_given ? path->x : &zero,
                             g->path_given ? path->y : &g->value, 0, NULL, NULL, NULL, &motion));
    if (g->input.name) motion.input = 1 + cap_builder_input(w->b, &g->input, g->value, false);
    p->rotation = cap_builder_driven(w->b, name, "rad", &motion);
    return CAP_OK;
  }
  p->rotation = cap_builder_dof(w->b, name, "rad", p->inertia, 0.0, w->start.arc[which].speed);
  return add_load(w, torque, p->rotation, load_of(w, &s->torque, 0.0), error);
}

static void add_damper(builder *w, const char *name, const cap_variator_pulley *p)
{
  double par[CAP_LINK_NPARAM] = {[CAP_LINK_C] = p->loose_damping};
  cap_builder_element(w->b, &cap_link_type, name, p->closing, CAP_GROUND, par, NULL);
}

static cap_status add_control(builder *w, cap_error *error)
{
  const side *s = &w->s->primary;
  const double zero = 0.0;
  cap_variator_load *load = load_of(w, &s->control, 0.0);
  if (!load) return out_of_memory(error);
  load->primary = w->v->pulley[CAP_VARIATOR_PRI].rotation;
  load->secondary = w->v->pulley[CAP_VARIATOR_SEC].rotation;
  load->start = w->start.arc[CAP_VARIATOR_PRI].clamping;
  load->gain = s->gain, load->integral = s->integral, load->most = s->most;
  int handle = cap_builder_element(w->b, &cap_variator_load_control_type, "primary.clamping",
                                   w->v->pulley[CAP_VARIATOR_PRI].closing, CAP_GROUND, NULL, &zero);
  cap_builder_body(w->b, handle, load);
  return CAP_OK;
}

/* The primary's loose sheave keeps its place, is moved, or is pushed. */
static cap_status add_primary_closing(builder *w, const cap_variator_load *other, cap_error *error)
{
  const side *s = &w->s->primary;
  cap_variator_pulley *p = &w->v->pulley[CAP_VARIATOR_PRI];
  bool pushed = is_given(&s->clamping) || is_given(&s->share) || is_given(&s->control);
  if (!pushed) {
    cap_motion motion = {0};
    if (s->closing_input.name)
      motion = (cap_motion){.input = 1 + cap_builder_input(w->b, &s->closing_input, 0.0, true),
                            .factor = 1.0};
    else if (s->closing_given)
      CAP_TRY(cap_motion_sampled(cap_builder_arena(w->b), s->closing.n, s->closing.x, s->closing.y, &motion));
    p->closing = cap_builder_driven(w->b, "primary.axial_travel", "m", &motion);
    return CAP_OK;
  }
  p->closing = cap_builder_dof(w->b, "primary.axial_travel", "m", p->loose_mass, 0.0, 0.0);
  add_damper(w, "primary.movable", p);
  if (is_given(&s->control)) return CAP_OK; /* by add_control, when both rotations are known */
  cap_variator_load *load = load_of(w, is_given(&s->share) ? &s->share : &s->clamping, 0.0);
  if (load && is_given(&s->share)) load->of = other;
  return add_load(w, "primary.clamping", p->closing, load, error);
}

static cap_status add_pulleys(builder *w, cap_error *error)
{
  const spec *s = w->s;
  cap_variator_pulley *p = w->v->pulley;
  const cap_variator_given *clamping = s->secondary.safety_given ? NULL : &s->secondary.clamping;
  cap_variator_load *load = load_of(w, clamping, w->v->load.clamping);
  if (!load) return out_of_memory(error);
  CAP_TRY(add_rotation(w, &s->primary, CAP_VARIATOR_PRI, "primary", "primary.torque", error));
  CAP_TRY(add_primary_closing(w, load, error));
  CAP_TRY(add_rotation(w, &s->secondary, CAP_VARIATOR_SEC, "secondary", "secondary.torque", error));
  p[CAP_VARIATOR_SEC].closing = cap_builder_dof(w->b, "secondary.axial_travel", "m",
                                                p[CAP_VARIATOR_SEC].loose_mass, 0.0, 0.0);
  add_damper(w, "secondary.movable", &p[CAP_VARIATOR_SEC]);
  CAP_TRY(add_load(w, "secondary.clamping", p[CAP_VARIATOR_SEC].closing, load, error));
  return is_given(&s->primary.control) ? add_control(w, error) : CAP_OK;
}

/* ---- ring ---------------------------------------------------------------------------------------------- */

/* The ring as the start has found it. Its axes are named the other way round: its ratio is 1/i_g. */
static cap_status check_ring(const cap_ring_shape *shape, cap_error *error)
{
  cap_ring_fault fault = cap_ring_obstacle(shape);
  if (!fault.text) return CAP_OK;
  if (strcmp(fault.member, "theta") == 0)
    return cap_status_fail_at(
        error, CAP_ERR_INPUT, "ratio", "%s; expected a ratio from %.4g to %.4g, got %.6g", fault.text,
        (1.0 - fault.most) / (1.0 + fault.most), (1.0 + fault.most) / (1.0 - fault.most),
        (1.0 + shape->theta) / (1.0 - shape->theta));
  if (strcmp(fault.member, "centre_distance") == 0)
    return cap_status_fail_at(error, CAP_ERR_INPUT, "centre_distance",
                              "%s; expected less than %.6g mm, got %.6g mm", fault.text,
                              0.5e3 * shape->length, 1e3 * shape->centre_distance);
  bool nodes = strcmp(fault.member, "nodes") == 0;
  return cap_status_fail_at(error, CAP_ERR_INPUT, nodes ? "ring.nodes" : "ring.model", "%s", fault.text);
}

static cap_status add_ring(builder *w, cap_error *error)
{
  const spec *s = w->s;
  const cap_variator_state *st = &w->start;
  w->shape = (cap_ring_shape){.model = cap_ring_names[s->ring.model],
                              .name = "ring",
                              .section = w->v->ring,
                              .length = st->ring_length,
                              .free_length = w->v->ring_length,
                              .centre_distance = st->ring_distance,
                              .theta = st->ring_theta,
                              .speed = st->ring_speed};
  cap_ring_mesh_grade grade = cap_variator_describe_mesh(s, w->v, st->ring_length, st->ring_distance,
                                                         st->ring_theta);
  w->shape.nodes = grade.nodes;
  if (cap_variator_describe_graded(s)) {
    double *mesh = CAP_ARENA_NEW(cap_builder_arena(w->b), double, grade.nodes);
    if (!mesh) return out_of_memory(error);
    const char *obstacle = cap_ring_mesh_graded(&grade, mesh);
    if (obstacle)
      return cap_status_fail_at(error, CAP_ERR_INPUT, "ring.nodes", "%s; expected at least %d, got %d",
                                obstacle, cap_ring_mesh_fewest(&grade), grade.nodes);
    w->shape.mesh = mesh;
  }
  CAP_TRY(check_ring(&w->shape, error));
  w->v->laid = w->shape;
  w->ring = cap_ring_build(w->b, &w->shape, error);
  return w->ring ? CAP_OK : error ? error->status : CAP_ERR_UNSUPPORTED;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* Where the start found axes and sheaves. */
static void take_start(builder *w)
{
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    w->v->pulley[p].x = w->start.arc[p].axis;
    w->v->pulley[p].radius = w->start.arc[p].touch_radius;
  }
}

static cap_status add_contacts(builder *w, cap_error *error)
{
  const cap_element_type *groove = cap_groove_type_of(w->v);
  cap_ring_guide_sections sections = {groove, cap_groove_sections};
  w->shown.flanks = cap_builder_next(w->b);
  CAP_TRY(cap_groove_build(w->b, w->v, w->start.section, error));
  CAP_TRY(cap_push_chain_build(w->b, w->v, &w->shown.joints, error));
  w->shown.guides = cap_builder_next(w->b);
  return cap_ring_guide_build(w->b, w->v, w->ring, &sections, error);
}

/* By its own loads, or by those of a model whose states are to fit. */
static cap_status find_start(builder *w, cap_error *error)
{
  const cap_model *model = cap_builder_like(w->b);
  const cap_variator *like = model ? cap_variator_of(model) : NULL;
  const cap_variator_loads acts = w->v->load;
  if (like && like->begun.ratio == acts.ratio) w->v->load = like->begun;
  cap_status status = cap_variator_start(w->v, cap_builder_arena(w->b), &w->start, error);
  w->v->begun = w->v->load;
  w->v->load = acts;
  return status;
}

/* How long forces of flanks and saddles may be held over a step beside the joints between the elements,
 * (47.4). Bristles that stick are the stiffest: along the belt, with pitching about the centre of gravity. */
static double coarsest_of(const cap_variator *v)
{
  const cap_variator_element *e = &v->element;
  const cap_variator_contacts *c = &v->contact;
  double half = c->flank_points == 2 ? 0.5 * e->thickness : 0.0;
  double patch = (e->patch_length * e->patch_length + e->patch_breadth * e->patch_breadth) / 12.0;
  double flank = 2.0 * c->flank_stiffness * fmax(1.0, c->flank_shear), saddle = c->saddle_stiffness;
  double of_flank = flank * (1.0 / e->mass + (e->flank * e->flank + half * half + patch) / e->inertia);
  double of_saddle = saddle * fmax(1.0, c->saddle_shear) *
                     (1.0 / e->mass + e->saddle * e->saddle / e->inertia);
  double sum = of_flank + of_saddle, damped = of_flank * c->flank_damping + of_saddle * c->saddle_damping;
  double low = 0.0, high = cbrt(HELD * c->press_damping / sum); /* sum H^3 + 2 damped H^2 = HELD tau */
  for (int k = 0; k < 60; k++) {
    double h = 0.5 * (low + high);
    if (h * h * (sum * h + 2.0 * damped) > HELD * c->press_damping) high = h;
    else low = h;
  }
  return fmax(high, LEAST); /* joints without damping: as long as they take it themselves */
}

/* What checking the model has described; it becomes the model's own. NULL: it has not, or it is given
 * away. */
static cap_variator *take_described(cap_builder *b)
{
  cap_description *known = cap_builder_description(b);
  cap_variator *v = known ? known->self : NULL;
  if (!v) return NULL;
  cap_arena_adopt(cap_builder_arena(b), &known->arena);
  known->self = NULL;
  return v;
}

cap_status cap_variator_build(const void *self, cap_builder *b, cap_error *error)
{
  cap_arena *arena = cap_builder_arena(b);
  builder w = {.s = self, .b = b, .v = take_described(b)};
  if (!w.v) {
    w.v = CAP_ARENA_NEW(arena, cap_variator, 1);
    if (!w.v) return out_of_memory(error);
    CAP_TRY(cap_variator_describe(w.s, arena, w.v, error));
  }
  CAP_TRY(find_start(&w, error));
  take_start(&w);
  add_elements(&w);
  CAP_TRY(add_pulleys(&w, error));
  CAP_TRY(add_ring(&w, error));
  CAP_TRY(add_contacts(&w, error));
  cap_builder_coarsest(b, coarsest_of(w.v));
  cap_builder_subject(b, &cap_variator_subject, w.v);
  w.shown.spec = w.s, w.shown.shape = &w.shape;
  w.shown.gauge = cap_variator_gauge_add(b, w.v);
  w.shown.pins = cap_variator_pins_add(b, w.v);
  return cap_variator_channels(&w.shown, w.v, b, error);
}
