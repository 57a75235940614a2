/* drives/pushbelt/push_force_tester/push_force_tester_build.c — the Push-Force-Tester as a system.
 *
 * Maths: docs/theory.md §40.4. The line through both hinges is y = 0, and the middle of the rings before they
 * move; the stack lies along x from the middle of its first element to that of its last one, which turn with
 * the left and the right hinge: halves of elements, so that N_E thicknesses make the length. Elements touch
 * with a trace of force, which leaves nothing undetermined at the start.
 */
#include "base/whole.h"
#include "drives/pushbelt/contact/press.h"
#include "drives/pushbelt/contact/slot.h"
#include "drives/pushbelt/description/tuned.h"
#include "drives/pushbelt/push_force_tester/push_force_tester.h"
#include "drives/pushbelt/ring/clamp.h"
#include "elements/elements.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

typedef cap_push_force_tester_spec spec;

static const double ROTARY = 1.0 / 24; /* inertia of a node over m l^2 */

typedef struct builder {
  const spec *s;
  cap_builder *b;
  int n; /* elements; bodies 0 .. n, joints 0 .. n - 1 */
  bool locked;
  double iota, edge_t, head_t, pitch; /* m: simulated thicknesses, distance of the bodies */
  double length;                      /* m, of the stack */
  double low;                         /* m: origin of an element under the middle of the ring */
  double EA, EI, line;                /* N, N m2, kg/m */
  double beam, end_beam;              /* m, between nodes: on the stack, beyond it */
  int nend, nnode;                    /* beams beyond the stack on each side; nodes */
  int *body, *joint, *guide;          /* handles */
  int *node, *segment, clamp[2], gauge;
} builder;

__attribute__((format(printf, 2, 3))) static const char *name_of(builder *w, const char *format, ...)
{
  char text[64];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  const char *kept = cap_arena_copy_text(cap_builder_arena(w->b), text);
  return kept ? kept : "";
}

static void measure(builder *w)
{
  const spec *s = w->s;
  const capm_compression law = capm_compression_of(s->contact.press.edge.c, s->contact.press.edge.xi0,
                                                   s->contact.press.edge.k);
  w->n = s->elements.simulated;
  w->locked = s->lateral == CAP_PUSH_FORCE_TESTER_LOCKED;
  w->iota = cap_push_force_tester_iota(s);
  w->edge_t = w->iota * s->element.thickness;
  w->head_t = w->iota * cap_push_force_tester_head(s);
  w->pitch = fmax(w->edge_t, w->head_t) - log1p(CAP_TUNED_STACK_SEAT / law.a) / law.k * w->edge_t;
  w->length = cap_push_force_tester_length(s);
  w->low = -(s->element.saddle - s->element.centre) - 0.5 * cap_pushbelt_pack_thickness(&s->ring.pack);
  const cap_pushbelt_pack *ring = &s->ring.pack;
  double area = ring->layers * ring->packs * ring->layer * ring->width;
  w->EA = ring->modulus * area;
  w->EI = w->EA * ring->layer * ring->layer / 12.0;
  w->line = ring->density * area;
  w->beam = w->pitch / s->ring.refine;
  double beyond = s->clamp.hinge - s->clamp.ring - 0.5 * w->beam;
  w->nend = capm_whole_between(ceil(beyond / w->beam), 1, INT_MAX);
  w->end_beam = beyond / w->nend;
  w->nnode = w->n * s->ring.refine + 2 + 2 * w->nend;
}

static bool make_room(builder *w)
{
  cap_arena *arena = cap_builder_arena(w->b);
  return (w->body = CAP_ARENA_NEW(arena, int, w->n + 1)) &&
         (w->joint = CAP_ARENA_NEW(arena, int, w->n + 1)) &&
         (w->guide = CAP_ARENA_NEW(arena, int, w->n + 1)) &&
         (w->node = CAP_ARENA_NEW(arena, int, w->nnode + 1)) &&
         (w->segment = CAP_ARENA_NEW(arena, int, w->nnode + 1));
}

/* ---- motion -------------------------------------------------------------------------------------------- */

/* Of the left end: `from` and the compression upon it. */
static cap_status left_motion(builder *w, double from, cap_motion *motion, cap_error *error)
{
  const spec *s = w->s;
  double ends[2][2] = {{0.0, s->press.time}, {0.0, s->press.compression}};
  cap_series path = {.n = 2, .x = ends[0], .y = ends[1]};
  if (s->press.input.name) {
    double start = s->press.path.y[0];
    *motion = (cap_motion){.mean = from + w->length * start,
                           .input = 1 + cap_builder_input(w->b, &s->press.input, start, true),
                           .base = from,
                           .factor = w->length};
    return CAP_OK;
  }
  if (s->press.path_given) path = s->press.path;
  cap_arena *arena = cap_builder_arena(w->b);
  double *x = CAP_ARENA_NEW(arena, double, path.n), *y = CAP_ARENA_NEW(arena, double, path.n);
  if (!x || !y) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < path.n; k++) x[k] = path.x[k], y[k] = from + w->length * path.y[k];
  cap_status status = cap_motion_sampled(arena, path.n, x, y, motion);
  return status == CAP_OK
             ? CAP_OK
             : cap_status_fail_at(error, status, "press.path", "no spline through the points was found");
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

/* The three coordinates of a body of which some do not move. */
static int add_plain(builder *w, int k, bool turns, const cap_motion *along)
{
  const spec *s = w->s;
  double mass = w->iota * s->element.mass, x = k * w->pitch;
  cap_motion still = {.mean = w->low}, level = {0};
  const char *name = name_of(w, "element.%d.x", k);
  int first = along ? cap_builder_driven(w->b, name, "m", along)
                    : cap_builder_dof(w->b, name, "m", mass, x, 0.0);
  name = name_of(w, "element.%d.y", k);
  if (turns) cap_builder_dof(w->b, name, "m", mass, w->low, 0.0);
  else cap_builder_driven(w->b, name, "m", &still);
  name = name_of(w, "element.%d.angle", k);
  if (turns) cap_builder_dof(w->b, name, "rad", w->iota * s->element.inertia, 0.0, 0.0);
  else cap_builder_driven(w->b, name, "rad", &level);
  return first;
}

/* Half an element, turning with its hinge. */
static int add_hinged(builder *w, const char *side, const cap_motion *distance)
{
  const spec *s = w->s;
  double d = s->clamp.hinge, half = 0.5 * w->iota;
  double inertia = half * (s->element.inertia + s->element.mass * (d * d + w->low * w->low));
  int first = cap_builder_driven(w->b, name_of(w, "%s.distance", side), "m", distance);
  cap_builder_dof(w->b, name_of(w, "%s.angle", side), "rad", inertia, 0.0, 0.0);
  return first;
}

static cap_status add_bodies(builder *w, cap_error *error)
{
  cap_motion left, right = {.mean = w->locked ? w->n * w->pitch : w->s->clamp.hinge};
  CAP_TRY(left_motion(w, w->locked ? 0.0 : w->s->clamp.hinge, &left, error));
  for (int k = 0; k <= w->n; k++) {
    const cap_motion *along = k == 0 ? &left : k == w->n ? &right : NULL;
    if (along && !w->locked) w->body[k] = add_hinged(w, k ? "right" : "left", along);
    else w->body[k] = add_plain(w, k, !w->locked, along);
  }
  return CAP_OK;
}

/* How the coordinates of a body move it. */
static void pose_of(const builder *w, int k, double par[CAP_POSE_NPARAM])
{
  bool ends = k == 0 || k == w->n;
  for (int c = 0; c < CAP_POSE_NPARAM; c++) par[c] = 0.0;
  if (!ends || w->locked) return;
  par[CAP_POSE_HINGED] = 1.0;
  par[CAP_POSE_X] = k ? w->n * w->pitch + w->s->clamp.hinge : -w->s->clamp.hinge;
  par[CAP_POSE_SIDE] = k ? -1.0 : 1.0;
  par[CAP_POSE_OFFSET] = w->low;
}

/* ---- between elements ---------------------------------------------------------------------------------- */

static void set_law(const cap_pushbelt_law *law, double thickness, double *point)
{
  point[CAP_PRESS_POINT_BACK] = 0.5 * thickness;
  point[CAP_PRESS_POINT_THICKNESS] = thickness;
  point[CAP_PRESS_POINT_C] = law->c;
  point[CAP_PRESS_POINT_XI0] = law->xi0;
  point[CAP_PRESS_POINT_K] = law->k;
}

static void add_joints(builder *w)
{
  const spec *s = w->s;
  double par[CAP_PRESS_NPARAM] = {0};
  double *edge = par + CAP_PRESS_POINT, *head = edge + CAP_PRESS_POINT_NPARAM;
  edge[CAP_PRESS_POINT_ALONG] = 0.5 * w->edge_t - s->element.radius;
  edge[CAP_PRESS_POINT_HEIGHT] = s->element.edge - s->element.centre;
  edge[CAP_PRESS_POINT_RADIUS] = s->element.radius;
  edge[CAP_PRESS_POINT_TURN] = s->element.chamfer;
  head[CAP_PRESS_POINT_ALONG] = 0.5 * w->head_t;
  head[CAP_PRESS_POINT_HEIGHT] = s->element.head - s->element.centre;
  set_law(&s->contact.press.edge, w->edge_t, edge);
  set_law(cap_pushbelt_head_law(&s->contact.press), w->head_t, head);
  par[CAP_PRESS_DAMPING] = s->contact.press.damping;
  par[CAP_PRESS_FRICTION] = s->contact.press.friction;
  par[CAP_PRESS_VELOCITY] = s->contact.velocity;
  for (int k = 0; k < w->n; k++) {
    pose_of(w, k, par + CAP_PRESS_POSE_I);
    pose_of(w, k + 1, par + CAP_PRESS_POSE_J);
    w->joint[k] = cap_builder_element(w->b, &cap_press_type, name_of(w, "joint.%d", k), w->body[k],
                                      w->body[k + 1], par, NULL);
  }
  const char *whole = "stack";
  const cap_element_type *read[] = {&cap_press_type};
  cap_builder_common(w->b, &cap_press_type, 1, &whole, 0, NULL);
  cap_builder_common(w->b, &cap_press_gauge_type, 0, NULL, 0, NULL);
  cap_builder_reads(w->b, &cap_press_gauge_type, 1, read);
  w->gauge = cap_builder_element(w->b, &cap_press_gauge_type, "stack", w->body[0], CAP_GROUND, par, NULL);
}

/* ---- ring ---------------------------------------------------------------------------------------------- */

static double node_place(const builder *w, int k)
{
  int last = w->nnode - 1 - w->nend;
  double first = -0.5 * w->beam;
  if (k < w->nend) return first - (w->nend - k) * w->end_beam;
  if (k > last) return first + (last - w->nend) * w->beam + (k - last) * w->end_beam;
  return first + (k - w->nend) * w->beam;
}

static void add_nodes(builder *w)
{
  for (int k = 0; k < w->nnode; k++) {
    double l = k ? node_place(w, k) - node_place(w, k - 1) : w->end_beam, mass = w->line * l;
    w->node[k] = cap_builder_dof(w->b, name_of(w, "ring.%d.x", k), "m", mass, node_place(w, k), 0.0);
    cap_builder_dof(w->b, name_of(w, "ring.%d.y", k), "m", mass, 0.0, 0.0);
    cap_builder_dof(w->b, name_of(w, "ring.%d.angle", k), "rad", ROTARY * mass * l * l, 0.0, 0.0);
  }
}

static void add_beams(builder *w)
{
  const spec *s = w->s;
  const char *whole = "ring";
  double stretch = 1.0 + s->ring.prestress / w->EA;
  for (int k = 0; k + 1 < w->nnode; k++) {
    double length = (node_place(w, k + 1) - node_place(w, k)) / stretch;
    double par[CAP_BEAM_NPARAM] = {[CAP_BEAM_EA] = w->EA,
                                   [CAP_BEAM_EI] = w->EI,
                                   [CAP_BEAM_LENGTH] = length,
                                   [CAP_BEAM_AXIAL] = w->EA * s->ring.damping,
                                   [CAP_BEAM_BENDING] = w->EI * s->ring.damping};
    w->segment[k] = cap_builder_element(w->b, &cap_beam_type, name_of(w, "ring.%d", k), w->node[k],
                                        w->node[k + 1], par, NULL);
  }
  cap_builder_common(w->b, &cap_beam_type, 1, &whole, 0, NULL);
}

static void add_clamps(builder *w)
{
  const spec *s = w->s;
  double k = s->clamp.stiffness;
  for (int end = 0; end < 2; end++) {
    double side = end ? -1.0 : 1.0;
    double par[CAP_CLAMP_NPARAM] = {[CAP_CLAMP_X] = end ? w->n * w->pitch + s->clamp.hinge : -s->clamp.hinge,
                                    [CAP_CLAMP_DISTANCE] = side * (s->clamp.ring - s->ring.prestress / k),
                                    [CAP_CLAMP_ALONG] = k,
                                    [CAP_CLAMP_ACROSS] = k,
                                    [CAP_CLAMP_TURN] = k * CAP_TUNED_CLAMP_LENGTH * CAP_TUNED_CLAMP_LENGTH};
    w->clamp[end] = cap_builder_element(w->b, &cap_clamp_type, end ? "clamp.right" : "clamp.left",
                                        w->body[end ? w->n : 0] + 1, w->node[end ? w->nnode - 1 : 0], par,
                                        NULL);
  }
}

static void add_guides(builder *w)
{
  const spec *s = w->s;
  const char *whole = "guide";
  double pack = cap_pushbelt_pack_thickness(&s->ring.pack), par[CAP_SLOT_NPARAM] = {0};
  par[CAP_SLOT_HEIGHT] = s->element.saddle - s->element.centre;
  par[CAP_SLOT_HALF] = 0.5 * pack;
  par[CAP_SLOT_PLAY] = s->element.ear - s->element.saddle - pack;
  par[CAP_SLOT_WIDTH] = s->contact.rounding;
  par[CAP_SLOT_DAMPING] = s->contact.guide_damping;
  par[CAP_SLOT_LENGTH] = w->beam;
  for (int k = 0; k <= w->n; k++) {
    double real = k == 0 || k == w->n ? 0.5 * w->iota : w->iota; /* (2.29); halves at the ends */
    par[CAP_SLOT_SADDLE] = real * s->contact.saddle;
    par[CAP_SLOT_EAR] = real * (s->contact.ear_given ? s->contact.ear : s->contact.saddle);
    par[CAP_SLOT_HOLD] = real * s->contact.hold;
    pose_of(w, k, par + CAP_SLOT_POSE);
    w->guide[k] = cap_builder_element(w->b, &cap_slot_type, name_of(w, "guide.%d", k), w->body[k],
                                      w->node[w->nend + k * s->ring.refine], par, NULL);
  }
  cap_builder_common(w->b, &cap_slot_type, 1, &whole, 0, NULL);
}

/* ---- channels ------------------------------------------------------------------------------------------ */

static cap_term output(int element, int which, double factor)
{
  return (cap_term){CAP_TERM_OUTPUT, element * CAP_OUTPUTS_MOST + which, factor};
}

/* What holds the right end: against the force along its first coordinate. */
static void add_clamp_channels(builder *w)
{
  double side = w->locked ? 1.0 : -1.0, from = w->locked ? 0.0 : w->s->clamp.hinge;
  cap_term force[] = {output(w->joint[w->n - 1], CAP_PRESS_SECOND, side),
                      output(w->guide[w->n], CAP_SLOT_ALONG, side)};
  cap_term moved[] = {{CAP_TERM_Q, w->body[0], 1.0 / w->length}, {CAP_TERM_CONSTANT, 0, -from / w->length}};
  cap_builder_channel(w->b, "clamp.force", "N", "clamping force at the right end", w->locked ? 1 : 2, force);
  cap_builder_film(w->b);
  cap_builder_channel(w->b, "clamp.compression", "1", "compression of the stack, s/l0", 2, moved);
  cap_builder_film(w->b);
  moved[0].factor = 1.0;
  moved[1].factor = -from;
  cap_builder_channel(w->b, "clamp.displacement", "m", "prescribed displacement s of the left end", 2, moved);
  cap_builder_film(w->b);
}

static void add_stack_channels(builder *w)
{
  static const struct {
    int output;
    const char *name, *unit, *meaning;
  } shown[] = {
      {CAP_PRESS_GAUGE_EDGE, "stack.edge_force", "N", "push force at the rocking edges, mean of all joints"},
      {CAP_PRESS_GAUGE_HEAD, "stack.head_force", "N", "push force at the heads, mean of all joints"},
      {CAP_PRESS_GAUGE_SHARE, "stack.head_share", "1", "share of the heads in the push force"},
      {CAP_PRESS_GAUGE_OPEN, "stack.open_heads", "1", "share of the joints with open heads"}};
  for (size_t k = 0; k < sizeof shown / sizeof shown[0]; k++) {
    cap_term term = output(w->gauge, shown[k].output, 1.0);
    cap_builder_channel(w->b, shown[k].name, shown[k].unit, shown[k].meaning, 1, &term);
  }
}

/* The middle of the stack, and the ring there; locked, it does not rise, and the ring keeps its prestress. */
static void add_middle_channels(builder *w)
{
  int left = w->n / 2, right = (w->n + 1) / 2;
  cap_term lift[] = {{CAP_TERM_CONSTANT, 0, -w->low},
                     {CAP_TERM_Q, w->body[left] + 1, 0.5},
                     {CAP_TERM_Q, w->body[right] + 1, 0.5}};
  cap_term tension = {CAP_TERM_FORCE, w->segment[(w->nnode - 1) / 2], 1.0};
  if (w->locked) tension = (cap_term){CAP_TERM_CONSTANT, 0, w->s->ring.prestress};
  cap_builder_channel(w->b, "stack.lift", "m",
                      "lift of the middle of the stack; positive: cat's back, negative: dog's back", 3, lift);
  cap_builder_film(w->b);
  cap_builder_channel(w->b, "ring.tension", "N", "ring tension in the middle of the stack", 1, &tension);
  cap_builder_film(w->b);
}

static void add_end_channels(builder *w)
{
  cap_term angles[] = {{CAP_TERM_Q, w->body[0] + 1, 1.0}, {CAP_TERM_Q, w->body[w->n] + 1, 1.0}};
  cap_term pull = {CAP_TERM_FORCE, w->clamp[0], 1.0};
  cap_builder_channel(w->b, "clamp.ring_force", "N", "force of the rings on the left clamp", 1, &pull);
  cap_builder_channel(w->b, "left.angle", "rad", "angle of the left hinge", 1, angles);
  cap_builder_film(w->b);
  cap_builder_channel(w->b, "right.angle", "rad", "angle of the right hinge", 1, angles + 1);
  cap_builder_film(w->b);
}

/* All of them are drawn. */
static void add_detail(builder *w, const char *name, const char *unit, const char *meaning, cap_term term)
{
  cap_builder_channel(w->b, name, unit, meaning, 1, &term);
  cap_builder_detail(w->b);
  cap_builder_film_member(w->b);
}

/* Where element k is: of the ends, which turn with their hinges, their joint knows. */
static void add_place(builder *w, int k)
{
  bool end = (k == 0 || k == w->n) && !w->locked;
  int joint = w->joint[k ? w->n - 1 : 0];
  cap_term x = {CAP_TERM_Q, w->body[k], 1.0}, y = {CAP_TERM_Q, w->body[k] + 1, 1.0};
  cap_term angle = {CAP_TERM_Q, w->body[k] + (end ? 1 : 2), 1.0};
  if (end) x = output(joint, k ? CAP_PRESS_X_J : CAP_PRESS_X_I, 1.0);
  if (end) y = output(joint, k ? CAP_PRESS_Y_J : CAP_PRESS_Y_I, 1.0);
  add_detail(w, name_of(w, "element.%d.x", k), "m", "position along the stack", x);
  add_detail(w, name_of(w, "element.%d.y", k), "m",
             "height of the centre of gravity above the line of the hinges", y);
  add_detail(w, name_of(w, "element.%d.angle", k), "rad", "pitch", angle);
}

static void add_details(builder *w)
{
  for (int k = 0; k < w->n; k++) {
    add_detail(w, name_of(w, "joint.%d.edge", k), "N", "push force at the rocking edge",
               output(w->joint[k], CAP_PRESS_EDGE, 1.0));
    add_detail(w, name_of(w, "joint.%d.head", k), "N", "push force at the head",
               output(w->joint[k], CAP_PRESS_HEAD, 1.0));
    add_detail(w, name_of(w, "joint.%d.head_gap", k), "1", "compressive strain at the head; negative: open",
               output(w->joint[k], CAP_PRESS_HEAD_XI, 1.0));
  }
  for (int k = 0; k <= w->n; k++) add_place(w, k);
  for (int k = 0; k <= w->n && !w->locked; k++) {
    add_detail(w, name_of(w, "guide.%d.force", k), "N",
               "normal force of the ring on the saddle; negative: on the ear",
               (cap_term){CAP_TERM_FORCE, w->guide[k], 1.0});
    add_detail(w, name_of(w, "guide.%d.lift", k), "m", "height of the ring above the saddle",
               output(w->guide[k], CAP_SLOT_LIFT, 1.0));
  }
  for (int k = 0; k < w->nnode && !w->locked; k++) {
    add_detail(w, name_of(w, "ring.%d.x", k), "m", "position along the stack",
               (cap_term){CAP_TERM_Q, w->node[k], 1.0});
    add_detail(w, name_of(w, "ring.%d.y", k), "m", "height above the line of the hinges",
               (cap_term){CAP_TERM_Q, w->node[k] + 1, 1.0});
    add_detail(w, name_of(w, "ring.%d.angle", k), "rad", "angle",
               (cap_term){CAP_TERM_Q, w->node[k] + 2, 1.0});
    if (k + 1 < w->nnode)
      add_detail(w, name_of(w, "ring.%d.tension", k), "N", "tension",
                 (cap_term){CAP_TERM_FORCE, w->segment[k], 1.0});
  }
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

/* An element from the side: back, front with the chamfer below the rocking edge. */
static cap_scene_shape element_shape(builder *w, int k)
{
  const spec *s = w->s;
  double edge = 0.5 * w->edge_t, head = 0.5 * w->head_t, c = s->element.centre;
  double cut = fmin(s->element.edge * tan(s->element.chamfer), edge);
  return (cap_scene_shape){.body = name_of(w, "element.%d", k),
                           .ncorner = 6,
                           .corner = {{-edge, -c},
                                      {edge - cut, -c},
                                      {edge, s->element.edge - c},
                                      {head, fmax(s->element.top, s->element.head) - c},
                                      {-head, fmax(s->element.top, s->element.head) - c},
                                      {-edge, s->element.edge - c}}};
}

static void add_scene(builder *w)
{
  int n = 0, links = w->locked ? 0 : w->nnode - 1;
  cap_scene_shape *shapes = CAP_ARENA_NEW(cap_builder_arena(w->b), cap_scene_shape, w->n + 1 + links);
  if (!shapes) return; /* finish will say so */
  for (int k = 0; k <= w->n; k++) shapes[n++] = element_shape(w, k);
  for (int k = 0; k < links; k++)
    shapes[n++] = (cap_scene_shape){.body = name_of(w, "ring.%d", k), .to = name_of(w, "ring.%d", k + 1)};
  cap_builder_scene(w->b, n, shapes);
}

static void add_facts(builder *w)
{
  const spec *s = w->s;
  const struct {
    const char *name, *unit, *meaning;
    double value;
  } facts[] = {
      {"clamp.hinge_distance", "m", "distance of the hinges from the ends of the stack", s->clamp.hinge},
      {"clamp.ring_distance", "m", "distance from the hinges to the clamps of the rings", s->clamp.ring},
      {"stack.length", "m", "length of the uncompressed stack", w->length},
      {"elements.real", "1", "number of real elements of the stack", s->elements.real},
      {"elements.simulated", "1", "number of simulated elements", s->elements.simulated}};
  for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
    cap_builder_scene_number(w->b, facts[k].name, facts[k].unit, facts[k].meaning, facts[k].value);
  cap_pushbelt_scene(&s->element, &s->ring.pack, w->edge_t, w->head_t, w->b);
}

cap_status cap_push_force_tester_build(const void *self, cap_builder *b, cap_error *error)
{
  builder w = {.s = self, .b = b};
  measure(&w);
  if (!make_room(&w)) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  CAP_TRY(add_bodies(&w, error));
  if (!w.locked) add_nodes(&w);
  add_joints(&w);
  if (!w.locked) {
    add_beams(&w);
    add_clamps(&w);
    add_guides(&w);
  }
  add_clamp_channels(&w);
  add_stack_channels(&w);
  add_middle_channels(&w);
  if (!w.locked) add_end_channels(&w);
  add_details(&w);
  add_scene(&w);
  add_facts(&w);
  return CAP_OK;
}
