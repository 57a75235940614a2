/* drives/bodies/rolling/rolling_body_start.c — see rolling_body.h: velocities at the start that roll.
 *
 * Maths: docs/theory.md §21.9. What the user gave (A v = a) is held; what was not given is chosen so that the
 * contacts do not slip (J v = b), as far as that can be, and of all such velocities the one of least kinetic
 * energy is taken. In u = M^(1/2) v with rows of norm one the given rows are orthonormal by construction (no
 * key says twice the same), so that holding them is a projection: u = A' a + N y with N = 1 - A' A and y the
 * least-norm least-squares solution of J N y = b - J A' a. The nearest velocity that rolls is
 * u + J^+ (b - J u).
 */
#include "drives/bodies/rolling/rolling_body.h"
#include "linalg/lsq.h"
#include "linalg/quaternion.h"
#include "model/contacts.h"

#include <math.h>
#include <string.h>

typedef cap_rolling_spec spec;
typedef cap_rolling_body body;
typedef cap_rolling_start start_type;

enum { GIVEN_MOST = 6 }; /* velocities that one body may say */

/* Pieces of rows that are numbers are rounding below this. */
static const double rounding = 1e-12;
/* Singular values below this part of the largest: rows that depend on each other. */
static const double dependent = 1e-9;
/* Part of the largest velocity of a contact's sides: a slip below it is rounding of the input. */
static const double roll_tolerance = 1e-9;

/* ---- what was given ------------------------------------------------------------------------------------ */

static void give(start_type *st, int k, const char *key, int nterm, const int *coord, const double *factor,
                 double value)
{
  cap_rolling_given *g = &st->given[st->ngiven++];
  g->body = k, g->key = key, g->value = value;
  g->row = CAP_ARENA_NEW(&st->arena, double, st->nv);
  for (int i = 0; g->row && i < nterm; i++) g->row[coord[i]] = factor[i];
}

static void give_one(start_type *st, int k, const char *key, int coord, double value)
{
  give(st, k, key, 1, &coord, (const double[]){1.0}, value);
}

static void give_rate(start_type *st, int k, const char *key, int coord, const cap_rolling_rate *rate)
{
  if (rate->given) give_one(st, k, key, coord, rate->value);
}

/* The angular velocity of a disc in its own axes, spin angle zero:
 * line of nodes, uphill in its plane, axis. */
static void give_disc(start_type *st, const spec *s, const body *p, int k, int first)
{
  double turn = p->turn.value, spin = p->spin.value;
  if (p->circle_given) cap_rolling_body_start_steady(s, p, &turn, &spin);
  else if (!p->turn.given && !p->spin.given && !p->tilt_rate.given) return;
  const char *key = p->circle_given ? "circle"
                    : p->turn.given ? "heading_rate"
                    : p->spin.given ? "spin"
                                    : "tilt_rate";
  give_one(st, k, key, first + 3, p->tilt_rate.value);
  give_one(st, k, key, first + 4, turn * sin(p->tilt));
  give_one(st, k, key, first + 5, turn * cos(p->tilt) + spin);
}

static void give_body(start_type *st, const spec *s, const body *p, int k, int first)
{
  int plane[2] = {first, first + 1};
  double along[2] = {cos(p->heading), sin(p->heading)};
  give_rate(st, k, "vx", first, &p->vx);
  give_rate(st, k, "vy", first + 1, &p->vy);
  if (p->speed.given) give(st, k, "speed", 2, plane, along, p->speed.value);
  if (p->kind == CAP_ROLLING_DISC || p->kind == CAP_ROLLING_BALL) give_rate(st, k, "vz", first + 2, &p->vz);
  if (p->kind == CAP_ROLLING_DISC) {
    give_disc(st, s, p, k, first);
  } else if (p->kind == CAP_ROLLING_BALL) { /* body axes are those of the world at the start */
    give_rate(st, k, "wx", first + 3, &p->wx);
    give_rate(st, k, "wy", first + 4, &p->wy);
    give_rate(st, k, "wz", first + 5, &p->wz);
  } else {
    give_rate(st, k, "heading_rate", first + 2, &p->turn);
    give_rate(st, k, "spin", first + 3, &p->spin);
  }
}

void cap_rolling_body_start_steady(const spec *s, const body *disc, double *turn, double *spin)
{
  double m = disc->mass, r = disc->radius, I = cap_rolling_body_build_inertia(disc);
  double lever = (cap_rolling_body_build_inertia_axis(disc) / r + m * r) * disc->circle;
  double c = fabs(cos(disc->tilt)),
         square = m * s->ground.gravity * r * c / (sin(disc->tilt) * (lever + I * c));
  double about = disc->circle / r; /* |w3| over the precession; it leans towards the circle's centre */
  *turn = c > 0.0 ? sqrt(square) : 0.0;
  *spin = *turn * ((cos(disc->tilt) < 0.0 ? about : -about) - cos(disc->tilt));
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static cap_status rigid_model(const spec *s, cap_model **model, cap_error *error)
{
  cap_builder *b = cap_builder_create(1);
  if (!b) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = cap_rolling_body_build_system(s, true, false, NULL, b, error);
  if (status == CAP_OK) status = cap_builder_finish(b, model, error);
  cap_builder_free(b);
  return status;
}

/* J and b at the start, where v = 0. */
static void look(start_type *st)
{
  const cap_model *m = st->model;
  const double *y = m->initial;
  cap_eval e = {
      .nlane = 1, .t = &m->t0, .q = y, .v = y + m->nv, .x = y + 2 * m->nv, .rows = st->J, .slip = st->b};
  cap_contacts_look(m, &e);
  for (int r = 0; r < st->nrow; r++) st->b[r] = -st->b[r];
}

static double dot(int n, const double *a, const double *b)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* out := row M^(-1/2), to norm one; returns the norm (1 for a row of zeros). */
static double scaled_row(const cap_model *m, const double *row, double *out)
{
  for (int i = 0; i < m->nv; i++) out[i] = row[i] / sqrt(m->mass[i]);
  double norm = sqrt(dot(m->nv, out, out));
  if (!(norm > 0.0)) return 1.0;
  for (int i = 0; i < m->nv; i++) out[i] /= norm;
  return norm;
}

/* ---- the solution -------------------------------------------------------------------------------------- */

typedef struct scaled {
  int n, nrow, ngiven;
  double *J, *b, *A, *a; /* rows of norm one */
  double *JN, *miss, *y;
} scaled;

static cap_status scale(start_type *st, scaled *z, cap_error *error)
{
  cap_arena *arena = &st->arena;
  int n = st->nv;
  *z = (scaled){.n = n, .nrow = st->nrow, .ngiven = st->ngiven};
  z->J = CAP_ARENA_NEW(arena, double, n * z->nrow + 1);
  z->JN = CAP_ARENA_NEW(arena, double, n * z->nrow + 1);
  z->A = CAP_ARENA_NEW(arena, double, n * z->ngiven + 1);
  z->b = CAP_ARENA_NEW(arena, double, z->nrow + 1);
  z->a = CAP_ARENA_NEW(arena, double, z->ngiven + 1);
  z->miss = CAP_ARENA_NEW(arena, double, z->nrow + 1);
  z->y = CAP_ARENA_NEW(arena, double, n);
  if (!z->J || !z->JN || !z->A || !z->b || !z->a || !z->miss || !z->y)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int r = 0; r < z->nrow; r++) z->b[r] = st->b[r] / scaled_row(st->model, st->J + r * n, z->J + r * n);
  for (int g = 0; g < z->ngiven; g++)
    z->a[g] = st->given[g].value / scaled_row(st->model, st->given[g].row, z->A + g * n);
  return CAP_OK;
}

/* Rows of J without their part along the given rows; what is then left is rounding or more. */
static void free_part(scaled *z)
{
  int n = z->n;
  memcpy(z->JN, z->J, (size_t)(n * z->nrow) * sizeof(double));
  for (int r = 0; r < z->nrow; r++) {
    double *row = z->JN + r * n;
    for (int g = 0; g < z->ngiven; g++) {
      double part = dot(n, row, z->A + g * n);
      for (int i = 0; i < n; i++) row[i] -= part * z->A[g * n + i];
    }
    for (int i = 0; i < n; i++)
      if (fabs(row[i]) < rounding) row[i] = 0.0;
  }
}

/* u += least-norm solution of `rows` y = b - J u; twice, so that only rounding is left. */
static cap_status correct(scaled *z, const double *rows, double *u)
{
  for (int pass = 0; pass < 2 && z->nrow > 0; pass++) {
    for (int r = 0; r < z->nrow; r++) z->miss[r] = z->b[r] - dot(z->n, z->J + r * z->n, u);
    CAP_TRY(capm_lsq_least_norm(z->nrow, z->n, rows, z->miss, dependent, 0, z->y, NULL));
    for (int i = 0; i < z->n; i++) u[i] += z->y[i];
  }
  return CAP_OK;
}

static cap_status solve(start_type *st, scaled *z)
{
  int n = z->n;
  const double *mass = st->model->mass;
  for (int g = 0; g < z->ngiven; g++)
    for (int i = 0; i < n; i++) st->v[i] += z->a[g] * z->A[g * n + i];
  free_part(z);
  CAP_TRY(correct(z, z->JN, st->v));
  memcpy(st->nearest, st->v, (size_t)n * sizeof(double));
  CAP_TRY(correct(z, z->J, st->nearest));
  for (int i = 0; i < n; i++) {
    st->v[i] /= sqrt(mass[i]);
    st->nearest[i] /= sqrt(mass[i]);
  }
  for (int r = 0; r < st->nrow; r++) st->slip[r] = dot(n, st->J + r * n, st->v) - st->b[r];
  return CAP_OK;
}

static cap_status collect(const spec *s, start_type *st, cap_error *error)
{
  const body *bodies = s->bodies.items;
  int n = st->nv = st->model->nv, r = st->nrow = st->model->nideal;
  st->v = CAP_ARENA_NEW(&st->arena, double, n);
  st->nearest = CAP_ARENA_NEW(&st->arena, double, n);
  st->J = CAP_ARENA_NEW(&st->arena, double, (n * r + 1));
  st->b = CAP_ARENA_NEW(&st->arena, double, r + 1);
  st->slip = CAP_ARENA_NEW(&st->arena, double, r + 1);
  st->given = CAP_ARENA_NEW(&st->arena, cap_rolling_given, GIVEN_MOST * s->bodies.n);
  if (!st->v || !st->nearest || !st->J || !st->b || !st->slip || !st->given)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  look(st);
  for (int k = 0, first = 0; k < s->bodies.n; first += cap_rolling_body_build_coords(&bodies[k++]))
    give_body(st, s, &bodies[k], k, first);
  for (int g = 0; g < st->ngiven; g++)
    if (!st->given[g].row) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  return CAP_OK;
}

cap_status cap_rolling_body_start_find(const spec *s, start_type *st, cap_error *error)
{
  scaled z;
  *st = (start_type){0};
  CAP_TRY(rigid_model(s, &st->model, error));
  CAP_TRY(collect(s, st, error));
  CAP_TRY(scale(st, &z, error));
  cap_status status = solve(st, &z);
  if (status != CAP_OK)
    return cap_status_fail(error, status, "initial velocities: %s", cap_status_text(status));
  return CAP_OK;
}

double cap_rolling_body_start_mobility(const start_type *st, int row)
{
  const double *J = st->J + row * st->nv;
  double sum = 0.0;
  for (int i = 0; i < st->nv; i++) sum += J[i] * J[i] / st->model->mass[i];
  return sum;
}

double cap_rolling_body_start_speed(const start_type *st)
{
  const double *mass = st->model->mass;
  double energy2 = 0.0, most = 0.0;
  for (int i = 0; i < st->nv; i++) energy2 += mass[i] * st->v[i] * st->v[i];
  for (int r = 0; r < st->nrow; r++)
    most = fmax(most, fabs(st->b[r]) + sqrt(cap_rolling_body_start_mobility(st, r) * energy2));
  return most;
}

int cap_rolling_body_start_slipping(const start_type *st)
{
  int row = 0;
  for (int r = 1; r < st->nrow; r++)
    if (fabs(st->slip[r]) > fabs(st->slip[row])) row = r;
  bool slips = st->nrow > 0 && fabs(st->slip[row]) > roll_tolerance * cap_rolling_body_start_speed(st);
  return slips ? row : -1;
}

void cap_rolling_body_start_free(start_type *st)
{
  cap_model_free(st->model);
  cap_arena_free(&st->arena);
  *st = (start_type){0};
}
