/* drives/accessory/accessory_drive_hub.c — pulleys on compliant hubs: keys, what is wrong with them, the hub
 * of drives/accessory/belt/belt.h, its coordinates and element.
 *
 * Maths: docs/theory.md §30.3. A hub is given by its stiffness, or by the modes of the structure with the
 * pulley on it. n modes with unit modal masses xi move the centre by S xi, S = [shape/sqrt(mass)] (2 x n).
 * The axes e1, e2 of S S^T = E diag(sigma^2) E^T and the vectors v_a = S^T e_a/sigma_a, completed to an
 * orthonormal basis V, give coordinates p = V^T xi whose mass matrix is 1, of which w_a = sigma_a p_a (a = 1,
 * 2) move the centre along e_a and the others do not.
 */
#include "drives/accessory/accessory_drive.h"
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef cap_accessory_pulley pulley;
typedef cap_accessory_mode mode;

#define POSITIVE .low = 0, .low_open = true, .high = INFINITY

static const cap_field mode_fields[] = {{.key = "frequency",
                                         .kind = CAP_FIELD_REAL,
                                         .offset = offsetof(mode, frequency),
                                         .unit = "Hz",
                                         POSITIVE,
                                         .required = true,
                                         .example = "180 Hz",
                                         .doc = "undamped natural frequency"},
                                        {.key = "damping_ratio",
                                         .kind = CAP_FIELD_REAL,
                                         .offset = offsetof(mode, ratio),
                                         .unit = "",
                                         .low = 0,
                                         .high = 1,
                                         .fallback = "0",
                                         .example = "0.02",
                                         .was = "ratio",
                                         .doc = "damping ratio"},
                                        {.key = "shape",
                                         .kind = CAP_FIELD_REALS,
                                         .offset = offsetof(mode, shape),
                                         .unit = "",
                                         .required = true,
                                         .least = 2,
                                         .most = 2,
                                         .example = "[1, 0.2]",
                                         .doc = "mode shape: x, y of the pulley's centre"},
                                        {.key = "mass",
                                         .kind = CAP_FIELD_REAL,
                                         .offset = offsetof(mode, mass),
                                         .unit = "kg",
                                         POSITIVE,
                                         .required = true,
                                         .example = "3.5 kg",
                                         .doc = "modal mass, for the shape as scaled"},
                                        {0}};

#define HUB(member) (offsetof(pulley, hub.member) - offsetof(pulley, hub))

const cap_field cap_accessory_drive_hub_fields[] = {
    {.key = "stiffness",
     .kind = CAP_FIELD_REALS,
     .offset = HUB(stiffness),
     .unit = "N/m",
     .least = 2,
     .most = 3,
     .example = "[8 kN/mm, 5 kN/mm]",
     .doc = "support stiffness kx, ky or kxx, kxy, kyy; alternatively specify modes"},
    {.key = "damping",
     .kind = CAP_FIELD_REALS,
     .offset = HUB(damping),
     .unit = "N s/m",
     .least = 2,
     .most = 3,
     .example = "[150 N s/m, 150 N s/m]",
     .doc = "support damping cx, cy or cxx, cxy, cyy; default: none"},
    {.key = "mass",
     .kind = CAP_FIELD_REAL,
     .offset = HUB(mass),
     .unit = "kg",
     .low = 0,
     .high = INFINITY,
     .fallback = "0 kg",
     .example = "4 kg",
     .doc = "mass that moves with the centre, in addition to the pulley's own mass"},
    {.key = "modes",
     .kind = CAP_FIELD_LIST,
     .offset = HUB(modes),
     .fields = mode_fields,
     .item_size = sizeof(mode),
     .most = CAP_BELT_HUB_MOST - 1,
     .example = "[{frequency: 180 Hz, damping_ratio: 0.02, shape: [1, 0.2], mass: 3.5 kg}]",
     .doc = "modes of the structure including the pulley, instead of stiffness, damping and mass"},
    {0}};

/* ---- findings ------------------------------------------------------------------------------------------ */

/* xx, xy, yy of two or three numbers; all 0 of none. */
static void matrix_of(const cap_reals *given, double a[3])
{
  a[0] = given->n ? given->v[0] : 0.0;
  a[1] = given->n == 3 ? given->v[1] : 0.0;
  a[2] = given->n ? given->v[given->n - 1] : 0.0;
}

static void check_modes(const pulley *p, const char *path, cap_diag *diag)
{
  const mode *modes = p->hub.modes.items;
  char key[200];
  bool moves = false;
  for (int k = 0; k < p->hub.modes.n; k++)
    moves = moves || modes[k].shape.v[0] != 0.0 || modes[k].shape.v[1] != 0.0;
  snprintf(key, sizeof key, "%s.modes", path);
  if (!moves)
    cap_diag_at(diag, key, "expected a mode whose shape moves the pulley's centre, got only [0, 0]");
  snprintf(key, sizeof key, "%s.damping", path);
  if (p->hub.damping.n)
    cap_diag_at(diag, key, "conflicts with modes; specify the damping with ratio of each mode");
  snprintf(key, sizeof key, "%s.mass", path);
  if (p->hub.mass > 0.0)
    cap_diag_at(diag, key, "conflicts with modes; specify the mass with mass of each mode");
}

static void check_stiffness(const pulley *p, const char *path, cap_diag *diag)
{
  char key[200];
  double k[3], c[3];
  matrix_of(&p->hub.stiffness, k);
  matrix_of(&p->hub.damping, c);
  snprintf(key, sizeof key, "%s.stiffness", path);
  if (!(k[0] > 0.0 && k[2] > 0.0 && k[0] * k[2] > k[1] * k[1]))
    cap_diag_at(
        diag, key,
        "expected a positive definite stiffness (kxx > 0, kxx kyy > kxy^2), got kxx %s, kxy %s, kyy %s",
        cap_diag_quantity(diag, key, k[0], "N/m"), cap_diag_quantity(diag, key, k[1], "N/m"),
        cap_diag_quantity(diag, key, k[2], "N/m"));
  snprintf(key, sizeof key, "%s.damping", path);
  if (!(c[0] >= 0.0 && c[2] >= 0.0 && c[0] * c[2] >= c[1] * c[1]))
    cap_diag_at(diag, key,
                "expected a damping that dissipates in every direction (cxx >= 0, cxx cyy >= cxy^2), got cxx "
                "%s, cxy %s, cyy %s",
                cap_diag_quantity(diag, key, c[0], "N s/m"), cap_diag_quantity(diag, key, c[1], "N s/m"),
                cap_diag_quantity(diag, key, c[2], "N s/m"));
  snprintf(key, sizeof key, "%s.mass", path);
  if (!(p->hub.mass + p->mass > 0.0))
    cap_diag_at(diag, key, "expected a mass above 0 of the hub or of the pulley, got 0 kg");
}

void cap_accessory_drive_hub_check(const cap_accessory_spec *s, int k, cap_diag *diag)
{
  const pulley *p = (const pulley *)s->pulleys.items + k;
  char path[100];
  if (!p->hub_given) return;
  snprintf(path, sizeof path, "pulleys[%d].hub", k);
  if (p->on) cap_diag_at(diag, path, "expected no hub for a pulley on the tensioner; remove hub");
  if ((p->hub.stiffness.n > 0) == (p->hub.modes.n > 0))
    cap_diag_at(diag, path, "expected one of stiffness and modes, got %s",
                p->hub.modes.n ? "both" : "neither");
  else if (p->hub.modes.n) check_modes(p, path, diag);
  else check_stiffness(p, path, diag);
}

/* ---- the hub ------------------------------------------------------------------------------------------- */

static void fill_stiffness(const pulley *p, cap_belt_hub *hub)
{
  double k[3], c[3];
  matrix_of(&p->hub.stiffness, k);
  matrix_of(&p->hub.damping, c);
  hub->n = 2;
  for (int i = 0; i < 2; i++) {
    hub->mass[i] = p->hub.mass + p->mass;
    for (int j = 0; j < 2; j++) hub->K[i][j] = k[i + j], hub->C[i][j] = c[i + j];
  }
}

/* Modes as they become coordinates: row i of V is coordinate i over the modes of unit mass,
 * times its size. */
typedef struct basis {
  int n; /* modes */
  const mode *modes;
  double S[2][CAP_BELT_HUB_MOST];
  double V[CAP_BELT_HUB_MOST][CAP_BELT_HUB_MOST];
  double size[CAP_BELT_HUB_MOST]; /* sigma of the first two; 1 */
} basis;

static double dot(int n, const double *a, const double *b)
{
  double sum = 0.0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

static void take_modes(const pulley *p, basis *w)
{
  w->n = p->hub.modes.n;
  w->modes = p->hub.modes.items;
  for (int k = 0; k < w->n; k++)
    for (int a = 0; a < 2; a++) w->S[a][k] = w->modes[k].shape.v[a] / sqrt(w->modes[k].mass);
}

/* The axis of S S^T that is nearest to x. */
static void find_axis(const basis *w, double axis[2])
{
  double xx = dot(w->n, w->S[0], w->S[0]), xy = dot(w->n, w->S[0], w->S[1]), yy = dot(w->n, w->S[1], w->S[1]);
  double angle = 0.5 * atan2(2.0 * xy, xx - yy);
  if (angle > 0.25 * M_PI) angle -= 0.5 * M_PI;
  if (angle <= -0.25 * M_PI) angle += 0.5 * M_PI;
  axis[0] = cos(angle);
  axis[1] = sin(angle);
}

/* The row of the coordinate along axis a. */
static void project(basis *w, const cap_belt_hub *hub, int a)
{
  double way[2];
  cap_belt_hub_way(hub, a, way);
  for (int k = 0; k < w->n; k++) w->V[a][k] = way[0] * w->S[0][k] + way[1] * w->S[1][k];
  w->size[a] = sqrt(dot(w->n, w->V[a], w->V[a]));
}

/* The first two coordinates; one alone when all shapes point along one line, which is then the axis. */
static void take_axes(basis *w, cap_belt_hub *hub)
{
  find_axis(w, hub->axis);
  for (int a = 0; a < 2; a++) project(w, hub, a);
  if (w->size[0] <= w->size[1] * 1e-9) {
    double turned[2] = {-hub->axis[1], hub->axis[0]};
    memcpy(hub->axis, turned, sizeof turned);
    for (int a = 0; a < 2; a++) project(w, hub, a);
  }
  hub->straight = w->size[1] <= w->size[0] * 1e-9;
  hub->n = hub->straight ? w->n + 1 : w->n;
  for (int a = 0; a < 2; a++)
    for (int k = 0; k < w->n; k++) w->V[a][k] = a && hub->straight ? 0.0 : w->V[a][k] / w->size[a];
}

/* What a vector has that rows 0 to `rows` - 1 do not, made a unit vector in `out`; its length before. */
static double rest_of(const basis *w, int rows, int unit, double *out)
{
  double a[CAP_BELT_HUB_MOST] = {0};
  a[unit] = 1.0;
  for (int turn = 0; turn < 2; turn++) /* twice: as orthogonal as rounding allows */
    for (int r = 0; r < rows; r++) {
      double part = dot(w->n, a, w->V[r]);
      for (int k = 0; k < w->n; k++) a[k] -= part * w->V[r][k];
    }
  double left = sqrt(dot(w->n, a, a));
  for (int k = 0; k < w->n; k++) out[k] = left > 0.0 ? a[k] / left : 0.0;
  return left;
}

/* The other coordinates complete the basis: of the modes' own directions always the one that
 * is missing most. */
static void complete(basis *w, int ncoord)
{
  for (int next = 2; next < ncoord; next++) {
    double best = -1.0, row[CAP_BELT_HUB_MOST] = {0};
    for (int unit = 0; unit < w->n; unit++) {
      double left = rest_of(w, next, unit, row);
      if (left <= best) continue;
      best = left;
      memcpy(w->V[next], row, sizeof row);
    }
    w->size[next] = 1.0;
  }
}

static void fill_modes(const pulley *p, cap_belt_hub *hub)
{
  basis w = {0};
  take_modes(p, &w);
  take_axes(&w, hub);
  complete(&w, hub->n);
  if (hub->straight) w.size[1] = 1.0; /* its row is empty */
  for (int i = 0; i < hub->n; i++) {
    hub->mass[i] = 1.0 / (w.size[i] * w.size[i]);
    for (int j = 0; j < hub->n; j++)
      for (int k = 0; k < w.n; k++) {
        double omega = 2.0 * M_PI * w.modes[k].frequency,
               both = w.V[i][k] * w.V[j][k] / (w.size[i] * w.size[j]);
        hub->K[i][j] += both * omega * omega;
        hub->C[i][j] += both * 2.0 * w.modes[k].ratio * omega;
      }
  }
}

cap_status cap_accessory_drive_hub_fill(const pulley *p, cap_arena *arena, cap_belt_pulley *out)
{
  out->hub = NULL;
  if (!p->hub_given) return CAP_OK;
  cap_belt_hub *hub = CAP_ARENA_NEW(arena, cap_belt_hub, 1);
  if (!hub) return CAP_ERR_NOMEM;
  *hub = (cap_belt_hub){.axis = {1.0, 0.0}, .coordinate = -1};
  if (p->hub.modes.n) fill_modes(p, hub);
  else fill_stiffness(p, hub);
  out->hub = hub;
  return CAP_OK;
}

double cap_accessory_drive_hub_shift(cap_belt *belt, const cap_belt_path *path, double tension)
{
  double most = 0.0;
  for (int i = 0; i < belt->npulley; i++) {
    cap_belt_pulley *p = &belt->pulleys[i];
    const double *in = path->span[i ? i - 1 : belt->npulley - 1].u, *out = path->span[i].u;
    double w[CAP_BELT_HUB_MOST], shift[2];
    if (!p->hub ||
        !cap_belt_hub_settle(p->hub, tension * (out[0] - in[0]), tension * (out[1] - in[1]), w, shift))
      continue;
    most = fmax(most, hypot(shift[0] - p->shift_x, shift[1] - p->shift_y));
    p->shift_x = shift[0];
    p->shift_y = shift[1];
  }
  return most;
}

/* ---- in the system ------------------------------------------------------------------------------------- */

void cap_accessory_drive_hub_coordinates(cap_accessory_parts *w)
{
  for (int k = 0; k < w->belt->npulley; k++) {
    const cap_belt_pulley *p = &w->belt->pulleys[k];
    cap_belt_hub *hub = p->hub;
    double start[CAP_BELT_HUB_MOST], shift[2];
    if (!hub) continue;
    cap_belt_hub_settle(hub, w->start->pulleys[k].hub_x, w->start->pulleys[k].hub_y, start, shift);
    for (int i = 0; i < hub->n; i++) {
      char name[160], number[16];
      snprintf(number, sizeof number, "%d", i + 1);
      bool plain = i < 2 && hub->axis[1] == 0.0;
      snprintf(name, sizeof name, "%s.hub_%s", p->name, !plain ? number : i == 0 ? "x" : "y");
      cap_motion rest = {0};
      int at = i == 1 && hub->straight ? cap_builder_driven(w->b, name, "m", &rest)
                                       : cap_builder_dof(w->b, name, "m", hub->mass[i], start[i], 0.0);
      if (i == 0) hub->coordinate = at;
    }
  }
}

void cap_accessory_drive_hub_build(cap_accessory_parts *w)
{
  for (int k = 0; k < w->belt->npulley; k++) {
    const cap_belt_pulley *p = &w->belt->pulleys[k];
    double par[CAP_HUB_NPARAM];
    char name[160];
    if (!p->hub) continue;
    cap_hub_params(p->hub, par);
    snprintf(name, sizeof name, "pulley.%s.hub", p->name);
    cap_builder_element(w->b, &cap_hub_type, name, p->hub->coordinate, CAP_GROUND, par, NULL);
    for (int a = 0; a < 2; a++) {
      cap_term shift[2];
      for (int i = 0; i < 2; i++) {
        double way[2];
        cap_belt_hub_way(p->hub, i, way);
        shift[i] = (cap_term){CAP_TERM_Q, p->hub->coordinate + i, way[a]};
      }
      cap_accessory_drive_parts_channel(w, "pulley", p->name, a ? "shift_y" : "shift_x", "m",
                                        a ? "hub displacement along y of" : "hub displacement along x of", 2,
                                        shift);
      cap_builder_film_member(w->b);
    }
  }
}
