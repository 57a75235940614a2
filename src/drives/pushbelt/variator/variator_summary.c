/* drives/pushbelt/variator/variator_summary.c — what a person reads first about a variator, and how it lies
 * at
 * the start: by the geometry of its lines (description/variator_geometry.h) and the channels of the model.
 */
#include "analysis/observe/start_values.h"
#include "drives/pushbelt/description/variator_geometry.h"
#include "drives/pushbelt/observe/variator_coarse.h"
#include "drives/pushbelt/variator/variator.h"

#include <math.h>
#include <stdio.h>

static const char *const sides[CAP_VARIATOR_PULLEYS] = {"primary", "secondary"};

/* The line of the ring's centre and that of the rocking edges, at the ratio of the start. */
typedef struct lines {
  cap_variator_line ring, edge;
} lines;

static lines lines_of(const cap_variator *v)
{
  lines l = {.ring = cap_variator_geometry_line(v->ring_length, v->centre_distance, v->load.ratio)};
  l.edge = cap_variator_geometry_beside(&l.ring, -cap_variator_geometry_ring_over_edge(v));
  return l;
}

static void add_belt(const cap_variator *v, cap_summary *out)
{
  cap_summary_begin(out, "belt");
  cap_summary_number(out, "real elements", "", v->real);
  cap_summary_number(out, "simulated elements", "", v->simulated);
  cap_summary_number(out, "real elements per simulated one", "", v->iota);
  cap_variator_coarse_summary(v, out);
  cap_summary_number(out, "thickness of a real element", "mm", v->element.thickness);
  cap_summary_number(out, "mass of a real element", "g", v->element.mass);
  if (v->contact.pin_stiffness > 0.0)
    cap_summary_number(out, "pitch of neighbours that the pins allow", "deg",
                       atan(v->contact.pin_clearance / v->element.thickness));
  cap_summary_number(out, "length of the closed stack", "mm", cap_variator_geometry_stack(v));
  cap_summary_number(out, "endplay without load, on straight lines", "mm", cap_variator_geometry_endplay(v));
  cap_summary_number(out, "free length of the ring", "mm", v->ring_length);
  cap_summary_text(out, "ring packs", "%d of %d layers", v->ring.packs, v->ring.layers);
}

static void add_ring(const cap_variator *v, cap_summary *out)
{
  double finest = v->ring_length;
  for (int k = 1; v->laid.mesh && k < v->laid.nodes; k++)
    finest = fmin(finest, v->laid.mesh[k] - v->laid.mesh[k - 1]);
  cap_summary_begin_detail(out, "ring");
  cap_summary_text(out, "model", "%s", v->laid.model);
  cap_summary_number(out, "nodes", "", v->laid.nodes);
  if (v->laid.mesh) cap_summary_number(out, "finest spacing of the nodes", "mm", finest);
  cap_summary_number(out, "length over which it sinks into an arc", "mm", cap_variator_geometry_layer(v));
}

static void add_lines(const cap_variator *v, const cap_start_values *at_start, cap_summary *out)
{
  const lines l = lines_of(v);
  double least, most;
  cap_summary_begin(out, "geometry at the start");
  cap_summary_number(out, "geometric ratio", "", v->load.ratio);
  if (cap_variator_geometry_ratios(v, &least, &most)) {
    cap_summary_number(out, "smallest ratio on the sheaves", "", least);
    cap_summary_number(out, "largest ratio on the sheaves", "", most);
  }
  cap_summary_number(out, "centre distance", "mm", v->centre_distance);
  cap_summary_number(out, "half wedge angle", "deg", v->wedge);
  cap_summary_number(out, "length of each strand", "mm", l.ring.strand);
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    cap_summary_item(out, sides[p]);
    cap_summary_number(out, "running radius of the ring", "mm", l.ring.r[p]);
    cap_summary_number(out, "radius of the rocking edges", "mm", l.edge.r[p]);
    cap_summary_number(out, "wrap angle", "deg", l.ring.wrap[p]);
    cap_summary_number(out, "arc of the rocking edges", "mm", l.edge.r[p] * l.edge.wrap[p]);
    cap_summary_number(out, "elements in the arc", "",
                       l.edge.r[p] * l.edge.wrap[p] / cap_variator_geometry_length(&l.edge) * v->real);
    char name[64];
    snprintf(name, sizeof name, "%s.touching", sides[p]);
    if (at_start->values)
      cap_start_values_tell(at_start, name, "simulated elements in contact at start", "", out);
  }
}

/* Torque over what the clamping force can carry by (2.49), the same for both pulleys at their radii. */
static double safety_of(const cap_variator *v, const lines *l)
{
  double torque = fabs(v->load.torque), mu = v->contact.flank_friction.mu_kinetic;
  double needed = cap_variator_geometry_clamping(1.0, torque, l->edge.r[CAP_VARIATOR_SEC], v->wedge, mu);
  return torque > 0.0 ? v->load.clamping / needed : NAN;
}

static void add_loads(const cap_variator *v, cap_summary *out)
{
  const lines l = lines_of(v);
  double belt = fabs(v->load.speed) * l.edge.r[CAP_VARIATOR_PRI];
  cap_summary_begin(out, "operating point at the start");
  cap_summary_number(out, "primary speed", "rpm", v->load.speed);
  cap_summary_number(out, "secondary speed without slip", "rpm",
                     v->load.speed * l.edge.r[CAP_VARIATOR_PRI] / l.edge.r[CAP_VARIATOR_SEC]);
  cap_summary_number(out, "torque on the secondary", "N m", v->load.torque);
  cap_summary_number(out, "secondary clamping force", "kN", v->load.clamping);
  cap_summary_number(out, "clamping safety of the secondary", "", safety_of(v, &l));
  cap_summary_number(out, "friction of the flanks at rest", "", v->contact.flank_friction.mu_static);
  cap_summary_number(out, "friction of the flanks sliding", "", v->contact.flank_friction.mu_kinetic);
  cap_summary_number(out, "belt speed", "m/s", belt);
  if (belt > 0.0)
    cap_summary_number(out, "time of one belt revolution", "ms",
                       cap_variator_geometry_length(&l.edge) / belt);
}

static void add_start(const cap_start_values *s, cap_summary *out)
{
  cap_summary_begin(out, "belt in the initial state");
  cap_start_values_tell(s, "belt.endplay", "endplay", "mm", out);
  cap_start_values_tell(s, "upper.push", "push force, upper strand", "N", out);
  cap_start_values_tell(s, "lower.push", "push force, lower strand", "N", out);
  cap_start_values_tell(s, "upper.tension", "ring tension, upper strand", "N", out);
  cap_start_values_tell(s, "lower.tension", "ring tension, lower strand", "N", out);
}

static void add_details(const cap_variator *v, cap_summary *out)
{
  cap_summary_begin_detail(out, "contacts of the belt");
  cap_summary_number(out, "contact points", "", cap_variator_geometry_places(v));
  cap_summary_number(out, "rocking edges", "", v->simulated);
  cap_summary_number(out, "heads", "", v->simulated);
  cap_summary_number(out, "pins", "", v->contact.pin_stiffness > 0.0 ? v->simulated : 0);
  cap_summary_number(out, "flanks", "", 2.0 * v->contact.flank_points * v->simulated);
  cap_summary_number(out, "saddles", "", v->simulated);
  cap_summary_number(out, "ears", "", v->simulated);
}

void cap_variator_summary(const void *spec, const void *description, const cap_model *model, cap_summary *out)
{
  const cap_variator *v = cap_variator_of(model);
  cap_start_values start;
  (void)spec, (void)description;
  if (!cap_start_values_open(&start, model)) {
    out->exhausted = true;
    return;
  }
  add_belt(v, out);
  add_lines(v, &start, out);
  add_loads(v, out);
  add_start(&start, out);
  add_ring(v, out);
  add_details(v, out);
  cap_start_values_close(&start);
}

/* ---- picture ------------------------------------------------------------------------------------------- */

static double degrees(double angle)
{
  return angle * 180.0 / M_PI;
}

static void label_pulley(const cap_variator *v, const lines *l, int p, cap_drawing *d)
{
  double x = p == CAP_VARIATOR_SEC ? v->centre_distance : 0.0;
  double side = p == CAP_VARIATOR_SEC ? 1.0 : -1.0;
  double speed = p == CAP_VARIATOR_SEC
                     ? v->load.speed * l->edge.r[CAP_VARIATOR_PRI] / l->edge.r[CAP_VARIATOR_SEC]
                     : v->load.speed;
  cap_drawing_arc_arrow(d, x, 0.0, 0.75 * v->inner, 0.8 * M_PI, speed >= 0.0 ? -0.6 * M_PI : 0.6 * M_PI);
  cap_drawing_text(d, x + side * v->outer, 0.0, side, 0.0, "%s\nradius %.4g mm\nwrap %.4g°\n%.5g rpm",
                   sides[p], 1e3 * l->ring.r[p], degrees(l->ring.wrap[p]), speed * 30.0 / M_PI);
}

/* Strands of the ring's line: primary to secondary above, back below. */
static void label_strands(const cap_variator *v, const lines *l, cap_drawing *d)
{
  double c = v->centre_distance, mean = 0.5 * (l->ring.r[CAP_VARIATOR_PRI] + l->ring.r[CAP_VARIATOR_SEC]);
  double away = 1.15 * (mean + v->ring_thickness);
  cap_drawing_arrow(d, 0.4 * c, away, 0.6 * c, away);
  cap_drawing_text(d, 0.5 * c, away, 0.0, 1.0, "upper strand\n%.4g mm", 1e3 * l->ring.strand);
  cap_drawing_arrow(d, 0.6 * c, -away, 0.4 * c, -away);
  cap_drawing_text(d, 0.5 * c, -away, 0.0, -1.0, "lower strand\n%.4g mm", 1e3 * l->ring.strand);
}

void cap_variator_summary_draw(const void *spec, const void *description, const cap_model *model,
                               cap_drawing *d)
{
  const cap_variator *v = cap_variator_of(model);
  const lines l = lines_of(v);
  cap_start_values start;
  (void)spec, (void)description;
  if (!cap_start_values_open(&start, model)) {
    d->exhausted = true;
    return;
  }
  cap_start_values_draw(&start, model, d);
  cap_start_values_close(&start);
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) label_pulley(v, &l, p, d);
  label_strands(v, &l, d);
  cap_drawing_say(d, "initial state at the geometric ratio %.4g; %d simulated elements for %d real ones",
                  v->load.ratio, v->simulated, v->real);
  cap_drawing_say(
      d, "radii and wraps of the centre line of the ring; centre distance %.5g mm, sheaves %.4g to %.4g mm",
      1e3 * v->centre_distance, 1e3 * v->inner, 1e3 * v->outer);
}
