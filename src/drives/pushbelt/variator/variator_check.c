/* drives/pushbelt/variator/variator_check.c — what no single key of a variator shows.
 *
 * Maths: docs/theory.md §43.
 */
#include "drives/pushbelt/description/variator_geometry.h"
#include "drives/pushbelt/variator/variator.h"

#include <math.h>
#include <stdio.h>

typedef cap_variator_spec spec;
typedef cap_variator_given given;

/* A ring that is stretched by more than this breaks long before. */
#define BREAKS 0.01
/* More play than this part of the belt is no belt. */
#define LOOSE 0.1

static bool is_given(const given *g)
{
  return g->value_given || g->path_given;
}

/* ---- what acts ----------------------------------------------------------------------------------------- */

static void check_given(const given *g, const char *side, const char *key, const char *si, double low,
                        cap_diag *diag)
{
  char path[64], at[96];
  snprintf(path, sizeof path, "%s.%s_path", side, key);
  if (g->value_given && g->path_given) cap_diag_at(diag, path, "conflicts with %s; specify only one", key);
  for (int k = 0; g->path_given && k < g->path.n; k++)
    if (!(g->path.y[k] >= low)) {
      snprintf(at, sizeof at, "%s[%d][1]", path, k);
      const char *least = cap_diag_quantity(diag, at, low, si);
      snprintf(at, sizeof at, "%s[%d][0]", path, k);
      const char *when = cap_diag_quantity(diag, at, g->path.x[k], "s");
      snprintf(at, sizeof at, "%s[%d][1]", path, k);
      cap_diag_at(diag, path, "expected values of at least %s, got %s at %s", least,
                  cap_diag_quantity(diag, at, g->path.y[k], si), when);
      return;
    }
}

static void check_side(const cap_variator_side *s, const char *name, cap_diag *diag)
{
  char path[64];
  check_given(&s->speed, name, "speed", "rad/s", 0.0, diag);
  check_given(&s->torque, name, "torque", "N m", -INFINITY, diag);
  check_given(&s->clamping, name, "clamping", "N", 0.0, diag);
  snprintf(path, sizeof path, "%s.%s", name, s->torque.path_given ? "torque_path" : "torque");
  if (is_given(&s->speed) && is_given(&s->torque))
    cap_diag_at(diag, path, "conflicts with speed, which is prescribed; specify only one");
}

static void check_speeds(const spec *s, cap_diag *diag)
{
  bool first = is_given(&s->primary.speed), second = is_given(&s->secondary.speed);
  if (first && second)
    cap_diag_at(diag, s->secondary.speed.path_given ? "secondary.speed_path" : "secondary.speed",
                "expected a prescribed speed on one pulley only, got both; specify a torque here");
  if (!first && !second)
    cap_diag_at(diag, "primary.speed",
                "missing; expected a prescribed speed of one of the two pulleys, such as \"2000 rpm\"");
}

/* How the movable sheave of the primary moves: by one of these, or not at all. */
static void check_primary(const spec *s, cap_diag *diag)
{
  const cap_variator_side *p = &s->primary;
  check_given(&p->share, "primary", "thrust_ratio", "", 0.0, diag);
  check_given(&p->control, "primary.control", "speed_ratio", "", 1e-3, diag);
  int ways = is_given(&p->clamping) + is_given(&p->share) + is_given(&p->control) + p->closing_given;
  if (ways > 1)
    cap_diag_at(
        diag, "primary",
        "expected at most one of clamping, thrust_ratio, control and axial_travel_path, got %d; without "
        "any of them the movable sheave keeps its position",
        ways);
  if (p->closing_given && p->closing.n < 2 && !p->closing_input.name)
    cap_diag_at(diag, "primary.axial_travel_path", "expected at least 2 points, got %d", p->closing.n);
  else if (p->closing_given && p->closing.y[0] != 0.0)
    cap_diag_at(diag, "primary.axial_travel_path",
                "expected an axial travel of %s at the first point, since it counts from the start, got %s",
                cap_diag_quantity(diag, "primary.axial_travel_path[0][1]", 0.0, "m"),
                cap_diag_quantity(diag, "primary.axial_travel_path[0][1]", p->closing.y[0], "m"));
}

static void check_secondary(const spec *s, cap_diag *diag)
{
  bool clamped = is_given(&s->secondary.clamping);
  if (clamped && s->secondary.safety_given)
    cap_diag_at(diag, "secondary.safety", "conflicts with clamping; specify only one");
  if (!clamped && !s->secondary.safety_given)
    cap_diag_at(diag, "secondary.clamping",
                "missing; expected a clamping force such as \"6446 N\", or secondary.safety");
  if (s->secondary.safety_given && !is_given(&s->secondary.torque) && !is_given(&s->primary.torque))
    cap_diag_at(
        diag, "secondary.safety",
        "requires a torque; expected secondary.torque or primary.torque, or clamping instead of safety");
}

/* ---- the belt ------------------------------------------------------------------------------------------ */

/* A pin and its hole lie in the head, between ear and top. */
static void check_pin(const spec *s, cap_diag *diag)
{
  const cap_pushbelt_element *e = &s->element;
  if (s->pin.kind == CAP_VARIATOR_PIN_NONE) return;
  if (!(s->pin.height > e->ear && s->pin.height < e->top)) {
    cap_diag_at(diag, "pin.height",
                "expected a height between the ear (%s) and the top of the element (%s), got %s",
                cap_pushbelt_length(diag, "element.ear_height", e->ear),
                cap_pushbelt_length(diag, "element.total_height", e->top),
                cap_pushbelt_length(diag, "pin.height", s->pin.height));
    return;
  }
  double most = fmin(s->pin.height - e->ear, e->top - s->pin.height);
  if (!(s->pin.clearance < most))
    cap_diag_at(diag, "pin.clearance",
                "the hole would leave the head of the element; expected less than %s, got %s",
                cap_pushbelt_length(diag, "pin.clearance", most),
                cap_pushbelt_length(diag, "pin.clearance", s->pin.clearance));
}

static void check_shape(const spec *s, cap_diag *diag)
{
  cap_pushbelt_check(&s->element, &s->ring.pack, diag);
  cap_pushbelt_check_press(&s->press.contact, "press", diag);
  check_pin(s, diag);
  if (!(s->flank.height < s->element.ear))
    cap_diag_at(diag, "flank.height", "expected a height below the ear (%s), got %s",
                cap_pushbelt_length(diag, "element.ear_height", s->element.ear),
                cap_pushbelt_length(diag, "flank.height", s->flank.height));
  if (s->flank.length_given && s->flank.length > s->element.thickness)
    cap_diag_at(diag, "flank.length", "expected at most the thickness of an element (%s), got %s",
                cap_pushbelt_length(diag, "element.thickness", s->element.thickness),
                cap_pushbelt_length(diag, "flank.length", s->flank.length));
  if (s->flank.breadth > s->element.ear)
    cap_diag_at(diag, "flank.breadth", "expected at most the height of the ear (%s), got %s",
                cap_pushbelt_length(diag, "element.ear_height", s->element.ear),
                cap_pushbelt_length(diag, "flank.breadth", s->flank.breadth));
  if (s->elements.simulated_given && s->elements.simulated > s->elements.real)
    cap_diag_at(diag, "elements.simulated", "expected at most %d (elements.real), got %d", s->elements.real,
                s->elements.simulated);
  if (!s->elements.simulated_given && s->elements.real > CAP_VARIATOR_ELEMENTS)
    cap_diag_at(diag, "elements.simulated", "missing, since the belt has %d elements; expected at most %d",
                s->elements.real, CAP_VARIATOR_ELEMENTS);
  if (s->ring.endplay_given && s->ring.free_length_given)
    cap_diag_at(diag, "ring.endplay", "conflicts with free_length; specify only one");
  if (!(s->outer > s->inner))
    cap_diag_at(diag, "outer_radius", "expected more than the inner radius (%s), got %s",
                cap_pushbelt_length(diag, "inner_radius", s->inner),
                cap_pushbelt_length(diag, "outer_radius", s->outer));
  if (s->contour.kind == 1 && !(s->contour.high > s->contour.low))
    cap_diag_at(diag, "contour.high", "expected more than low (%s), got %s",
                cap_pushbelt_length(diag, "contour.low", s->contour.low),
                cap_pushbelt_length(diag, "contour.high", s->contour.high));
}

/* Set-valued contacts: which are available. */
static void check_held(const spec *s, cap_diag *diag)
{
  bool ring = s->guide.sticking == CAP_VARIATOR_SET_VALUED,
       flank = s->flank.sticking == CAP_VARIATOR_SET_VALUED;
  if (s->guide.normal == CAP_VARIATOR_SET_VALUED && !ring)
    cap_diag_at(diag, "guide.stick_model",
                "expected set-valued for a rigid saddle (normal_contact: set-valued), which has no bristles, "
                "got bristle");
  if (flank && s->flank.points != 1)
    cap_diag_at(diag, "flank.points",
                "set-valued friction of the flanks requires one contact point; expected 1, got %d, or "
                "flank.stick_model: "
                "bristle",
                s->flank.points);
  if (flank && s->contour.kind == 1)
    cap_diag_at(
        diag, "contour",
        "set-valued friction of the flanks requires conical sheaves; expected kind: flat, got curved, or "
        "flank.stick_model: bristle");
  const char *no_rows = cap_ring_types[s->ring.model]->no_rows;
  if (ring && no_rows)
    cap_diag_at(diag, "ring.model",
                "not available with set-valued contacts (%s); expected ale, ancf or ale0, got %s", no_rows,
                cap_ring_names[s->ring.model]);
}

static void check_thicknesses(const spec *s, const cap_variator *v, cap_diag *diag)
{
  double mean = cap_variator_geometry_stack(v) / v->simulated, taken = v->iota - 1.0;
  if (!(mean > 0.0) && taken > 0.0 && v->edge_correction > 0.0) {
    double most = v->edge_correction + mean / taken;
    cap_diag_at(diag, "elements.correction", "no thickness is left; expected less than %s, got %s",
                cap_pushbelt_length(diag, "elements.correction", cap_pushbelt_inward(most, false)),
                cap_pushbelt_length(diag, "elements.correction", s->elements.correction));
    return;
  }
  for (int k = 0; k < v->simulated; k++) {
    double least = fmin(cap_variator_geometry_edge_thickness(v, k),
                        cap_variator_geometry_head_thickness(v, k));
    if (least > 0.5 * mean) continue;
    cap_diag_at(
        diag, "elements.thicknesses",
        "element %d is too thin; expected more than half of the mean thickness (%.4g mm), got %.4g mm", k,
        1e3 * mean, 1e3 * least);
    return;
  }
}

/* Rings and elements share what the elements are too many: each in proportion to its compliance. */
static void check_endplay(const spec *s, const cap_variator *v, cap_diag *diag)
{
  const char *path = s->ring.endplay_given ? "ring.endplay" : "ring.free_length";
  double asked = s->ring.endplay_given ? s->ring.endplay : v->ring_length;
  double each = cap_variator_geometry_stack(v) / v->real; /* in the mean */
  double play = cap_variator_geometry_endplay(v), share = 1.0 + v->ring.EA / v->contact.edge.c;
  double closed = v->ring_length - play, strain = -play / v->ring_length / share;
  const char *least = cap_pushbelt_length(
      diag, path, cap_pushbelt_inward(asked + closed / (1.0 + BREAKS * share) - v->ring_length, true));
  const char *most = cap_pushbelt_length(
      diag, path, cap_pushbelt_inward(asked + closed / (1.0 - LOOSE) - v->ring_length, false));
  const char *got = cap_pushbelt_length(diag, path, asked);
  if (strain > BREAKS)
    cap_diag_at(
        diag, path,
        "%d elements of %.4g mm stretch the ring by %.3g %%, more than it bears; expected %s to %s, got "
        "%s, or fewer elements",
        v->real, 1e3 * each, 1e2 * strain, least, most, got);
  if (play > LOOSE * v->ring_length)
    cap_diag_at(diag, path,
                "%d elements of %.4g mm leave %.4g mm of the ring empty; expected %s to %s, got %s, or more "
                "elements",
                v->real, 1e3 * each, 1e3 * play, least, most, got);
}

/* The distances of the axes that would do, "127.6 mm to 265 mm"; NULL: there is none. */
static const char *fitting_distances(const spec *s, const cap_variator *v, cap_diag *diag)
{
  double least, most;
  if (!cap_variator_geometry_distances(v, s->ratio, &least, &most)) return NULL;
  const char *low = cap_pushbelt_length(diag, "centre_distance", cap_pushbelt_inward(least, true));
  const char *high = cap_pushbelt_length(diag, "centre_distance", cap_pushbelt_inward(most, false));
  const char *text = cap_arena_format(&diag->arena, "%s to %s", low, high);
  return text ? text : "(out of memory)";
}

/* The rings that would do and their elements, " ring.free_length from ..."; "": there are none. */
static const char *fitting_rings(const spec *s, const cap_variator *v, cap_diag *diag)
{
  double least, most;
  if (!cap_variator_geometry_lengths(v, s->ratio, &least, &most)) return "";
  int from = cap_variator_geometry_elements(v, least) + 1, until = cap_variator_geometry_elements(v, most);
  const char *low = cap_pushbelt_length(diag, "ring.free_length", cap_pushbelt_inward(least, true));
  const char *high = cap_pushbelt_length(diag, "ring.free_length", cap_pushbelt_inward(most, false));
  const char *text = cap_arena_format(&diag->arena,
                                      ", or a ring.free_length from %s to %s with %d to %d "
                                      "elements of %.4g mm",
                                      low, high, from, until, 1e3 * v->element.thickness);
  return text ? text : "";
}

/* Where the file sets the distance of the axes, or at the ratio for which the default does not fit. */
static const char *distance_key(const cap_diag *diag)
{
  bool set = diag->written && diag->written(diag->locate_self, "centre_distance");
  return set ? "centre_distance" : "ratio";
}

/* At the ratio when another one would do, else at the distance of the axes, else at the ring. */
static void refuse_radius(const spec *s, const cap_variator *v, int pulley, double radius, cap_diag *diag)
{
  const char *distances = fitting_distances(s, v, diag), *name = pulley ? "secondary" : "primary";
  const char *rings = fitting_rings(s, v, diag);
  const char *inner = cap_pushbelt_length(diag, "inner_radius", s->inner),
             *outer = cap_pushbelt_length(diag, "outer_radius", s->outer),
             *got = cap_pushbelt_length(diag, "outer_radius", radius);
  double least, most;
  if (cap_variator_geometry_ratios(v, &least, &most))
    cap_diag_at(
        diag, "ratio",
        "the flanks run at a radius of %s on the %s, whose sheaves reach from %s to %s; expected a ratio "
        "from %.4g to %.4g, got %.6g%s%s%s",
        got, name, inner, outer, cap_pushbelt_inward(least, true), cap_pushbelt_inward(most, false), s->ratio,
        distances ? ", or a centre_distance from " : "", distances ? distances : "", rings);
  else if (distances)
    cap_diag_at(diag, distance_key(diag),
                "the flanks run at a radius of %s on the %s, whose sheaves reach from %s to %s; expected a "
                "centre_distance from %s at the ratio %.6g, got %s%s",
                got, name, inner, outer, distances, s->ratio,
                cap_pushbelt_length(diag, "centre_distance", v->centre_distance), rings);
  else
    cap_diag_at(
        diag, s->ring.endplay_given ? "ring.endplay" : "ring.free_length",
        "the flanks run at a radius of %s on the %s, whose sheaves reach from %s to %s; expected a belt "
        "that fits the sheaves with some ratio and centre_distance, got a ring of %.6g mm",
        got, name, inner, outer, 1e3 * v->ring_length);
}

/* Axes that are too far apart or too close: they, or the ring, have to change. */
static void refuse_distance(const spec *s, const cap_variator *v, const char *why, cap_diag *diag)
{
  const char *distances = fitting_distances(s, v, diag), *rings = fitting_rings(s, v, diag);
  const char *got = cap_pushbelt_length(diag, "centre_distance", v->centre_distance);
  if (distances)
    cap_diag_at(diag, distance_key(diag),
                "%s; expected a centre_distance from %s for the ratio %.6g and a ring of %.6g mm, got %s%s",
                why, distances, s->ratio, 1e3 * v->ring_length, got, rings);
  else
    cap_diag_at(
        diag, distance_key(diag),
        "%s; expected a ring and sheaves that fit at the ratio %.6g, got a ring of %.6g mm and axes %s "
        "apart, and no other distance fits%s",
        why, s->ratio, 1e3 * v->ring_length, got, rings);
}

static void check_course(const spec *s, const cap_variator *v, cap_diag *diag)
{
  cap_variator_line ring = cap_variator_geometry_line(v->ring_length, v->centre_distance, s->ratio);
  double down = v->element.flank - cap_variator_geometry_ring_height(v);
  cap_variator_line flank = cap_variator_geometry_beside(&ring, down);
  if (!(ring.strand > 0.0) || !(flank.r[0] > 0.0 && flank.r[1] > 0.0)) {
    refuse_distance(s, v, "the axes are too far apart for the belt", diag);
    return;
  }
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++)
    if (flank.r[p] < s->inner || flank.r[p] > s->outer) {
      refuse_radius(s, v, p, flank.r[p], diag);
      return;
    }
  if (!(flank.r[0] + flank.r[1] < v->centre_distance))
    refuse_distance(s, v, "the arcs of the belt overlap", diag);
}

/* Nodes that are too few for a mesh of the ring at the start, whose load is not known here. */
static void check_mesh(const spec *s, const cap_variator *v, cap_diag *diag)
{
  double theta = (s->ratio - 1.0) / (s->ratio + 1.0);
  if (!cap_variator_describe_graded(s)) return;
  const cap_ring_mesh_grade grade = cap_variator_describe_mesh(s, v, v->ring_length, v->centre_distance,
                                                               theta);
  int fewest = cap_ring_mesh_fewest(&grade);
  if (grade.nodes < fewest)
    cap_diag_at(diag, "ring.nodes",
                "too few for a graded mesh with a finest spacing of %s; expected at least %d, got %d, or a "
                "larger ring.finest_spacing",
                cap_pushbelt_length(diag, "ring.finest_spacing", grade.finest), fewest, grade.nodes);
}

void cap_variator_check_describe(const void *self, cap_description *description, cap_diag *diag)
{
  const spec *s = self;
  cap_error error = {.text = "out of memory"};
  int before = diag->nerror;
  cap_variator *v = CAP_ARENA_NEW(&description->arena, cap_variator, 1);
  if (!v || cap_variator_describe(s, &description->arena, v, &error) != CAP_OK) {
    cap_diag_at(diag, "", "%s", error.text);
    return;
  }
  check_thicknesses(s, v, diag);
  if (cap_variator_geometry_stack(v) > 0.0) {
    check_endplay(s, v, diag);
    check_course(s, v, diag);
  }
  if (diag->nerror == before) check_mesh(s, v, diag);
  if (diag->nerror == before) description->self = v;
}

void cap_variator_check(const void *self, cap_diag *diag)
{
  const spec *s = self;
  check_side(&s->primary, "primary", diag);
  check_side(&s->secondary, "secondary", diag);
  check_speeds(s, diag);
  check_primary(s, diag);
  check_secondary(s, diag);
  check_shape(s, diag);
  check_held(s, diag);
  cap_compliance_check(&s->compliance, "compliance", diag);
}
