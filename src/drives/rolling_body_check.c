/* drives/rolling_body_check.c — see rolling_body.h: what no single key shows.
 *
 * Names and places first; then the rigid system is built and looked at: rows that depend on each other,
 * velocities that do not roll, an epsilon below what rounding allows.
 */
#include "drives/rolling_body.h"
#include "linalg/lsq.h"
#include "model/constraints.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef cap_rolling_spec spec;
typedef cap_rolling_body body;

enum { PATH = 200 };

static const double place_tolerance =
    1e-9; /* part of the size: a hinge whose points differ by more is open */
/* Part of the contact's force that rounding may make: the usual tolerance. */
static const double noise_most = 1e-8;

static const char *path_of(const spec *s, int k, const char *key, char path[PATH])
{
  const body *bodies = s->bodies.items;
  snprintf(path, PATH, "bodies[%d].%s%s%s", k, cap_rolling_body_kind(bodies[k].kind), *key ? "." : "", key);
  return path;
}

/* ---- names --------------------------------------------------------------------------------------------- */

static bool name_sound(const char *name, const char *path, cap_diag *diag)
{
  if (*name && strlen(name) <= 60 && !strpbrk(name, ".*?[] \t")) return true;
  cap_diag_at(diag, path,
              "expected a name of 1 to 60 characters without blanks, dots, brackets, * and ?, got \"%.60s\"",
              name);
  return false;
}

static void check_names(const spec *s, cap_diag *diag)
{
  const body *bodies = s->bodies.items;
  const cap_rolling_hinge *hinges = s->hinges.items;
  char path[PATH];
  for (int k = 0; k < s->bodies.n; k++)
    if (name_sound(bodies[k].name, path_of(s, k, "name", path), diag) &&
        cap_rolling_body_build_find(s, bodies[k].name) != k)
      cap_diag_at(diag, path, "two bodies are called \"%s\"; give one of them another name", bodies[k].name);
  for (int h = 0; h < s->hinges.n; h++) {
    snprintf(path, sizeof path, "hinges[%d].name", h);
    bool taken = cap_rolling_body_build_find(s, hinges[h].name) >= 0;
    for (int g = 0; g < h; g++) taken = taken || strcmp(hinges[g].name, hinges[h].name) == 0;
    if (name_sound(hinges[h].name, path, diag) && taken)
      cap_diag_at(diag, path, "there is already a body or hinge called \"%s\"; give it another name",
                  hinges[h].name);
  }
}

static const char *blade_name(const body *p, int k, char name[PATH])
{
  const cap_rolling_blade *blades = p->blades.items;
  if (blades[k].name) snprintf(name, PATH, "%.80s", blades[k].name);
  else snprintf(name, PATH, "blade%d", k + 1);
  return name;
}

static void check_blades(const spec *s, int k, cap_diag *diag)
{
  const body *p = (const body *)s->bodies.items + k;
  char path[PATH], key[40], name[PATH], other[PATH];
  for (int i = 0; i < p->blades.n; i++) {
    snprintf(key, sizeof key, "blades[%d].name", i);
    if (!name_sound(blade_name(p, i, name), path_of(s, k, key, path), diag)) continue;
    for (int j = 0; j < i; j++)
      if (strcmp(name, blade_name(p, j, other)) == 0)
        cap_diag_at(diag, path, "two blades are called \"%s\"", name);
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
  char path[PATH];
  snprintf(path, sizeof path, "hinges[%d].%s", h, key);
  int k = cap_rolling_body_build_find(s, name);
  if (k < 0) {
    cap_diag_at(diag, path, "there is no body \"%s\"", name);
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
    char path[PATH];
    snprintf(path, sizeof path, "hinges[%d]", h);
    if (!(apart <= place_tolerance * fmax(size, 1e-3)))
      cap_diag_at(diag, path,
                  "the hinge is open by %.4g m: its point on \"%s\" is at (%.6g, %.6g) m, on \"%s\" at "
                  "(%.6g, %.6g) m; leave "
                  "out x and y of one body, and the hinge places it",
                  apart, p->from, a[0], a[1], p->to, b[0], b[1]);
  }
}

static void check_hinges(const spec *s, cap_diag *diag)
{
  const cap_rolling_hinge *hinges = s->hinges.items;
  int before = diag->nerror;
  for (int h = 0; h < s->hinges.n; h++) {
    int from = hinge_end(s, h, "from", hinges[h].from, diag), to = hinge_end(s, h, "to", hinges[h].to, diag);
    char path[PATH];
    snprintf(path, sizeof path, "hinges[%d].to", h);
    if (from >= 0 && from == to) cap_diag_at(diag, path, "both ends are at \"%s\"", hinges[h].to);
  }
  if (diag->nerror == before && s->hinges.n > 0) check_closed(s, diag);
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

static void check_disc(const spec *s, int k, cap_diag *diag)
{
  const body *p = (const body *)s->bodies.items + k;
  char path[PATH];
  if (!(p->tilt > 0.0 && p->tilt < M_PI)) {
    cap_diag_at(diag, path_of(s, k, "inclination", path),
                "a flat disc has no single point of contact; expected an angle above 0 deg and below 180 "
                "deg, got %.6g deg",
                p->tilt * 180.0 / M_PI);
    return;
  }
  if (!p->circle_given) return;
  path_of(s, k, "circle", path);
  if (p->turn.given || p->spin.given || p->tilt_rate.given)
    cap_diag_at(diag, path,
                "circle fixes all rates of the disc; leave out turn, spin and tilt_rate, or circle");
  if (s->ground.slope != 0.0 || s->ground.turning != 0.0)
    cap_diag_at(diag, path,
                "steady precession needs level ground at rest; set ground.slope and ground.turning to 0, or "
                "give turn and "
                "spin instead of circle");
  else if (!(s->ground.gravity > 0.0))
    cap_diag_at(diag, path, "steady precession needs gravity; give turn and spin instead of circle");
  if (fabs(p->tilt - M_PI_2) < 1e-9)
    cap_diag_at(diag, path_of(s, k, "inclination", path),
                "an upright disc rolls straight on; for a steady circle expected an inclination below 90 "
                "deg, or leave out "
                "circle and give spin");
}

static void check_inertia(const spec *s, int k, cap_diag *diag)
{
  const body *p = (const body *)s->bodies.items + k;
  double I = cap_rolling_body_build_inertia(p), axis = cap_rolling_body_build_inertia_axis(p);
  char path[PATH];
  if (p->kind == CAP_ROLLING_DISC && axis > 2.0 * I * (1.0 + 1e-12))
    cap_diag_at(diag, path_of(s, k, p->axis_given ? "inertia_axis" : "inertia", path),
                "no body has %.6g kg m2 about its axis and %.6g kg m2 about a diameter: the first is at most "
                "twice the "
                "second",
                axis, I);
}

static void check_bodies(const spec *s, cap_diag *diag)
{
  const body *bodies = s->bodies.items;
  char path[PATH];
  for (int k = 0; k < s->bodies.n; k++) {
    if (bodies[k].speed.given && (bodies[k].vx.given || bodies[k].vy.given))
      cap_diag_at(diag, path_of(s, k, "speed", path), "give speed, or vx and vy, but not both");
    if (bodies[k].kind == CAP_ROLLING_DISC) check_disc(s, k, diag);
    if (bodies[k].kind == CAP_ROLLING_PLANAR) check_blades(s, k, diag);
    check_inertia(s, k, diag);
  }
}

static void check_contact(const spec *s, cap_diag *diag)
{
  const cap_rolling_friction *f = &s->contact.friction;
  bool soft = s->contact.epsilon > 0.0;
  if (s->contact.friction_given && !soft)
    cap_diag_at(diag, "contact.friction",
                "an ideal contact never slips; set contact.epsilon above 0 (0.01 is soft, 1e-4 stiff), or "
                "leave friction out");
  if (s->contact.friction_given && soft && !(s->contact.damping_ratio > 0.0))
    cap_diag_at(diag, "contact.damping_ratio",
                "a contact that slips needs damping: expected a number above 0 such as \"1\", got 0");
  if (s->contact.friction_given && f->kinetic_given && f->mu_kinetic > f->mu_static)
    cap_diag_at(diag, "contact.friction.kinetic", "expected at most the static coefficient (%.6g), got %.6g",
                f->mu_static, f->mu_kinetic);
  if (s->contact.friction_given && f->kinetic_given && f->mu_kinetic < f->mu_static && !(f->stribeck > 0.0))
    cap_diag_at(
        diag, "contact.friction.stribeck",
        "the coefficient falls from static to kinetic over this speed; expected a speed above 0 such as "
        "\"0.01 m/s\", got %.6g m/s",
        f->stribeck);
}

/* ---- the rigid system ---------------------------------------------------------------------------------- */

/* Path of the key that makes the contact of a row: "bodies[0].planar.blades[2]". */
static void row_path(const spec *s, const char *row, char path[PATH])
{
  const body *bodies = s->bodies.items;
  const cap_rolling_hinge *hinges = s->hinges.items;
  size_t length = strcspn(row, ".");
  char name[PATH], key[40];
  snprintf(path, PATH, "bodies");
  for (int h = 0; h < s->hinges.n; h++)
    if (strlen(hinges[h].name) == length && memcmp(hinges[h].name, row, length) == 0)
      snprintf(path, PATH, "hinges[%d]", h);
  for (int k = 0; k < s->bodies.n; k++) {
    if (strlen(bodies[k].name) != length || memcmp(bodies[k].name, row, length) != 0) continue;
    path_of(s, k, "", path);
    for (int i = 0; i < bodies[k].blades.n; i++) {
      blade_name(&bodies[k], i, name);
      if (strncmp(row + length + 1, name, strlen(name)) != 0 || row[length + 1 + strlen(name)] != '.')
        continue;
      snprintf(key, sizeof key, "blades[%d]", i);
      path_of(s, k, key, path);
    }
  }
}

/* Names of the rows on which row `last` depends: those with a part in its representation by the rows before.
 */
static void name_partners(const cap_rolling_start *st, int last, char *text, size_t size)
{
  int n = st->nv;
  const cap_model *m = st->model;
  double *columns = calloc((size_t)(n * (last + 1) + n + last + 1), sizeof(double));
  double *target = columns ? columns + n * (last + 1) : NULL, *part = target ? target + n : NULL;
  *text = 0;
  if (!columns) return;
  for (int i = 0; i < n; i++) {
    for (int r = 0; r < last; r++) columns[i * last + r] = st->J[r * n + i] / sqrt(m->mass[i]);
    target[i] = st->J[last * n + i] / sqrt(m->mass[i]);
  }
  if (last > 0 && capm_lsq_least_norm(n, last, columns, target, 1e-9, 1, part, NULL) == CAP_OK)
    for (int r = 0; r < last; r++) {
      size_t used = strlen(text);
      if (fabs(part[r]) > 1e-9)
        snprintf(text + used, size - used, "%s%s", used ? ", " : "", m->row_name[m->ideal_row[r]]);
    }
  free(columns);
}

static bool check_rank(const spec *s, const cap_rolling_start *st, const double *y, double *workspace,
                       cap_diag *diag)
{
  const cap_model *m = st->model;
  bool ideal = s->contact.epsilon == 0.0;
  int row = -1;
  cap_constraints_rank(m, m->t0, y, workspace, &row);
  if (row < 0) return true;
  if (!ideal && s->contact.start == 0) return false; /* springs may share a load as they like */
  char path[PATH], partners[400];
  const char *name = m->row_name[m->ideal_row[row]];
  name_partners(st, row, partners, sizeof partners);
  row_path(s, name, path);
  if (ideal)
    cap_diag_at(diag, path,
                "the row %s forbids nothing that %s do%s not forbid already: the forces of ideal contacts "
                "would not be "
                "unique; remove one of them, or set contact.epsilon above 0, where contacts share the load",
                name, *partners ? partners : "the others", strchr(partners, ',') || !*partners ? "" : "es");
  else
    cap_diag_at(diag, "contact.start",
                "the ideal forces are not unique: the row %s depends on %s; use start: unloaded, or remove "
                "one of them",
                name, *partners ? partners : "the others");
  return false;
}

/* The velocities of body k in `v`, in the words of its keys. */
static void tell_velocity(const spec *s, int k, const double *v, char *text, size_t size)
{
  static const char *const planar[] = {"vx", "vy", "turn", "spin"};
  static const char *const space[] = {"vx", "vy", "vz", "w1", "w2", "w3"};
  const body *bodies = s->bodies.items;
  int first = 0, n = cap_rolling_body_build_coords(&bodies[k]);
  for (int j = 0; j < k; j++) first += cap_rolling_body_build_coords(&bodies[j]);
  *text = 0;
  for (int i = 0; i < n; i++) {
    size_t used = strlen(text);
    bool length = i < (n == 6 ? 3 : 2);
    const char *name = n == 6 ? (bodies[k].kind == CAP_ROLLING_BALL && i > 2
                                     ? (const char *[]){"wx", "wy", "wz"}[i - 3]
                                     : space[i])
                              : planar[i];
    double value = fabs(v[first + i]) < 1e-12 ? 0.0 : v[first + i];
    snprintf(text + used, size - used, "%s%s %.6g %s", i ? ", " : "", name, value, length ? "m/s" : "rad/s");
  }
}

/* The given velocity that has most part in the slip of a row: where the finding stands. */
static const cap_rolling_given *culprit(const cap_rolling_start *st, int row)
{
  const cap_rolling_given *found = NULL;
  double most = -1.0;
  for (int g = 0; g < st->ngiven; g++) {
    double part = 0.0;
    for (int i = 0; i < st->nv; i++) part += st->J[row * st->nv + i] * st->given[g].row[i];
    part = fabs(part * st->given[g].value);
    if (part >= most) found = &st->given[g], most = part;
  }
  return found;
}

static void check_velocity(const spec *s, const cap_rolling_start *st, cap_diag *diag)
{
  if (s->start_velocity == 1) return;
  bool ideal = s->contact.epsilon == 0.0;
  if (!ideal && s->contact.friction_given) return; /* a start that slips is what friction is there for */
  int row = cap_rolling_body_start_slipping(st);
  if (row < 0) return;
  const char *name = st->model->row_name[st->model->ideal_row[row]];
  const cap_rolling_given *given = culprit(st, row);
  char path[PATH], nearest[300];
  if (!given) return;
  path_of(s, given->body, given->key, path);
  tell_velocity(s, given->body, st->nearest, nearest, sizeof nearest);
  if (ideal)
    cap_diag_at(diag, path,
                "with these velocities the contact slips: %s moves at %.6g m/s, and must not; the nearest "
                "velocity of "
                "\"%s\" that rolls is %s (start_velocity: project takes it)",
                name, st->slip[row], ((const body *)s->bodies.items)[given->body].name, nearest);
  else
    cap_diag_warn(
        diag, path,
        "the contact starts with a slip: %s moves at %.6g m/s, and is stopped within a time of about %.3g s; "
        "start_velocity: project starts at the nearest velocity that rolls (%s)",
        name, st->slip[row], s->contact.epsilon, nearest);
}

/* Forces at the start, N: those of the ideal contacts where these are unique, else the weight. */
static double typical_force(const spec *s, const cap_rolling_start *st, const double *y, double *workspace,
                            bool unique, double *lambda)
{
  const body *bodies = s->bodies.items;
  double most = 0.0;
  cap_error error = {0};
  for (int k = 0; k < s->bodies.n; k++) most = fmax(most, bodies[k].mass * s->ground.gravity);
  if (unique && cap_constraints_multipliers(st->model, st->model->t0, y, workspace, lambda, &error) == CAP_OK)
    for (int r = 0; r < st->nrow; r++) most = fmax(most, fabs(lambda[r]));
  return most;
}

/* A velocity of size v is known to v DBL_EPSILON / 2, and the damper makes a force of that: with d = 2 ratio
 * sqrt(k m_eff) it grows like 1/epsilon. */
static void check_epsilon(const spec *s, const cap_rolling_start *st, double force, cap_diag *diag)
{
  double epsilon = s->contact.epsilon, damping = 0.0;
  double fall = s->ground.gravity * fabs(sin(s->ground.slope)); /* m/s after one second */
  double v = fmax(cap_rolling_body_start_speed(st), fall);
  if (!(epsilon > 0.0) || !(force > 0.0)) return;
  for (int r = 0; r < st->nrow; r++) { /* d epsilon of one row */
    double mobility = 0.0;
    for (int i = 0; i < st->nv; i++)
      mobility += st->J[r * st->nv + i] * st->J[r * st->nv + i] / st->model->mass[i];
    double mass = 1.0 / mobility, stiffness = s->contact.stiffness > 0.0 ? s->contact.stiffness : mass;
    damping = fmax(damping, sqrt(stiffness * mass) * fmax(1.0, 2.0 * s->contact.damping_ratio));
  }
  double noise = damping / epsilon * 0.5 * DBL_EPSILON * v;
  double least = epsilon * noise / (noise_most * force), digit = pow(10.0, floor(log10(least)));
  if (noise > noise_most * force)
    cap_diag_warn(
        diag, "contact.epsilon",
        "%.3g is so small that rounding of the velocities (%.3g m/s) makes forces of about %.2g N, where the "
        "contacts carry %.3g N: no tolerance below %.1g can be met; use an epsilon of %.1g or more, or 0 for "
        "ideal rolling",
        epsilon, v, noise, force, noise / force, ceil(least / digit) * digit);
}

static void check_system(const spec *s, cap_diag *diag)
{
  cap_rolling_start st;
  cap_error error = {0};
  cap_status status = cap_rolling_body_start_find(s, &st, &error);
  const cap_model *m = st.model;
  double *work = status == CAP_OK
                     ? calloc((size_t)(m->nworkspace + m->nstate + m->nideal) + 1, sizeof(double))
                     : NULL;
  if (!work) {
    cap_diag_at(diag, "bodies", "%s", *error.text ? error.text : "out of memory");
  } else {
    double *y = work + m->nworkspace, *lambda = y + m->nstate;
    memcpy(y, m->initial, (size_t)m->nstate * sizeof(double));
    memcpy(y + m->nv, st.nearest, (size_t)m->nv * sizeof(double));
    bool unique = st.nrow == 0 || check_rank(s, &st, y, work, diag);
    check_velocity(s, &st, diag);
    check_epsilon(s, &st, typical_force(s, &st, y, work, unique, lambda), diag);
  }
  free(work);
  cap_rolling_body_start_free(&st);
}

void cap_rolling_body_check(const void *self, cap_diag *diag)
{
  const spec *s = self;
  int before = diag->nerror;
  check_names(s, diag);
  check_hinges(s, diag);
  check_bodies(s, diag);
  check_contact(s, diag);
  if (diag->nerror == before) check_system(s, diag);
}
