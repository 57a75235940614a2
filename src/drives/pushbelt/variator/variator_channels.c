/* drives/pushbelt/variator/variator_channels.c — what a variator shows: channels of the whole, of its
 * elements, and a picture.
 *
 * Maths: docs/theory.md §43.6.
 */
#include "drives/pushbelt/contact/groove.h"
#include "drives/pushbelt/contact/push_chain.h"
#include "drives/pushbelt/contact/ring_guide.h"
#include "drives/pushbelt/description/variator_geometry.h"
#include "drives/pushbelt/observe/variator_gauge.h"
#include "drives/pushbelt/observe/variator_pins.h"
#include "drives/pushbelt/ring/ring_gauge.h"
#include "drives/pushbelt/variator/variator.h"

#include <math.h>

#define COUNT(list) (int)(sizeof list / sizeof *list)

static const char *const sides[] = {"primary", "secondary"};

static const struct {
  const char *what, *unit, *of_primary, *of_secondary;
  int output;
  bool film;
} of_pulley[] = {
    {"thrust", "N", "axial force of the belt on a sheave of the primary",
     "axial force of the belt on a sheave of the secondary", CAP_VARIATOR_GAUGE_THRUST, true},
    {"torque", "N m", "torque of the primary pulley on the belt",
     "torque of the secondary pulley on the belt; negative when the belt drives it",
     CAP_VARIATOR_GAUGE_TORQUE, true},
    {"radius", "m", "mean running radius of the flanks on the primary",
     "mean running radius of the flanks on the secondary", CAP_VARIATOR_GAUGE_RADIUS, true},
    {"in_contact", "1", "number of real elements in contact with the primary",
     "number of real elements in contact with the secondary", CAP_VARIATOR_GAUGE_TOUCHING, false},
    {"slip", "1",
     "mean slip of the elements on the primary sheaves relative to their speed; positive: elements faster",
     "mean slip of the elements on the secondary sheaves relative to their speed; positive: elements faster",
     CAP_VARIATOR_GAUGE_SLIP, false},
    {"ring_slide", "m/s", "sliding velocity of the elements on the ring in the primary arc, root mean square",
     "sliding velocity of the elements on the ring in the secondary arc, root mean square",
     CAP_VARIATOR_GAUGE_RING_SLIDE, false},
    {"ring_stuck", "1", "share of the elements in the primary arc that slide on the ring by less than 1 mm/s",
     "share of the elements in the secondary arc that slide on the ring by less than 1 mm/s",
     CAP_VARIATOR_GAUGE_RING_STUCK, false},
    {"flank_stuck", "1", "share of the flanks on the primary that slide by less than 0.1 mm/s",
     "share of the flanks on the secondary that slide by less than 0.1 mm/s", CAP_VARIATOR_GAUGE_FLANK_STUCK,
     false}};

static const struct {
  const char *name, *unit, *meaning;
  int output;
  bool film;
} of_belt[] = {
    {"ratio.speed", "1", "speed ratio i_s = omega_P/omega_S", CAP_VARIATOR_GAUGE_SPEED_RATIO, true},
    {"ratio.thrust", "1", "thrust ratio i_F = F_P/F_S", CAP_VARIATOR_GAUGE_THRUST_RATIO, true},
    {"upper.push", "N", "push force in the middle of the upper strand", CAP_VARIATOR_GAUGE_PUSH, false},
    {"lower.push", "N", "push force in the middle of the lower strand", CAP_VARIATOR_GAUGE_PUSH + 1, false},
    {"upper.tension", "N", "ring tension in the middle of the upper strand", CAP_VARIATOR_GAUGE_TENSION,
     false},
    {"lower.tension", "N", "ring tension in the middle of the lower strand", CAP_VARIATOR_GAUGE_TENSION + 1,
     false},
    {"upper.head_share", "1", "share of the heads in the push force of the upper strand",
     CAP_VARIATOR_GAUGE_HEAD, false},
    {"lower.head_share", "1", "share of the heads in the push force of the lower strand",
     CAP_VARIATOR_GAUGE_HEAD + 1, false},
    {"belt.endplay", "m", "endplay: sum of the gaps at all rocking edges, penetrations negative",
     CAP_VARIATOR_GAUGE_ENDPLAY, false},
    {"belt.head_endplay", "m", "endplay at the heads: sum of the gaps at all heads, penetrations negative",
     CAP_VARIATOR_GAUGE_ENDPLAY + 1, false},
    {"belt.open", "m", "operational endplay: sum of the open gaps at all rocking edges",
     CAP_VARIATOR_GAUGE_OPEN, false},
    {"belt.head_open", "m", "operational endplay at the heads: sum of the open gaps at all heads",
     CAP_VARIATOR_GAUGE_OPEN + 1, false},
    {"belt.saddle_depth", "m", "largest penetration between saddles and ring", CAP_VARIATOR_GAUGE_DEPTH,
     false},
    {"belt.speed", "m/s", "mean speed of the elements", CAP_VARIATOR_GAUGE_BELT_SPEED, true},
    {"belt.torque", "N m", "torque that both strands transmit from the primary", CAP_VARIATOR_GAUGE_CARRIED,
     false}};

static const struct {
  const char *name, *unit, *meaning;
  int output;
} of_pins[] = {
    {"belt.pin_force", "N", "largest force between a pin and its hole", CAP_VARIATOR_PINS_FORCE},
    {"belt.pin_share", "1", "share of the joints whose pins press on their holes", CAP_VARIATOR_PINS_SHARE},
    {"belt.pins_out", "1", "number of simulated joints that are open by more than a pin is long",
     CAP_VARIATOR_PINS_OUT}};

static cap_term output(int element, int which, double factor)
{
  return (cap_term){CAP_TERM_OUTPUT, element * CAP_OUTPUTS_MOST + which, factor};
}

typedef struct shower {
  const cap_variator_shown *what;
  const cap_variator *v;
  cap_builder *b;
  cap_arena *arena;
} shower;

/* A name that cannot be made is remembered by the arena's owner: finish will say so. */
static const char *name_of(const shower *w, const char *body, const char *what)
{
  const char *name = cap_arena_format(w->arena, "%s.%s", body, what);
  return name ? name : "";
}

static const char *member(const shower *w, const char *kind, int k)
{
  const char *name = cap_arena_format(w->arena, "%s.%d", kind, k);
  return name ? name : "";
}

static void detail(const shower *w, const char *body, const char *what, const char *unit, const char *meaning,
                   cap_term term)
{
  cap_builder_channel(w->b, name_of(w, body, what), unit, meaning, 1, &term);
  cap_builder_detail(w->b);
}

/* A detail of an element that pictures are drawn from. */
static void drawn(const shower *w, const char *body, const char *what, const char *unit, const char *meaning,
                  cap_term term)
{
  detail(w, body, what, unit, meaning, term);
  cap_builder_film_member(w->b);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void show_pulley(const shower *w, int p)
{
  const cap_variator_pulley *pulley = &w->v->pulley[p];
  cap_term speed = {CAP_TERM_V, pulley->rotation, 1.0}, closing = {CAP_TERM_Q, pulley->closing, 1.0};
  cap_builder_channel(w->b, name_of(w, sides[p], "speed"), "rad/s",
                      p ? "speed of the secondary pulley" : "speed of the primary pulley", 1, &speed);
  cap_builder_film(w->b);
  cap_builder_channel(w->b, name_of(w, sides[p], "axial_travel"), "m",
                      p ? "axial travel of the secondary movable sheave since the start"
                        : "axial travel of the primary movable sheave since the start",
                      1, &closing);
  cap_builder_film(w->b);
  for (int k = 0; k < COUNT(of_pulley); k++) {
    double sign = of_pulley[k].output == CAP_VARIATOR_GAUGE_TORQUE ? -1.0 : 1.0;
    cap_term term = output(w->what->gauge, of_pulley[k].output + p, sign);
    cap_builder_channel(w->b, name_of(w, sides[p], of_pulley[k].what), of_pulley[k].unit,
                        p ? of_pulley[k].of_secondary : of_pulley[k].of_primary, 1, &term);
    if (of_pulley[k].film) cap_builder_film(w->b);
  }
  cap_term at_x = {CAP_TERM_CONSTANT, 0, pulley->x}, at_y = {CAP_TERM_CONSTANT, 0, pulley->y};
  cap_term angle = {CAP_TERM_Q, pulley->rotation, -1.0}; /* pictures turn the other way round */
  detail(w, sides[p], "x", "m", "x coordinate of the axis", at_x);
  detail(w, sides[p], "y", "m", "y coordinate of the axis", at_y);
  detail(w, sides[p], "angle", "rad", "rotation angle, counterclockwise", angle);
  cap_builder_film(w->b);
}

static void show_whole(const shower *w)
{
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) show_pulley(w, p);
  for (int k = 0; k < COUNT(of_belt); k++) {
    cap_term term = output(w->what->gauge, of_belt[k].output, 1.0);
    cap_builder_channel(w->b, of_belt[k].name, of_belt[k].unit, of_belt[k].meaning, 1, &term);
    if (of_belt[k].film) cap_builder_film(w->b);
  }
  for (int k = 0; k < COUNT(of_pins); k++) {
    cap_term term = output(w->what->pins, of_pins[k].output, 1.0);
    cap_builder_channel(w->b, of_pins[k].name, of_pins[k].unit, of_pins[k].meaning, 1, &term);
  }
}

/* Powers by the mechanisms of the energy audit; what is lost by contact,
 * direction and section of the belt. */
static void show_powers(const shower *w)
{
  static const char *const primary[] = {"primary.motion", "primary.torque.work"};
  static const char *const secondary[] = {"secondary.motion", "secondary.torque.work"};
  static const char *const clamping[] = {"*.clamping.work", "*.closing.motion"};
  static const struct {
    const char *name, *meaning, *pattern;
  } lost[] = {
      {"power.lost.flank.primary.longitudinal", "power lost by longitudinal friction of the flanks, primary",
       "pri.flank longitudinal"},
      {"power.lost.flank.secondary.longitudinal",
       "power lost by longitudinal friction of the flanks, secondary", "sec.flank longitudinal"},
      {"power.lost.flank.primary.radial", "power lost by radial friction of the flanks, primary",
       "pri.flank radial"},
      {"power.lost.flank.secondary.radial", "power lost by radial friction of the flanks, secondary",
       "sec.flank radial"},
      {"power.lost.ring.primary", "power lost by friction between ring and elements, primary arc",
       "guide.pri.longitudinal"},
      {"power.lost.ring.secondary", "power lost by friction between ring and elements, secondary arc",
       "guide.sec.longitudinal"},
      {"power.lost.ring.strands", "power lost by friction between ring and elements, strands",
       "guide.*.longitudinal"},
      {"power.lost.flank.drilling", "power lost by drilling friction of the flanks", "*.flank drilling"},
      {"power.lost.elements", "power lost by friction between elements", "chain.*.friction"},
      {"power.lost.damping", "power lost by damping of all contacts", "*damping"}};
  cap_builder_power(w->b, "power.primary", "power input at the primary", COUNT(primary), primary);
  cap_builder_power(w->b, "power.secondary", "power input at the secondary", COUNT(secondary), secondary);
  cap_builder_power(w->b, "power.clamping", "power of the clamping forces on the movable sheaves",
                    COUNT(clamping), clamping);
  for (int k = 0; k < COUNT(lost); k++)
    cap_builder_power(w->b, lost[k].name, lost[k].meaning, 1, &lost[k].pattern);
  cap_builder_power(w->b, "power.lost.other", "power lost by other mechanisms", 0, NULL);
}

/* ---- elements ------------------------------------------------------------------------------------------ */

static const struct {
  const char *what, *unit, *meaning;
  int output;
  bool film;
} of_flank[] = {
    {"normal", "N", "normal force of one flank", CAP_GROOVE_NORMAL, true},
    {"longitudinal", "N", "longitudinal friction of both flanks", CAP_GROOVE_LONGITUDINAL, false},
    {"radial", "N", "radial friction of both flanks", CAP_GROOVE_RADIAL, false},
    {"axial", "N", "axial force on one sheave", CAP_GROOVE_AXIAL, false},
    {"rear", "N", "normal force at the rear contact point of a flank with two points", CAP_GROOVE_REAR,
     false},
    {"radius", "m", "running radius of the flank's contact point", CAP_GROOVE_RADIUS, false},
    {"slide", "m/s", "sliding velocity of the flank on the sheave; positive: element faster",
     CAP_GROOVE_SLIDE_T, true},
    {"section", "1",
     "section of the belt: 0 = primary arc, 1 = upper strand, 2 = secondary arc, 3 = lower strand",
     CAP_GROOVE_SECTION, false}};
static const struct {
  const char *what, *unit, *meaning;
  int output;
} of_joint[] = {
    {"edge", "N", "push force at the rocking edge on the element ahead", CAP_PUSH_CHAIN_EDGE},
    {"head", "N", "push force at the head on the element ahead", CAP_PUSH_CHAIN_HEAD},
    {"gap", "m", "gap at the rocking edge to the element ahead", CAP_PUSH_CHAIN_EDGE_GAP},
    {"pin", "N", "force on the pin by its hole in the element ahead, outward", CAP_PUSH_CHAIN_PIN}};
static const struct {
  const char *what, *unit, *meaning;
  int output;
  bool film;
} of_guide[] = {
    {"saddle", "N", "normal force of the ring on the saddle; negative: on the ear", CAP_RING_GUIDE_NORMAL,
     true},
    {"clearance", "m", "gap between saddle and ring; negative: penetration", CAP_RING_GUIDE_GAP, false},
    {"traction", "N", "friction force of the ring on the element", CAP_RING_GUIDE_FRICTION, false},
    {"ring_slide", "m/s", "sliding velocity of the element on the ring; positive: element faster",
     CAP_RING_GUIDE_SLIDE, true},
    {"tension", "N", "ring tension at the element", CAP_RING_GUIDE_TENSION, true}};

static void show_element(const shower *w, int k)
{
  const cap_variator *v = w->v;
  const char *body = member(w, "element", k);
  drawn(w, body, "x", "m", "x coordinate of the centre of gravity", (cap_term){CAP_TERM_Q, v->x + k, 1.0});
  drawn(w, body, "y", "m", "y coordinate of the centre of gravity", (cap_term){CAP_TERM_Q, v->y + k, 1.0});
  drawn(w, body, "angle", "rad", "pitch", (cap_term){CAP_TERM_Q, v->pitch + k, 1.0});
  for (int i = 0; i < COUNT(of_flank); i++)
    (of_flank[i].film ? drawn : detail)(w, body, of_flank[i].what, of_flank[i].unit, of_flank[i].meaning,
                                        output(w->what->flanks + k, of_flank[i].output, 1.0));
  for (int i = 0; i < COUNT(of_joint); i++)
    detail(w, body, of_joint[i].what, of_joint[i].unit, of_joint[i].meaning,
           output(w->what->joints + k, of_joint[i].output, 1.0));
  for (int i = 0; i < COUNT(of_guide); i++)
    (of_guide[i].film ? drawn : detail)(w, body, of_guide[i].what, of_guide[i].unit, of_guide[i].meaning,
                                        output(w->what->guides + k, of_guide[i].output, 1.0));
  cap_term push[] = {output(w->what->joints + k, CAP_PUSH_CHAIN_EDGE, 1.0),
                     output(w->what->joints + k, CAP_PUSH_CHAIN_HEAD, 1.0)};
  cap_builder_channel(w->b, name_of(w, body, "push"), "N",
                      "push force on the element ahead, rocking edge and head together", 2, push);
  cap_builder_detail(w->b);
  cap_builder_film_member(w->b);
}

/* ---- picture ------------------------------------------------------------------------------------------- */

/* An element from the side: back, and front with the chamfer below the rocking edge. */
static cap_scene_shape element_shape(const shower *w, int k)
{
  const cap_pushbelt_element *e = &w->what->spec->element;
  double edge = 0.5 * cap_variator_geometry_edge_thickness(w->v, k), c = e->centre;
  double head = 0.5 * cap_variator_geometry_head_thickness(w->v, k), top = fmax(e->top, e->head) - c;
  double cut = fmin(e->edge * tan(e->chamfer), edge);
  return (cap_scene_shape){.body = member(w, "element", k),
                           .ncorner = 6,
                           .corner = {{-edge, -c},
                                      {edge - cut, -c},
                                      {edge, e->edge - c},
                                      {head, top},
                                      {-head, top},
                                      {-edge, e->edge - c}}};
}

static cap_status draw(const shower *w, cap_error *error)
{
  int n = w->v->simulated, links = cap_ring_gauge_points(w->what->shape), count = 0;
  cap_scene_shape *shapes = CAP_ARENA_NEW(w->arena, cap_scene_shape, n + links + 2 * CAP_VARIATOR_PULLEYS);
  if (!shapes) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    shapes[count++] = (cap_scene_shape){.body = sides[p], .radius = w->v->outer};
    shapes[count++] = (cap_scene_shape){.body = sides[p], .radius = w->v->inner};
  }
  for (int k = 0; k < n; k++) shapes[count++] = element_shape(w, k);
  for (int k = 0; k < links; k++)
    shapes[count++] = (cap_scene_shape){.body = member(w, "node", k),
                                        .to = member(w, "node", (k + 1) % links)};
  cap_builder_scene(w->b, count, shapes);
  return CAP_OK;
}

/* Numbers of the picture: the sheaves are cones, the radius of whose contact grows by
 * closing/(2 tan wedge). */
static void add_facts(const shower *w)
{
  const cap_variator_spec *s = w->what->spec;
  const cap_variator *v = w->v;
  const struct {
    const char *name, *unit, *meaning;
    double value;
  } facts[] = {
      {"centre_distance", "m", "distance of the pulley axes", v->centre_distance},
      {"secondary.x", "m", "place of the axis of the secondary; that of the primary is the origin",
       v->centre_distance},
      {"pulley.half_wedge_angle", "rad", "half wedge angle", v->wedge},
      {"pulley.inner_radius", "m", "inner radius of the sheaves", v->inner},
      {"pulley.outer_radius", "m", "outer radius of the sheaves", v->outer},
      {"pulley.primary.radius", "m", "running radius of the flanks on the primary at zero axial travel",
       v->pulley[CAP_VARIATOR_PRI].radius},
      {"pulley.secondary.radius", "m", "running radius of the flanks on the secondary at zero axial travel",
       v->pulley[CAP_VARIATOR_SEC].radius},
      {"flank.height", "m", "height of the flank's contact point above the bottom of an element",
       s->flank.height},
      {"ring.length", "m", "free length of the ring", v->ring_length},
      {"elements.real", "1", "number of real elements of the belt", v->real},
      {"elements.simulated", "1", "number of simulated elements", v->simulated}};
  for (int k = 0; k < COUNT(facts); k++)
    cap_builder_scene_number(w->b, facts[k].name, facts[k].unit, facts[k].meaning, facts[k].value);
  double edge = cap_variator_geometry_scaled(s->element.thickness, v->iota, v->edge_correction);
  cap_pushbelt_scene(&s->element, &s->ring.pack, edge,
                     edge + v->iota * (v->element.head_thickness - v->element.thickness), w->b);
}

cap_status cap_variator_channels(const cap_variator_shown *what, const cap_variator *v, cap_builder *b,
                                 cap_error *error)
{
  shower w = {.what = what, .v = v, .b = b, .arena = cap_builder_arena(b)};
  show_whole(&w);
  show_powers(&w);
  for (int k = 0; k < v->simulated; k++) show_element(&w, k);
  add_facts(&w);
  return draw(&w, error);
}
