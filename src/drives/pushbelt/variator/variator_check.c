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

static void check_given(const given *g, const char *side, const char *key, double low, cap_diag *diag)
{
  char path[64];
  snprintf(path, sizeof path, "%s.%s_path", side, key);
  if (g->value_given && g->path_given)
    cap_diag_at(diag, path, "%s says it already: give one of the two", key);
  for (int k = 0; g->path_given && k < g->path.n; k++)
    if (!(g->path.y[k] >= low)) {
      cap_diag_at(diag, path, "expected values of at least %.4g, got %.4g at %.4g s", low, g->path.y[k],
                  g->path.x[k]);
      return;
    }
}

static void check_side(const cap_variator_side *s, const char *name, cap_diag *diag)
{
  char path[64];
  check_given(&s->speed, name, "speed", 0.0, diag);
  check_given(&s->torque, name, "torque", -INFINITY, diag);
  check_given(&s->clamping, name, "clamping", 0.0, diag);
  snprintf(path, sizeof path, "%s.%s", name, s->torque.path_given ? "torque_path" : "torque");
  if (is_given(&s->speed) && is_given(&s->torque))
    cap_diag_at(diag, path, "the speed of this pulley is given: what turns it follows");
}

static void check_speeds(const spec *s, cap_diag *diag)
{
  bool first = is_given(&s->primary.speed), second = is_given(&s->secondary.speed);
  if (first && second)
    cap_diag_at(
        diag, s->secondary.speed.path_given ? "secondary.speed_path" : "secondary.speed",
        "the speed of the primary is given: both speeds would leave nothing to the belt; give a torque "
        "here");
  if (!first && !second)
    cap_diag_at(diag, "primary.speed", "missing; one of the two pulleys must be turned at a given speed");
}

/* How the loose sheave of the primary moves: by one of these, or not at all. */
static void check_primary(const spec *s, cap_diag *diag)
{
  const cap_variator_side *p = &s->primary;
  check_given(&p->share, "primary", "thrust_ratio", 0.0, diag);
  check_given(&p->control, "primary.control", "speed_ratio", 1e-3, diag);
  int ways = is_given(&p->clamping) + is_given(&p->share) + is_given(&p->control) + p->closing_given;
  if (ways > 1)
    cap_diag_at(
        diag, "primary",
        "expected one of clamping, thrust_ratio, control and closing_path, or none of them: the loose "
        "sheave then keeps its place");
  if (p->closing_given && p->closing.n < 2)
    cap_diag_at(diag, "primary.closing_path", "expected two points or more");
  else if (p->closing_given && p->closing.y[0] != 0.0)
    cap_diag_at(diag, "primary.closing_path", "counts from the start: expected to begin with 0 m, got %.4g m",
                p->closing.y[0]);
}

static void check_secondary(const spec *s, cap_diag *diag)
{
  bool clamped = is_given(&s->secondary.clamping);
  if (clamped && s->secondary.safety_given)
    cap_diag_at(diag, "secondary.safety", "clamping says it already: give one of the two");
  if (!clamped && !s->secondary.safety_given)
    cap_diag_at(diag, "secondary.clamping", "missing; the secondary needs clamping, or safety");
  if (s->secondary.safety_given && !is_given(&s->secondary.torque) && !is_given(&s->primary.torque))
    cap_diag_at(diag, "secondary.safety", "there is no torque that it could be a safety against");
}

/* ---- the belt ------------------------------------------------------------------------------------------ */

static void check_shape(const spec *s, cap_diag *diag)
{
  cap_pushbelt_check(&s->element, &s->ring.pack, diag);
  cap_pushbelt_check_press(&s->press.contact, "press", diag);
  if (!(s->flank.height < s->element.ear))
    cap_diag_at(diag, "flank.height", "expected a height below the ear (%.4g mm), got %.4g mm",
                1e3 * s->element.ear, 1e3 * s->flank.height);
  if (s->elements.simulated > s->elements.real)
    cap_diag_at(diag, "elements.simulated", "expected at most the %d real elements, got %d", s->elements.real,
                s->elements.simulated);
  if (s->ring.endplay_given && s->ring.free_length_given)
    cap_diag_at(diag, "ring.endplay", "free_length says it already: give one of the two");
  if (!(s->outer > s->inner))
    cap_diag_at(diag, "outer", "expected more than the inner radius, %.6g mm, got %.6g mm", s->inner * 1e3,
                s->outer * 1e3);
  if (s->contour.kind == 1 && !(s->contour.high > s->contour.low))
    cap_diag_at(diag, "contour.high", "expected more than low, %.6g mm, got %.6g mm", s->contour.low * 1e3,
                s->contour.high * 1e3);
}

/* Set-valued contacts: what there is. */
static void check_held(const spec *s, cap_diag *diag)
{
  bool ring = s->guide.sticking == CAP_VARIATOR_SET_VALUED,
       flank = s->flank.sticking == CAP_VARIATOR_SET_VALUED;
  if (s->guide.normal == CAP_VARIATOR_SET_VALUED && !ring)
    cap_diag_at(diag, "guide.sticking",
                "a rigid saddle (normal: set-valued) has no bristles: expected set-valued, too");
  if (flank && s->flank.points != 1)
    cap_diag_at(diag, "flank.points",
                "set-valued friction of the flanks is there for one point, not for two");
  if (flank && s->contour.kind == 1)
    cap_diag_at(diag, "contour", "set-valued friction of the flanks is there for flat sheaves only");
  const char *no_rows = cap_ring_types[s->ring.model]->no_rows;
  if (ring && no_rows) cap_diag_at(diag, "ring.model", "%s", no_rows);
}

static void check_thicknesses(const cap_variator *v, cap_diag *diag)
{
  double mean = cap_variator_geometry_stack(v) / v->simulated;
  if (!(mean > 0.0)) {
    cap_diag_at(diag, "elements.correction", "leaves no thickness");
    return;
  }
  for (int k = 0; k < v->simulated; k++)
    if (!(cap_variator_geometry_edge_thickness(v, k) > 0.5 * mean) ||
        !(cap_variator_geometry_head_thickness(v, k) > 0.5 * mean)) {
      cap_diag_at(diag, "elements.thicknesses",
                  "element %d would be %.4g mm thick, less than half of the mean (%.4g mm)", k,
                  1e3 * cap_variator_geometry_edge_thickness(v, k), 1e3 * mean);
      return;
    }
}

/* Rings and elements share what the elements are too many: each as much as it gives way. */
static void check_endplay(const spec *s, const cap_variator *v, cap_diag *diag)
{
  const char *path = s->ring.endplay_given ? "ring.endplay" : "ring.free_length";
  double each = cap_variator_geometry_stack(v) / v->real; /* in the mean */
  double play = cap_variator_geometry_endplay(v) / v->ring_length;
  double tension = -play / (1.0 / v->ring.EA + 1.0 / v->contact.edge.c);
  if (tension > BREAKS * v->ring.EA)
    cap_diag_at(diag, path,
                "%d elements of %.4g mm on a ring of %.4g mm would stretch it by %.3g %%: no ring bears that",
                v->real, 1e3 * each, 1e3 * v->ring_length, 1e2 * tension / v->ring.EA);
  if (play > LOOSE)
    cap_diag_at(diag, path,
                "%d elements of %.4g mm leave %.4g mm of a ring of %.4g mm empty: expected less than a tenth",
                v->real, 1e3 * each, 1e3 * play * v->ring_length, 1e3 * v->ring_length);
}

static void refuse_radius(const spec *s, const cap_variator *v, int pulley, double radius, cap_diag *diag)
{
  char others[80] = "; no ratio fits them";
  double least, most;
  if (cap_variator_geometry_ratios(v, &least, &most))
    snprintf(others, sizeof others, "; this belt reaches ratios from %.3g to %.3g", least, most);
  cap_diag_at(
      diag, "ratio",
      "flanks would run on a radius of %.4g mm of the %s, outside of its sheaves (%.4g mm to %.4g mm)%s",
      1e3 * radius, pulley ? "secondary" : "primary", 1e3 * s->inner, 1e3 * s->outer, others);
}

static void check_course(const spec *s, const cap_variator *v, cap_diag *diag)
{
  cap_variator_line ring = cap_variator_geometry_line(v->ring_length, v->centre_distance, s->ratio);
  double down = v->element.flank - cap_variator_geometry_ring_height(v);
  cap_variator_line flank = cap_variator_geometry_beside(&ring, down);
  if (!(ring.strand > 0.0) || !(flank.r[0] > 0.0 && flank.r[1] > 0.0)) {
    cap_diag_at(
        diag, "ratio",
        "a ring of %.5g mm about axes %.5g mm apart cannot have the ratio %.4g: expected another ratio, "
        "or another length",
        1e3 * v->ring_length, 1e3 * v->centre_distance, s->ratio);
    return;
  }
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++)
    if (flank.r[p] < s->inner || flank.r[p] > s->outer) {
      refuse_radius(s, v, p, flank.r[p], diag);
      return;
    }
  if (!(flank.r[0] + flank.r[1] < v->centre_distance))
    cap_diag_at(diag, "centre_distance", "arcs of radius %.4g mm and %.4g mm overlap at %.4g mm",
                1e3 * flank.r[0], 1e3 * flank.r[1], 1e3 * v->centre_distance);
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
  check_thicknesses(v, diag);
  check_endplay(s, v, diag);
  check_course(s, v, diag);
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
