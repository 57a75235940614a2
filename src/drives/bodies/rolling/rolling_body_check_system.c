/* drives/bodies/rolling/rolling_body_check_system.c — see rolling_body.h: the rigid system is built and
 * looked at.
 *
 * Rows that depend on each other, velocities that do not roll, an epsilon below what rounding allows.
 */
#include "drives/bodies/rolling/rolling_body.h"
#include "linalg/lsq.h"
#include "model/constraints.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef cap_rolling_spec spec;
typedef cap_rolling_body body;

/* Part of the contact's force that rounding may make: the usual tolerance. */
static const double noise_most = 1e-8;

/* Path of the key that makes the contact of a row: "bodies[0].planar.blades[2]". */
static void row_path(const spec *s, const char *row, char path[CAP_ROLLING_PATH])
{
  const body *bodies = s->bodies.items;
  const cap_rolling_hinge *hinges = s->hinges.items;
  size_t length = strcspn(row, ".");
  char name[CAP_ROLLING_PATH], key[40];
  snprintf(path, CAP_ROLLING_PATH, "bodies");
  for (int h = 0; h < s->hinges.n; h++)
    if (strlen(hinges[h].name) == length && memcmp(hinges[h].name, row, length) == 0)
      snprintf(path, CAP_ROLLING_PATH, "hinges[%d]", h);
  for (int k = 0; k < s->bodies.n; k++) {
    if (strlen(bodies[k].name) != length || memcmp(bodies[k].name, row, length) != 0) continue;
    cap_rolling_body_check_path(s, k, "", path);
    for (int i = 0; i < bodies[k].blades.n; i++) {
      cap_rolling_body_check_blade(&bodies[k], i, name);
      if (strncmp(row + length + 1, name, strlen(name)) != 0 || row[length + 1 + strlen(name)] != '.')
        continue;
      snprintf(key, sizeof key, "blades[%d]", i);
      cap_rolling_body_check_path(s, k, key, path);
    }
  }
}

/* Names of the rows on which row `last` depends: those with a part in its representation by
 * the rows before. */
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
  char path[CAP_ROLLING_PATH], partners[400];
  const char *name = m->row_name[m->ideal_row[row]];
  name_partners(st, row, partners, sizeof partners);
  row_path(s, name, path);
  if (ideal)
    cap_diag_at(diag, path,
                "redundant constraint: the forces of ideal contacts are not unique; expected independent "
                "rows, got %s, which depends on %s; remove one of them, or set contact.epsilon above 0 for "
                "contacts that share the load",
                name, *partners ? partners : "the other rows");
  else
    cap_diag_at(diag, "contact.start",
                "the ideal forces are not unique; expected independent rows, got %s, which depends on %s; "
                "set start: unloaded, or remove one of them",
                name, *partners ? partners : "the other rows");
  return false;
}

/* The velocities of body k in `v`, in the words of its keys. */
static void tell_velocity(const spec *s, int k, const double *v, char *text, size_t size)
{
  static const char *const planar[] = {"vx", "vy", "heading_rate", "spin"};
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
  char path[CAP_ROLLING_PATH], nearest[300];
  if (!given) return;
  cap_rolling_body_check_path(s, given->body, given->key, path);
  tell_velocity(s, given->body, st->nearest, nearest, sizeof nearest);
  if (ideal)
    cap_diag_at(diag, path,
                "the initial velocities do not roll; expected a slip of 0 m/s at %s, got %.6g m/s; set "
                "start_velocity: project, or for \"%s\" the nearest velocity that rolls: %s",
                name, st->slip[row], ((const body *)s->bodies.items)[given->body].name, nearest);
  else
    cap_diag_warn(
        diag, path,
        "the contact starts with a slip; expected 0 m/s at %s, got %.6g m/s, which decays within about %.3g "
        "s; set start_velocity: project to start at the nearest velocity that rolls (%s)",
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
    double mass = 1.0 / cap_rolling_body_start_mobility(st, r),
           stiffness = s->contact.stiffness > 0.0 ? s->contact.stiffness : mass;
    damping = fmax(damping, sqrt(stiffness * mass) * fmax(1.0, 2.0 * s->contact.damping_ratio));
  }
  double noise = damping / epsilon * 0.5 * DBL_EPSILON * v;
  double least = epsilon * noise / (noise_most * force), digit = pow(10.0, floor(log10(least)));
  if (noise > noise_most * force)
    cap_diag_warn(diag, "contact.epsilon",
                  "%.3g is too small: rounding of the velocities (%.3g m/s) causes forces of about %.2g N, "
                  "compared with contact forces of %.3g N, so no tolerance below %.1g can be met; expected "
                  "at least %.1g, or 0 for ideal rolling",
                  epsilon, v, noise, force, noise / force, ceil(least / digit) * digit);
}

/* Masses and lengths whose products leave the range of numbers. */
static bool check_sizes(const spec *s, const cap_rolling_start *st, cap_diag *diag)
{
  for (int r = 0; r < st->nrow; r++) {
    double mass = 1.0 / cap_rolling_body_start_mobility(st, r);
    if (mass > 1e-200 && mass < 1e200) continue;
    char path[CAP_ROLLING_PATH];
    row_path(s, st->model->row_name[st->model->ideal_row[r]], path);
    cap_diag_at(diag, path,
                "masses or lengths out of range; expected an effective mass of the row %s of 1e-200 kg to "
                "1e200 kg, got %.3g kg",
                st->model->row_name[st->model->ideal_row[r]], fabs(mass));
    return false;
  }
  return true;
}

static void check_start(const spec *s, const cap_rolling_start *st, double *work, cap_diag *diag)
{
  const cap_model *m = st->model;
  double *y = work + m->nworkspace, *lambda = y + m->nstate;
  memcpy(y, m->initial, (size_t)m->nstate * sizeof(double));
  memcpy(y + m->nv, st->nearest, (size_t)m->nv * sizeof(double));
  bool unique = st->nrow == 0 || check_rank(s, st, y, work, diag);
  check_velocity(s, st, diag);
  check_epsilon(s, st, typical_force(s, st, y, work, unique, lambda), diag);
}

void cap_rolling_body_check_system(const spec *s, cap_diag *diag)
{
  cap_rolling_start st;
  cap_error error = {0};
  cap_status status = cap_rolling_body_start_find(s, &st, &error);
  const cap_model *m = st.model;
  double *work = NULL;
  bool sound = !st.b || check_sizes(s, &st, diag);
  if (status == CAP_OK) work = calloc((size_t)(m->nworkspace + m->nstate + m->nideal) + 1, sizeof(double));
  if (sound && work) check_start(s, &st, work, diag);
  else if (sound) cap_diag_at(diag, "bodies", "%s", *error.text ? error.text : "out of memory");
  free(work);
  cap_rolling_body_start_free(&st);
}
