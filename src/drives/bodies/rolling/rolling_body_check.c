/* drives/bodies/rolling/rolling_body_check.c — see rolling_body.h: what no single key shows, as far as keys
 * tell it. */
#include "base/nearest.h"
#include "drives/bodies/rolling/rolling_body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef cap_rolling_spec spec;
typedef cap_rolling_body body;

/* Part of the size: a hinge whose points differ by more is open. */
static const double place_tolerance = 1e-9;

const char *cap_rolling_body_check_path(const spec *s, int k, const char *key, char path[CAP_ROLLING_PATH])
{
  const body *bodies = s->bodies.items;
  snprintf(path, CAP_ROLLING_PATH, "bodies[%d].%s%s%s", k, cap_rolling_body_kind(bodies[k].kind),
           *key ? "." : "", key);
  return path;
}

/* ---- names --------------------------------------------------------------------------------------------- */

static void check_names(const spec *s, cap_diag *diag)
{
  const body *bodies = s->bodies.items;
  const cap_rolling_hinge *hinges = s->hinges.items;
  char path[CAP_ROLLING_PATH];
  for (int k = 0; k < s->bodies.n; k++)
    if (cap_rolling_body_build_find(s, bodies[k].name) != k)
      cap_diag_at(diag, cap_rolling_body_check_path(s, k, "name", path),
                  "duplicate name; expected unique names of bodies, got \"%s\" twice", bodies[k].name);
  for (int h = 0; h < s->hinges.n; h++) {
    snprintf(path, sizeof path, "hinges[%d].name", h);
    bool taken = cap_rolling_body_build_find(s, hinges[h].name) >= 0;
    for (int g = 0; g < h; g++) taken = taken || strcmp(hinges[g].name, hinges[h].name) == 0;
    if (taken)
      cap_diag_at(diag, path, "duplicate name; expected unique names of bodies and hinges, got \"%s\" twice",
                  hinges[h].name);
  }
}

const char *cap_rolling_body_check_blade(const body *p, int k, char name[CAP_ROLLING_PATH])
{
  const cap_rolling_blade *blades = p->blades.items;
  if (blades[k].name) snprintf(name, CAP_ROLLING_PATH, "%.80s", blades[k].name);
  else snprintf(name, CAP_ROLLING_PATH, "blade%d", k + 1);
  return name;
}

static void check_blades(const spec *s, int k, cap_diag *diag)
{
  const body *p = (const body *)s->bodies.items + k;
  char path[CAP_ROLLING_PATH], key[40], name[CAP_ROLLING_PATH], other[CAP_ROLLING_PATH];
  for (int i = 0; i < p->blades.n; i++) {
    snprintf(key, sizeof key, "blades[%d].name", i);
    cap_rolling_body_check_blade(p, i, name);
    cap_rolling_body_check_path(s, k, key, path);
    for (int j = 0; j < i; j++)
      if (strcmp(name, cap_rolling_body_check_blade(p, j, other)) == 0)
        cap_diag_at(diag, path, "duplicate name; expected unique names of blades, got \"%s\" twice", name);
  }
}

/* ---- hinges -------------------------------------------------------------------------------------------- */

static bool in_plane(const body *p)
{
  return p->kind == CAP_ROLLING_KNIFE_EDGE || p->kind == CAP_ROLLING_SLEIGH || p->kind == CAP_ROLLING_WHEEL ||
         p->kind == CAP_ROLLING_PLANAR;
}

static int hinge_end(const spec *s, int h, const char *key, const char *name, cap_diag *diag)
{
  char path[CAP_ROLLING_PATH];
  snprintf(path, sizeof path, "hinges[%d].%s", h, key);
  int k = cap_rolling_body_build_find(s, name);
  if (k < 0) {
    const body *bodies = s->bodies.items;
    cap_nearest nearest;
    cap_nearest_start(&nearest, name);
    for (int i = 0; i < s->bodies.n; i++) cap_nearest_offer(&nearest, bodies[i].name);
    cap_diag_at(diag, path, "unknown body; expected the name of a body, got \"%s\"%s%s%s", name,
                nearest.best ? "; did you mean \"" : "", nearest.best ? nearest.best : "",
                nearest.best ? "\"?" : "");
  } else if (!in_plane((const body *)s->bodies.items + k)) {
    cap_diag_at(
        diag, path,
        "expected a body that moves in the plane (knife-edge, sleigh, wheel, planar), got the %s \"%s\"",
        cap_rolling_body_kind(((const body *)s->bodies.items)[k].kind), name);
    k = -1;
  }
  return k;
}

static void to_ground(const double *q, double x, double y, double at[2])
{
  at[0] = q[0] + cos(q[2]) * x - sin(q[2]) * y;
  at[1] = q[1] + sin(q[2]) * x + cos(q[2]) * y;
}

/* The two points of every hinge must lie on each other. */
static void check_closed(const spec *s, cap_diag *diag)
{
  const cap_rolling_hinge *hinges = s->hinges.items;
  double q[CAP_ROLLING_BODIES][CAP_ROLLING_COORDS], e[CAP_ROLLING_BODIES][4], a[2], b[2];
  cap_rolling_body_build_places(s, q, e);
  for (int h = 0; h < s->hinges.n; h++) {
    const cap_rolling_hinge *p = &hinges[h];
    int from = cap_rolling_body_build_find(s, p->from), to = cap_rolling_body_build_find(s, p->to);
    to_ground(q[from], p->from_x, p->from_y, a);
    to_ground(q[to], p->to_x, p->to_y, b);
    double apart = hypot(a[0] - b[0], a[1] - b[1]);
    double size = fmax(hypot(a[0], a[1]), fmax(hypot(p->from_x, p->from_y), hypot(p->to_x, p->to_y)));
    char path[CAP_ROLLING_PATH];
    snprintf(path, sizeof path, "hinges[%d]", h);
    if (!(apart <= place_tolerance * fmax(size, 1e-3)))
      cap_diag_at(
          diag, path,
          "the hinge is open at the start; expected coincident points, got a distance of %.4g m: (%.6g, "
          "%.6g) m on \"%s\", (%.6g, %.6g) m on \"%s\"; omit x and y of one body, and the hinge positions it",
          apart, a[0], a[1], p->from, b[0], b[1], p->to);
  }
}

static void check_hinges(const spec *s, cap_diag *diag)
{
  const cap_rolling_hinge *hinges = s->hinges.items;
  int before = diag->nerror;
  for (int h = 0; h < s->hinges.n; h++) {
    int from = hinge_end(s, h, "from", hinges[h].from, diag), to = hinge_end(s, h, "to", hinges[h].to, diag);
    char path[CAP_ROLLING_PATH];
    snprintf(path, sizeof path, "hinges[%d].to", h);
    if (from >= 0 && from == to)
      cap_diag_at(diag, path, "expected two different bodies, got \"%s\" twice", hinges[h].to);
  }
  if (diag->nerror == before && s->hinges.n > 0) check_closed(s, diag);
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

static void check_disc(const spec *s, int k, cap_diag *diag)
{
  const body *p = (const body *)s->bodies.items + k;
  char path[CAP_ROLLING_PATH];
  if (!(p->tilt > 0.0 && p->tilt < M_PI)) {
    cap_diag_at(diag, cap_rolling_body_check_path(s, k, "inclination", path),
                "a disc lying flat has no single contact point; expected an angle above 0 deg and below 180 "
                "deg, got %.6g deg",
                p->tilt * 180.0 / M_PI);
    return;
  }
  if (!p->circle_given) return;
  cap_rolling_body_check_path(s, k, "circle", path);
  if (p->turn.given || p->spin.given || p->tilt_rate.given)
    cap_diag_at(diag, path,
                "conflicts with heading_rate, spin or tilt_rate; specify either circle or the rates");
  if (s->ground.slope != 0.0 || s->ground.turning != 0.0)
    cap_diag_at(diag, path,
                "level ground at rest not given; expected it for steady precession; set ground.slope and "
                "ground.angular_velocity to 0, or use heading_rate and spin instead of circle");
  else if (!(s->ground.gravity > 0.0))
    cap_diag_at(
        diag, path,
        "steady precession requires gravity; expected ground.gravity above 0, or use heading_rate and spin "
        "instead of circle");
  if (fabs(p->tilt - M_PI_2) < 1e-9)
    cap_diag_at(diag, cap_rolling_body_check_path(s, k, "inclination", path),
                "an upright disc rolls straight ahead; expected an inclination below 90 deg with circle, or "
                "use spin instead of circle");
}

static void check_inertia(const spec *s, int k, cap_diag *diag)
{
  const body *p = (const body *)s->bodies.items + k;
  double I = cap_rolling_body_build_inertia(p), axis = cap_rolling_body_build_inertia_axis(p);
  char path[CAP_ROLLING_PATH];
  if (p->kind == CAP_ROLLING_DISC && axis > 2.0 * I * (1.0 + 1e-12)) {
    cap_rolling_body_check_path(s, k, p->axis_given ? "inertia_axis" : "inertia", path);
    cap_diag_at(diag, path,
                "impossible moments of inertia; expected at most twice that about a diameter (%s) for that "
                "about the axis, got %s",
                cap_diag_quantity(diag, path, I, "kg m2"), cap_diag_quantity(diag, path, axis, "kg m2"));
  }
}

static void check_bodies(const spec *s, cap_diag *diag)
{
  const body *bodies = s->bodies.items;
  char path[CAP_ROLLING_PATH];
  for (int k = 0; k < s->bodies.n; k++) {
    if (bodies[k].speed.given && (bodies[k].vx.given || bodies[k].vy.given))
      cap_diag_at(diag, cap_rolling_body_check_path(s, k, "speed", path),
                  "conflicts with vx or vy; specify either speed, or vx and vy");
    if (bodies[k].kind == CAP_ROLLING_DISC) check_disc(s, k, diag);
    if (bodies[k].kind == CAP_ROLLING_PLANAR) check_blades(s, k, diag);
    check_inertia(s, k, diag);
  }
}

static void check_contact(const spec *s, cap_diag *diag)
{
  const capm_friction_keys_pair *f = &s->contact.friction.mu;
  bool soft = s->contact.epsilon > 0.0;
  if (s->contact.friction_given && !soft)
    cap_diag_at(diag, "contact.friction",
                "an ideal contact never slips; expected contact.epsilon above 0 (0.01 is soft, 1e-4 stiff), "
                "got 0; set it, or remove friction");
  if (s->contact.friction_given && soft && !(s->contact.damping_ratio > 0.0))
    cap_diag_at(diag, "contact.damping_ratio",
                "friction requires contact damping; expected a damping ratio above 0 such as \"1\", got 0");
  if (s->contact.friction_given && f->sliding_given && f->sliding > f->rest)
    cap_diag_at(diag, "contact.friction.kinetic", "expected at most the static coefficient (%.6g), got %.6g",
                f->rest, f->sliding);
  if (s->contact.friction_given && f->sliding_given && f->sliding < f->rest && !(f->stribeck > 0.0))
    cap_diag_at(diag, "contact.friction.stribeck_velocity",
                "the kinetic coefficient differs from the static one; expected a Stribeck velocity above 0 "
                "such as \"0.01 m/s\", got %s",
                cap_diag_quantity(diag, "contact.friction.stribeck_velocity", f->stribeck, "m/s"));
}

void cap_rolling_body_check(const void *self, cap_diag *diag)
{
  const spec *s = self;
  int before = diag->nerror;
  check_names(s, diag);
  check_hinges(s, diag);
  check_bodies(s, diag);
  check_contact(s, diag);
  if (diag->nerror == before) cap_rolling_body_check_system(s, diag);
}
