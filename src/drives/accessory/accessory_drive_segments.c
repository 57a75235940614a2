/* drives/accessory/accessory_drive_segments.c — the accessory drive with its belt as segments: keys, checks,
 * system.
 *
 * Maths: docs/theory.md §25 (beam), §27 (contact), §28 (start, outputs). Node k of the belt has the
 * coordinates x, y and angle; a beam and a contact join it to the next one, the last to the first.
 */
#include "drives/accessory/accessory_drive_segments.h"
#include "base/whole.h"
#include "drives/accessory/accessory_drive_tuned.h"
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef cap_accessory_contact contact;

#define REAL(key_, member, unit_, ...)                                                                       \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(contact, member), .unit = unit_, .low = 0,       \
    .high = INFINITY, __VA_ARGS__                                                                            \
  }

const cap_field cap_accessory_drive_segments_contact[] = {
    REAL(
        "normal_factor", normal, "", .low_open = true, .fallback = "1", .example = "1", .was = "normal",
        .doc =
            "normal contact stiffness per length of belt, as a multiple of EA/l^2 with the segment length l"),
    REAL("tangential_factor", tangential, "", .low_open = true, .fallback = "1", .example = "1",
         .was = "tangential",
         .doc = "tangential contact stiffness per length of belt while sticking, as a multiple of EA/l^2: "
                "strain decays into the wrap within l/sqrt(tangential)"),
    REAL("normal_stiffness", normal_stiffness, "N/m2", .low_open = true,
         .present = 1 + offsetof(contact, normal_stiffness_given), .example = "1.2e8 N/m2",
         .doc =
             "normal contact stiffness per length, instead of normal, independent of the number of segments"),
    REAL("tangential_stiffness", tangential_stiffness, "N/m2", .low_open = true,
         .present = 1 + offsetof(contact, tangential_stiffness_given), .example = "2.4e7 N/m2",
         .doc = "tangential contact stiffness per length, instead of tangential; a low value represents the "
                "shear compliance of the rubber, which increases creep"),
    REAL("normal_damping", normal_damping, "", .low_open = true, .fallback = "0.2", .example = "0.2",
         .doc = "damping ratio of the normal contact, relative to critical damping with the mass of a node"),
    REAL("tangential_damping", tangential_damping, "", .low_open = true, .fallback = "0.1", .example = "0.1",
         .doc = "damping ratio of the tangential contact, likewise"),
    CAPM_FRICTION_KEYS_RATIO(
        offsetof(contact, friction), "static_ratio",
        (.low = 1, .high = 10, .fallback = "1", .example = "1.2",
         .doc = "ratio of static to kinetic friction (Stribeck curve)"),
        "stribeck_velocity",
        (.fallback = "0.1 m/s", .was = "stribeck",
         .doc = "Stribeck velocity: sliding velocity over which friction falls from static to kinetic")),
    {0}};

/* ---- sizes --------------------------------------------------------------------------------------------- */

enum { SEGMENTS_MOST = 20000 };        /* as of the key belt.segments */
static const double TURN_MOST = 0.6;   /* rad, over which a segment may lie on a pulley */
static const double DAMPING = 0.05;    /* axial, over the critical one of a segment, when not given */
static const double COSTLY = 1.5;      /* so many times the steps, by damping, are told */
static const double ROTARY = 1.0 / 24; /* inertia of a node over m l^3 */

/* Everything that is per segment. */
typedef struct mesh {
  int n;
  double l, mass;               /* m, kg */
  double normal, tangential;    /* N/m2 */
  double normal_damping, shear; /* N s/m2 */
  double axial;                 /* N s */
  double rotary;                /* kg m2 */
} mesh;

int cap_accessory_drive_segments_count(const cap_accessory_spec *s, const cap_belt *belt)
{
  return s->belt.segments_given
             ? s->belt.segments
             : capm_whole_between(ceil(belt->length0 / CAP_ACCESSORY_TUNED_SEGMENT), 1, SEGMENTS_MOST);
}

static double largest_tension(const cap_belt_statics *start)
{
  double most = 0.0;
  for (int k = 0; k < start->n; k++) most = fmax(most, start->spans[k].tension);
  return most;
}

/* The angle of a node must not be faster than the waves along the belt; where bending makes it so, it gets
 * more inertia. */
static void set_rotary(mesh *m, const cap_belt *belt, double tension)
{
  double stiffness = 12.0 * belt->EI / m->l + 2.0 * tension * m->l / 5.0;
  double along = 4.0 * belt->EA / (belt->mass * m->l * m->l);
  m->rotary = fmax(ROTARY * m->mass * m->l * m->l, stiffness / (0.25 * along));
}

static double default_axial(const mesh *m, const cap_belt *belt)
{
  return DAMPING * m->l * sqrt(belt->EA * belt->mass);
}

static mesh mesh_of(const cap_accessory_spec *s, const cap_belt *belt, const cap_belt_statics *start)
{
  const contact *c = &s->belt.contact;
  mesh m = {.n = cap_accessory_drive_segments_count(s, belt)};
  m.l = belt->length0 / m.n;
  m.mass = belt->mass * m.l;
  double unit = belt->EA / (m.l * m.l);
  m.normal = c->normal_stiffness_given ? c->normal_stiffness : c->normal * unit;
  m.tangential = c->tangential_stiffness_given ? c->tangential_stiffness : c->tangential * unit;
  m.normal_damping = 2.0 * c->normal_damping * sqrt(m.normal * belt->mass);
  m.shear = 2.0 * c->tangential_damping * sqrt(m.tangential * belt->mass);
  m.axial = s->belt.damping_given ? belt->EA * s->belt.damping : default_axial(&m, belt);
  set_rotary(&m, belt, 2.0 * largest_tension(start));
  return m;
}

/* ---- checks -------------------------------------------------------------------------------------------- */

/* The fastest motion of a segment on a pulley, rad/s. */
static double pace_of(const mesh *m, const cap_belt *belt, double axial)
{
  const capm_beam beam = {.EA = belt->EA, .EI = belt->EI, .length = m->l, .axial = axial};
  const double pulley[CAP_BELT_PULLEY_NPARAM] = {[CAP_BELT_PULLEY_NORMAL] = m->normal,
                                                 [CAP_BELT_PULLEY_DAMPING] = m->normal_damping,
                                                 [CAP_BELT_PULLEY_TANGENTIAL] = m->tangential,
                                                 [CAP_BELT_PULLEY_SHEAR] = m->shear};
  return cap_belt_frequency_of(&beam, 0.0, belt->mass, m->rotary, pulley);
}

/* Damping that is light for the drive may be far above the critical one of a short segment. */
static void check_damping(const cap_accessory_spec *s, const cap_belt *belt, const cap_belt_statics *start,
                          cap_diag *diag)
{
  if (!s->belt.damping_given) return;
  mesh m = mesh_of(s, belt, start);
  double light = default_axial(&m, belt), factor = pace_of(&m, belt, m.axial) / pace_of(&m, belt, light);
  if (factor > COSTLY)
    cap_diag_warn(diag, "belt.damping",
                  "high damping: the explicit time steps of the %d segments become %.1f times smaller and "
                  "the run longer accordingly; expected about %s (the default), got %s",
                  m.n, factor, cap_diag_quantity(diag, "belt.damping", light / belt->EA, "s"),
                  cap_diag_quantity(diag, "belt.damping", s->belt.damping, "s"));
}

/* The worst of the spans, and of the radii: fewer segments would not do for the others, either. */
void cap_accessory_drive_segments_check(const cap_accessory_spec *s, const cap_belt *belt,
                                        const cap_belt_statics *start, cap_diag *diag)
{
  int shortest = 0, smallest = 0;
  for (int k = 1; k < belt->npulley; k++) {
    if (start->path.span[k].length < start->path.span[shortest].length) shortest = k;
    if (belt->pulleys[k].radius < belt->pulleys[smallest].radius) smallest = k;
  }
  double l = belt->length0 / cap_accessory_drive_segments_count(s, belt),
         span = start->path.span[shortest].length;
  double radius = belt->pulleys[smallest].radius;
  if (span < 2.0 * l)
    cap_diag_at(diag, "belt.segments",
                "the segments are too long for the span after %s (%.4g mm); expected at least %.0f segments, "
                "got %d of %.4g mm",
                belt->pulleys[shortest].name, 1e3 * span, ceil(2.0 * belt->length0 / span),
                cap_accessory_drive_segments_count(s, belt), 1e3 * l);
  if (l > TURN_MOST * radius)
    cap_diag_at(diag, "belt.segments",
                "the segments are too long for the radius of %s (%.4g mm); expected at least %.0f segments, "
                "got %d of %.4g mm",
                belt->pulleys[smallest].name, 1e3 * radius, ceil(belt->length0 / (TURN_MOST * radius)),
                cap_accessory_drive_segments_count(s, belt), 1e3 * l);
  check_damping(s, belt, start, diag);
}

/* ---- system -------------------------------------------------------------------------------------------- */

typedef struct builder {
  cap_accessory_parts *parts;
  mesh m;
  cap_accessory_lay lay;
  double deep[CAP_ACCESSORY_DRIVE_PULLEYS]; /* m/N */
  int gauge[CAP_ACCESSORY_DRIVE_PULLEYS];   /* handles */
  int *node;                                /* [n] first coordinate */
  int *beam, *touch;                        /* [n] handles */
} builder;

static void add_nodes(builder *w)
{
  cap_builder *b = w->parts->b;
  for (int k = 0; k < w->m.n; k++) {
    cap_accessory_point p = cap_accessory_drive_segments_start_point(&w->lay, k * w->m.l);
    char name[3][32];
    for (int c = 0; c < 3; c++)
      snprintf(name[c], sizeof name[c], "node.%d.%s", k, c == 2 ? "angle" : c ? "y" : "x");
    w->node[k] = cap_builder_dof(b, name[0], "m", w->m.mass, p.x, p.speed * cos(p.angle));
    cap_builder_dof(b, name[1], "m", w->m.mass, p.y, p.speed * sin(p.angle));
    cap_builder_dof(b, name[2], "rad", w->m.rotary, p.angle, p.turn);
  }
}

static void add_beams(builder *w)
{
  const cap_belt *belt = w->parts->belt;
  double par[CAP_BEAM_NPARAM] = {[CAP_BEAM_EA] = belt->EA,
                                 [CAP_BEAM_EI] = belt->EI,
                                 [CAP_BEAM_LENGTH] = w->m.l,
                                 [CAP_BEAM_AXIAL] = w->m.axial};
  const char *whole = "belt";
  for (int k = 0; k < w->m.n; k++) {
    char name[32];
    snprintf(name, sizeof name, "segment.%d", k);
    w->beam[k] = cap_builder_element(w->parts->b, &cap_beam_type, name, w->node[k], w->node[(k + 1) % w->m.n],
                                     par, NULL);
  }
  cap_builder_common(w->parts->b, &cap_beam_type, 1, &whole, 0, NULL);
}

/* Where friction is at its limit from the start, its spring is deflected by it. */
static void add_contacts(builder *w)
{
  double par[CAP_BELT_CONTACT_NPARAM] = {[CAP_BELT_CONTACT_LENGTH] = w->m.l};
  for (int k = 0; k < w->m.n; k++) {
    double z[CAP_BELT_CONTACT_POINTS];
    char name[32];
    for (int i = 0; i < CAP_BELT_CONTACT_POINTS; i++) {
      double at = (k + (i + 0.5) / CAP_BELT_CONTACT_POINTS) * w->m.l;
      cap_accessory_point p = cap_accessory_drive_segments_start_point(&w->lay, at);
      double radius = p.pulley < 0 ? 1.0 : w->parts->belt->pulleys[p.pulley].radius;
      z[i] = p.friction * p.effective / (radius * w->m.tangential);
    }
    snprintf(name, sizeof name, "contact.%d", k);
    w->touch[k] = cap_builder_element(w->parts->b, &cap_belt_contact_type, name, w->node[k],
                                      w->node[(k + 1) % w->m.n], par, z);
  }
}

/* A damped oscillator is stable in explicit steps below 2/(omega (zeta + sqrt(1 + zeta^2))): this angular
 * frequency has the limit 2/angular_frequency. */
static double damped_angular_frequency(double k, double c, double mass)
{
  double half = 0.5 * c / mass;
  return half + sqrt(half * half + k / mass);
}

/* Pulleys move, too: lightest and most wrapped, they make the contact along them faster, by its springs and
 * even more by its dampers, which of a light pulley are above critical. NAN: out of memory. */
static double fastest_of(const builder *w, const double *pulleys)
{
  const cap_belt *belt = w->parts->belt;
  capm_beam beam = {.EA = belt->EA, .EI = belt->EI, .length = w->m.l, .axial = w->m.axial};
  double most = 0.0, tension = 2.0 * largest_tension(w->parts->start);
  for (int k = 0; k < belt->npulley; k++) {
    const cap_belt_pulley *p = &belt->pulleys[k];
    double own = cap_belt_frequency_of(&beam, tension, belt->mass, w->m.rotary,
                                       pulleys + k * CAP_BELT_PULLEY_NPARAM);
    double arc = w->parts->start->path.pulley[k].arc;
    double lever = k == belt->crank && w->parts->s->crank.held ? 0.0 : arc * p->radius * p->radius;
    if (isnan(own)) return own;
    most = fmax(most, damped_angular_frequency(own * own * p->inertia + w->m.tangential * lever,
                                               w->m.shear * lever, p->inertia));
  }
  return most;
}

/* What holds the tensioner: spring, oil, stops, and the belt on its pulley with its damper. */
static double tensioner_angular_frequency(const builder *w)
{
  const cap_belt *belt = w->parts->belt;
  const cap_accessory_tensioner *t = &w->parts->s->tensioner;
  double k = belt->arm.rate + belt->arm.oil + (t->stops_given ? t->stop_stiffness : 0.0);
  double c = belt->arm.damping;
  if (!cap_belt_has_arm(belt)) return 0.0;
  for (int i = 0; i < belt->npulley; i++) {
    const cap_belt_path_pulley *p = &w->parts->start->path.pulley[i];
    double lever = p->arc * (p->dcentre[0] * p->dcentre[0] + p->dcentre[1] * p->dcentre[1]);
    k += w->m.normal * lever;
    c += w->m.normal_damping * lever;
  }
  return damped_angular_frequency(k, c, cap_belt_arm_inertia(belt));
}

/* The structure behind a hub, by its rows (Gershgorin). */
static double hub_angular_frequency(const builder *w, int pulley)
{
  const cap_belt_hub *hub = w->parts->belt->pulleys[pulley].hub;
  double most = 0.0;
  for (int i = 0; hub && i < hub->n; i++) {
    double arc = i < 2 ? w->parts->start->path.pulley[pulley].arc : 0.0;
    double k = w->m.normal * arc, c = w->m.normal_damping * arc;
    for (int j = 0; j < hub->n; j++) {
      double weight = sqrt(hub->mass[i] / hub->mass[j]); /* rows of M^-1/2 K M^-1/2 */
      k += fabs(hub->K[i][j]) * weight;
      c += fabs(hub->C[i][j]) * weight;
    }
    most = fmax(most, damped_angular_frequency(k, c, hub->mass[i]));
  }
  return most;
}

static void tell_structure(const builder *w)
{
  cap_builder_fastest(w->parts->b, tensioner_angular_frequency(w));
  for (int k = 0; k < w->parts->belt->npulley; k++)
    cap_builder_fastest(w->parts->b, hub_angular_frequency(w, k));
}

static cap_status add_pulleys(builder *w, cap_error *error)
{
  const cap_belt *belt = w->parts->belt;
  const contact *c = &w->parts->s->belt.contact;
  double par[CAP_ACCESSORY_DRIVE_PULLEYS * CAP_BELT_PULLEY_NPARAM];
  const char *names[CAP_ACCESSORY_DRIVE_PULLEYS];
  char text[CAP_ACCESSORY_DRIVE_PULLEYS][160];
  for (int k = 0; k < belt->npulley; k++) {
    const cap_belt_pulley *p = &belt->pulleys[k];
    double *at = par + k * CAP_BELT_PULLEY_NPARAM;
    cap_mount_of(belt, k, at + CAP_BELT_PULLEY_MOUNT);
    at[CAP_BELT_PULLEY_ROTATION] = p->rotation;
    at[CAP_BELT_PULLEY_RADIUS] = p->radius;
    at[CAP_BELT_PULLEY_SINK] = w->lay.sink[k];
    at[CAP_BELT_PULLEY_SIDE] = p->side;
    at[CAP_BELT_PULLEY_NORMAL] = w->m.normal;
    at[CAP_BELT_PULLEY_DAMPING] = w->m.normal_damping;
    at[CAP_BELT_PULLEY_TOUCH] = 0.1 * w->lay.sink[k];
    at[CAP_BELT_PULLEY_TANGENTIAL] = w->m.tangential;
    at[CAP_BELT_PULLEY_SHEAR] = w->m.shear;
    const capm_friction friction = capm_friction_keys_above(&c->friction, p->friction);
    capm_friction_put(&friction, at + CAP_BELT_PULLEY_FRICTION);
    snprintf(text[k], sizeof text[k], "pulley.%s", p->name);
    names[k] = text[k];
  }
  cap_builder_common(w->parts->b, &cap_belt_contact_type, belt->npulley, names,
                     belt->npulley * CAP_BELT_PULLEY_NPARAM, par);
  double fastest = fastest_of(w, par);
  if (isnan(fastest)) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_builder_fastest(w->parts->b, fastest);
  tell_structure(w);
  return CAP_OK;
}

/* Across the belt, and on the tensioner while the belt settles. */
static void add_drag(builder *w)
{
  const cap_belt *belt = w->parts->belt;
  double par[CAP_BELT_DRAG_NPARAM] = {
      [CAP_BELT_DRAG_RATE] = w->parts->s->belt.drag, [CAP_BELT_DRAG_MASS] = w->m.mass};
  double arm[2] = {belt->arm.coordinate, cap_belt_arm_inertia(belt)};
  const char *whole = "belt";
  for (int k = 0; k < w->m.n; k++)
    cap_builder_element(w->parts->b, &cap_belt_drag_type, "drag", w->node[k], w->node[(k + 1) % w->m.n], par,
                        NULL);
  cap_builder_common(w->parts->b, &cap_belt_drag_type, 1, &whole, belt->arm.coordinate < 0 ? 0 : 2, arm);
}

/* Three times as long as a wave across needs to pass the slowest span there and back, damped as this span
 * is critically. */
static void add_settling(builder *w)
{
  const cap_belt *belt = w->parts->belt;
  const cap_belt_statics *start = w->parts->start;
  double longest = 0.0;
  for (int k = 0; k < belt->npulley; k++) {
    double c = sqrt(start->spans[k].tension * start->spans[k].stretch / belt->mass);
    double v = start->rate * start->spans[k].stretch;
    longest = fmax(longest, 2.0 * start->path.span[k].length * c / (c * c - v * v));
  }
  cap_builder_settle(w->parts->b, 3.0 * longest, 4.0 * M_PI / longest);
}

/* After beams and contacts, which they read. */
static void add_gauges(builder *w)
{
  const cap_belt *belt = w->parts->belt;
  const cap_element_type *const read[] = {&cap_beam_type, &cap_belt_contact_type};
  double common[CAP_BELT_GAUGE_NCOMMON] = {
      [CAP_BELT_GAUGE_EA] = belt->EA, [CAP_BELT_GAUGE_MASS] = belt->mass};
  for (int k = 0; k < belt->npulley; k++) {
    const cap_belt_pulley *p = &belt->pulleys[k];
    double par[CAP_BELT_GAUGE_NPARAM] = {
        [CAP_BELT_GAUGE_RADIUS] = p->radius, [CAP_BELT_GAUGE_SIDE] = p->side};
    char name[160];
    cap_mount_of(belt, k, par + CAP_BELT_GAUGE_MOUNT);
    snprintf(name, sizeof name, "gauge.%s", p->name);
    w->gauge[k] = cap_builder_element(w->parts->b, &cap_belt_gauge_type, name, p->rotation, CAP_GROUND, par,
                                      NULL);
  }
  cap_builder_common(w->parts->b, &cap_belt_gauge_type, 0, NULL, CAP_BELT_GAUGE_NCOMMON, common);
  cap_builder_reads(w->parts->b, &cap_belt_gauge_type, 2, read);
}

static const struct shown {
  const char *kind, *what, *unit, *meaning;
  int output;
  bool film;
} shown[] = {
    {"span", "tension", "N", "tension of the span after", CAP_BELT_GAUGE_TENSION, true},
    {"span", "effective_tension", "N", "effective tension of the span after", CAP_BELT_GAUGE_EFFECTIVE,
     false},
    {"span", "midspan_tension", "N", "midspan tension of the span after", CAP_BELT_GAUGE_MIDDLE, false},
    {"span", "midspan", "m", "transverse midspan displacement of the span after", CAP_BELT_GAUGE_MOTION,
     false},
    {"pulley", "torque", "N m", "belt torque on", CAP_BELT_GAUGE_TORQUE, false},
    {"pulley", "hub_x", "N", "hub load along x from the belt on", CAP_BELT_GAUGE_X, true},
    {"pulley", "hub_y", "N", "hub load along y from the belt on", CAP_BELT_GAUGE_Y, true},
    {"pulley", "normal_force", "N", "total normal force on", CAP_BELT_GAUGE_NORMAL, false},
    {"pulley", "slip", "m/s", "mean slip velocity of the belt on", CAP_BELT_GAUGE_SLIP, true},
    {"pulley", "sliding", "1", "sliding share of the normal force on", CAP_BELT_GAUGE_SLIDING, true},
    {"pulley", "slip_arc", "rad", "slip arc on", CAP_BELT_GAUGE_SLIP_ARC, false},
    {"pulley", "impact", "N/m", "peak line load at the entry of", CAP_BELT_GAUGE_IMPACT, false},
    {"pulley", "entry", "rad", "first contact relative to the entry tangent point of", CAP_BELT_GAUGE_ENTRY,
     false},
    {"pulley", "exit", "rad", "last contact relative to the exit tangent point of", CAP_BELT_GAUGE_EXIT,
     false},
};

static cap_term gauge_term(const builder *w, int k, int output)
{
  return (cap_term){CAP_TERM_OUTPUT, w->gauge[k] * CAP_OUTPUTS_MOST + output, 1.0};
}

static void add_distribution(builder *w, int k)
{
  for (int i = 0; i < 2 * CAP_BELT_GAUGE_BINS; i++) {
    bool normal = i < CAP_BELT_GAUGE_BINS;
    char what[32];
    snprintf(what, sizeof what, "%s.%d", normal ? "pressure" : "friction", 1 + i % CAP_BELT_GAUGE_BINS);
    cap_term term = gauge_term(w, k, CAP_BELT_GAUGE_PRESSURE + i);
    cap_accessory_drive_parts_channel(w->parts, "pulley", w->parts->belt->pulleys[k].name, what, "N/m",
                                      normal ? "normal line load, in eighths of the wrap, of"
                                             : "friction on the belt per length, in eighths of the wrap, of",
                                      1, &term);
    cap_builder_detail(w->parts->b);
  }
}

static void add_channels(builder *w)
{
  for (int k = 0; k < w->parts->belt->npulley; k++) {
    const char *name = w->parts->belt->pulleys[k].name;
    cap_accessory_drive_parts_rotation(w->parts, k);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
      cap_term term = gauge_term(w, k, shown[i].output);
      cap_accessory_drive_parts_channel(w->parts, shown[i].kind, name, shown[i].what, shown[i].unit,
                                        shown[i].meaning, 1, &term);
      if (shown[i].film) cap_builder_film_member(w->parts->b);
    }
    add_distribution(w, k);
  }
}

static void add_weight(builder *w)
{
  const cap_reals *gravity = &w->parts->s->belt.gravity;
  for (int k = 0; gravity->n && k < w->m.n; k++)
    for (int c = 0; c < 2; c++) {
      double par[CAP_WEIGHT_NPARAM] = {[CAP_WEIGHT_FORCE] = w->m.mass * gravity->v[c]};
      if (gravity->v[c] != 0.0)
        cap_builder_element(w->parts->b, &cap_weight_type, "weight", w->node[k] + c, CAP_GROUND, par, NULL);
    }
}

static cap_term touch_term(const builder *w, int k, int output)
{
  return (cap_term){CAP_TERM_OUTPUT, w->touch[k] * CAP_OUTPUTS_MOST + output, 1.0};
}

/* Nodes and segments, from which pictures are drawn: segment k lies between the nodes k and k + 1. */
static void add_details(builder *w)
{
  for (int k = 0; k < w->m.n; k++) {
    char of[16];
    snprintf(of, sizeof of, "%d", k);
    cap_term x = {CAP_TERM_Q, w->node[k], 1.0}, y = {CAP_TERM_Q, w->node[k] + 1, 1.0};
    cap_term tension = {CAP_TERM_FORCE, w->beam[k], 1.0};
    cap_term normal = touch_term(w, k, CAP_BELT_CONTACT_NORMAL);
    cap_term friction = touch_term(w, k, CAP_BELT_CONTACT_FRICTION);
    cap_term sliding = touch_term(w, k, CAP_BELT_CONTACT_SLIDING);
    cap_term slip = touch_term(w, k, CAP_BELT_CONTACT_SPEED);
    const struct {
      const char *kind, *what, *unit, *meaning;
      const cap_term *term;
    } rows[] = {{"node", "x", "m", "position along x of node", &x},
                {"node", "y", "m", "position along y of node", &y},
                {"segment", "tension", "N", "tension of segment", &tension},
                {"segment", "normal_force", "N", "normal force from a pulley on segment", &normal},
                {"segment", "friction", "N", "tangential force from a pulley on segment", &friction},
                {"segment", "sliding", "N", "sliding part of the normal force on segment", &sliding},
                {"segment", "slip", "m/s", "mean slip velocity on a pulley of segment", &slip}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
      cap_accessory_drive_parts_channel(w->parts, rows[r].kind, of, rows[r].what, rows[r].unit,
                                        rows[r].meaning, 1, rows[r].term);
      cap_builder_detail(w->parts->b);
      cap_builder_film_member(w->parts->b);
    }
  }
}

static cap_status build_with(builder *w, cap_error *error)
{
  cap_accessory_parts *parts = w->parts;
  CAP_TRY(cap_accessory_drive_parts_coordinates(parts, error));
  for (int k = 0; k < parts->belt->npulley; k++)
    w->deep[k] = 1.0 / (w->m.normal * parts->belt->pulleys[k].radius);
  cap_accessory_drive_segments_start_lay(parts->belt, parts->start, w->deep, &w->lay);
  add_nodes(w);
  add_beams(w);
  add_contacts(w);
  CAP_TRY(add_pulleys(w, error));
  add_weight(w);
  add_drag(w);
  add_settling(w);
  cap_accessory_drive_parts_loads(parts);
  add_gauges(w);
  add_channels(w);
  cap_accessory_drive_parts_arm(parts);
  add_details(w);
  return CAP_OK;
}

cap_status cap_accessory_drive_segments_build(cap_accessory_parts *parts, cap_error *error)
{
  builder w = {.parts = parts, .m = mesh_of(parts->s, parts->belt, parts->start)};
  int *handles = calloc(3 * (size_t)w.m.n, sizeof *handles);
  if (!handles) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  w.node = handles;
  w.beam = handles + w.m.n;
  w.touch = handles + 2 * w.m.n;
  cap_status status = build_with(&w, error);
  free(handles);
  return status;
}
