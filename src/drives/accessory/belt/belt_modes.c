/* drives/accessory/belt/belt_modes.c — see belt_modes.h.
 *
 * The matrices are assembled whole. The eigenproblem falls into blocks: pulleys, arm, hubs and the spans that
 * end on one of these; and every other span alone. Each block is brought to its modes without transport and
 * damping first (symmetric), so that the general problem left is skew-symmetric but for the damping, and the
 * rigid mode is known by itself.
 */
#include "drives/accessory/belt/belt_modes.h"

#include "drives/accessory/belt/belt_shape.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* A set of unknowns that vibrate together, with room for its eigenproblem. */
typedef struct block {
  int n, rigid; /* rigid: index of the rigid mode; -1: none */
  int *index;   /* [n] of its unknowns */
  double *M, *K, *C, *values, *vectors, *C_modal, *A, *wr, *wi, *z;
} block;

/* The modes found so far, unsorted. */
typedef struct found {
  double frequency, ratio;
  int slot; /* row of re and im */
} found;

static int after(const cap_belt *belt, int i)
{
  return i + 1 < belt->npulley ? i + 1 : 0;
}

static int arm_of(const cap_belt *belt)
{
  return belt->npulley;
}

static int sine_of(const cap_belt_modes_case *c, int span)
{
  return c->belt->npulley + 1 + span * c->terms;
}

/* Shafts behind clutches stand behind the spans, in the order of their pulleys. */
static int first_shaft(const cap_belt_modes_case *c)
{
  return sine_of(c, c->belt->npulley);
}

static bool has_shaft(const cap_belt_pulley *p)
{
  return p->clutch.stiffness > 0.0;
}

static int count_shafts(const cap_belt *belt)
{
  int n = 0;
  for (int i = 0; i < belt->npulley; i++) n += has_shaft(&belt->pulleys[i]);
  return n;
}

/* First of the coordinates of a pulley's hub; of the last + 1: the number of all unknowns. */
static int hub_of(const cap_belt_modes_case *c, int pulley)
{
  int at = first_shaft(c) + count_shafts(c->belt);
  for (int i = 0; i < pulley; i++)
    if (c->belt->pulleys[i].hub) at += c->belt->pulleys[i].hub->n;
  return at;
}

static void add(double *a, int n, int i, int j, double value)
{
  a[i * n + j] += value;
}

/* ---- matrices ------------------------------------------------------------------------------------------ */

/* A coordinate that moves the centre of a pulley at an end of a span, by the way dc for each unit of it. */
typedef struct mover {
  int who;
  double along; /* lengthening of the span */
  double b[2];  /* transverse displacement of its ends (26.2) */
} mover;

enum { MOVERS = 6 }; /* tensioner or two of a hub, at either end */

static void add_mover(const cap_belt_path_span *span, int end, int who, const double dc[2], int *n,
                      mover movers[MOVERS])
{
  mover m = {.who = who};
  m.along = (end ? 1.0 : -1.0) * (dc[0] * span->u[0] + dc[1] * span->u[1]);
  m.b[end] = dc[1] * span->u[0] - dc[0] * span->u[1];
  movers[(*n)++] = m;
}

/* All that move the ends of a span. */
static int movers_of(const cap_belt_modes_case *c, int span, mover movers[MOVERS])
{
  int n = 0, ends[2] = {span, after(c->belt, span)};
  for (int end = 0; end < 2; end++) {
    const cap_belt_pulley *p = &c->belt->pulleys[ends[end]];
    const cap_belt_path_span *s = &c->path->span[span];
    double way[2];
    if (p->on_arm) add_mover(s, end, arm_of(c->belt), c->path->pulley[ends[end]].dcentre, &n, movers);
    for (int k = 0; p->hub && k < (p->hub->straight ? 1 : 2); k++) {
      cap_belt_hub_way(p->hub, k, way);
      add_mover(s, end, hub_of(c, ends[end]) + k, way, &n, movers);
    }
  }
  return n;
}

/* The span as a spring between its pulleys (26.3). */
static void add_spring(const cap_belt_modes_case *c, cap_belt_modes *m, int span, int nmover,
                       const mover *movers)
{
  const cap_belt *belt = c->belt;
  int next = after(belt, span), n = 2, who[2 + MOVERS] = {span, next};
  double by[2 + MOVERS] = {-belt->pulleys[span].radius, belt->pulleys[next].radius};
  for (int i = 0; i < nmover; i++) {
    who[n] = movers[i].who;
    by[n++] = movers[i].along;
  }
  double k = belt->EA / c->path->span[span].length;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      add(m->K, m->n, who[i], who[j], k * (by[i] * by[j]));
      add(m->D, m->n, who[i], who[j], k * belt->damping * (by[i] * by[j]));
    }
}

/* What a straight span that swings with its ends has: energies (26.4) of two coordinates, and at constant
 * tension the work of its swing. */
static void add_swing(const cap_belt_modes_case *c, cap_belt_modes *m, int span, const mover *p,
                      const mover *q)
{
  double L = c->path->span[span].length, mass = c->terms > 0 ? c->belt->mass : 0.0;
  const double *a = p->b, *b = q->b;
  add(m->M, m->n, p->who, q->who,
      mass * L / 6.0 * (2.0 * a[0] * b[0] + a[0] * b[1] + a[1] * b[0] + 2.0 * a[1] * b[1]));
  add(m->G, m->n, p->who, q->who, mass * c->speed * (a[0] * b[1] - a[1] * b[0]));
  if (!c->no_geometric) add(m->K, m->n, p->who, q->who, c->tension[span] * (a[1] - a[0]) * (b[1] - b[0]) / L);
}

/* Kinetic and potential energy of the transverse motion (26.5) to (26.8). */
static void add_string(const cap_belt_modes_case *c, cap_belt_modes *m, int span, int nmover,
                       const mover *movers)
{
  const cap_belt *belt = c->belt;
  int n = m->n, first = sine_of(c, span);
  double L = c->path->span[span].length, mass = belt->mass, flow = mass * c->speed;
  cap_belt_shape shape[CAP_BELT_MODES_TERMS];
  for (int k = 0; k < c->terms; k++)
    shape[k] = cap_belt_shape_of(k + 1, L, c->tension[span], belt->EI, c->clamped);
  for (int k = 0; k < c->terms; k++) {
    int i = first + k;
    add(m->M, n, i, i, mass * shape[k].mass);
    add(m->K, n, i, i, shape[k].stiffness);
    for (int a = 0; a < nmover; a++) {
      const double *b = movers[a].b;
      int who = movers[a].who;
      double coupling = mass * (b[0] * (shape[k].sum - shape[k].moment) + b[1] * shape[k].moment);
      double drag = -2.0 * flow * (b[1] - b[0]) / L * shape[k].sum;
      add(m->M, n, i, who, coupling);
      add(m->M, n, who, i, coupling);
      add(m->G, n, who, i, drag);
      add(m->G, n, i, who, -drag);
    }
    for (int l = 0; l < c->terms; l++)
      add(m->G, n, i, first + l, 2.0 * flow * cap_belt_shape_flow(&shape[k], &shape[l]));
  }
}

/* The shaft behind the engaged clutch of pulley i, with the slope of its load. */
static void add_shaft(const cap_belt_modes_case *c, cap_belt_modes *m, int i, int shaft)
{
  const cap_belt_clutch *clutch = &c->belt->pulleys[i].clutch;
  int who[2] = {i, shaft};
  add(m->M, m->n, shaft, shaft, clutch->inertia);
  add(m->D, m->n, shaft, shaft, c->slope[i]);
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) {
      add(m->K, m->n, who[a], who[b], a == b ? clutch->stiffness : -clutch->stiffness);
      add(m->D, m->n, who[a], who[b], a == b ? clutch->damping : -clutch->damping);
    }
}

static void add_hub(const cap_belt_modes_case *c, cap_belt_modes *m, int pulley)
{
  const cap_belt_hub *hub = c->belt->pulleys[pulley].hub;
  int first = hub_of(c, pulley);
  for (int i = 0; i < hub->n; i++) {
    add(m->M, m->n, first + i, first + i, hub->mass[i]);
    for (int j = 0; j < hub->n; j++) {
      add(m->K, m->n, first + i, first + j, hub->K[i][j]);
      add(m->D, m->n, first + i, first + j, hub->C[i][j]);
    }
  }
}

/* Of the arm's geometric stiffness the part that the curvature of its path has. */
static double curvature(const cap_belt_modes_case *c, int span)
{
  const cap_belt_path_span *s = &c->path->span[span];
  const double *from = c->path->pulley[span].ddcentre, *to = c->path->pulley[after(c->belt, span)].ddcentre;
  return (to[0] - from[0]) * s->u[0] + (to[1] - from[1]) * s->u[1];
}

static void assemble(const cap_belt_modes_case *c, cap_belt_modes *m)
{
  const cap_belt *belt = c->belt;
  int n = m->n, arm = arm_of(belt), shaft = first_shaft(c);
  for (int i = 0; i < belt->npulley; i++) {
    mover movers[MOVERS];
    int nmover = movers_of(c, i, movers);
    add(m->M, n, i, i, belt->pulleys[i].inertia);
    if (has_shaft(&belt->pulleys[i])) add_shaft(c, m, i, shaft++);
    else add(m->D, n, i, i, c->slope[i]);
    add_spring(c, m, i, nmover, movers);
    for (int a = 0; a < nmover; a++)
      for (int b = 0; b < nmover; b++) add_swing(c, m, i, &movers[a], &movers[b]);
    if (c->terms > 0) add_string(c, m, i, nmover, movers);
    if (belt->pulleys[i].hub) add_hub(c, m, i);
    if (!c->no_geometric) add(m->K, n, arm, arm, c->tension[i] * curvature(c, i));
  }
  add(m->M, n, arm, arm, cap_belt_arm_inertia(belt));
  add(m->D, n, arm, arm, belt->arm.damping);
  add(m->K, n, arm, arm, belt->arm.rate + belt->arm.oil);
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

static bool moves(const cap_belt_pulley *p)
{
  return p->on_arm || p->hub;
}

static bool ends_on_mover(const cap_belt *belt, int span)
{
  return moves(&belt->pulleys[span]) || moves(&belt->pulleys[after(belt, span)]);
}

static void add_sines(const cap_belt_modes_case *c, block *b, int span)
{
  for (int k = 0; k < c->terms; k++) b->index[b->n++] = sine_of(c, span) + k;
}

static void first_block(const cap_belt_modes_case *c, block *b)
{
  const cap_belt *belt = c->belt;
  b->n = 0;
  for (int i = 0; i < belt->npulley; i++)
    if (!c->held || i != belt->crank) b->index[b->n++] = i;
  if (cap_belt_has_arm(belt)) b->index[b->n++] = arm_of(belt);
  for (int k = 0; k < belt->npulley; k++)
    if (ends_on_mover(belt, k)) add_sines(c, b, k);
  for (int k = 0; k < count_shafts(belt); k++) b->index[b->n++] = first_shaft(c) + k;
  for (int i = 0; i < belt->npulley; i++) {
    const cap_belt_hub *hub = belt->pulleys[i].hub;
    for (int k = 0; hub && k < hub->n; k++)
      if (k != 1 || !hub->straight) b->index[b->n++] = hub_of(c, i) + k;
  }
}

static cap_status create_block(block *b, int n, cap_arena *arena)
{
  int nn = n * n;
  b->index = CAP_ARENA_NEW(arena, int, n);
  b->M = CAP_ARENA_NEW(arena, double, nn);
  b->K = CAP_ARENA_NEW(arena, double, nn);
  b->C = CAP_ARENA_NEW(arena, double, nn);
  b->C_modal = CAP_ARENA_NEW(arena, double, nn);
  b->vectors = CAP_ARENA_NEW(arena, double, nn);
  b->values = CAP_ARENA_NEW(arena, double, n);
  b->A = CAP_ARENA_NEW(arena, double, 4 * nn);
  b->z = CAP_ARENA_NEW(arena, double, 4 * nn);
  b->wr = CAP_ARENA_NEW(arena, double, 2 * n);
  b->wi = CAP_ARENA_NEW(arena, double, 2 * n);
  bool all = b->index && b->M && b->K && b->C && b->C_modal && b->vectors && b->values && b->A && b->z;
  return all && b->wr && b->wi ? CAP_OK : CAP_ERR_NOMEM;
}

static void gather(const cap_belt_modes *m, block *b)
{
  for (int i = 0; i < b->n; i++)
    for (int j = 0; j < b->n; j++) {
      int from = b->index[i] * m->n + b->index[j], to = i * b->n + j;
      b->M[to] = m->M[from];
      b->K[to] = m->K[from];
      b->C[to] = m->G[from] + m->D[from];
    }
}

/* C_modal = vectors^T C vectors; A lends the room between. */
static void project(block *b)
{
  int n = b->n;
  memset(b->A, 0, (size_t)(n * n) * sizeof(double));
  memset(b->C_modal, 0, (size_t)(n * n) * sizeof(double));
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      if (b->C[i * n + k] != 0.0)
        for (int j = 0; j < n; j++) b->A[i * n + j] += b->C[i * n + k] * b->vectors[k * n + j];
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) b->C_modal[i * n + j] += b->vectors[k * n + i] * b->A[k * n + j];
}

/* Place of the scaled deflection of mode j in the first-order state: the rigid mode has none. */
static int place_of(const block *b, int j)
{
  return b->rigid < 0 || j < b->rigid ? j : j - 1;
}

static int deflections(const block *b)
{
  return b->n - (b->rigid >= 0);
}

/* First-order form (26.11) of the block in its modes without transport. */
static int fill_first_order(block *b)
{
  int n = b->n, nz = deflections(b), size = nz + n;
  memset(b->A, 0, (size_t)(size * size) * sizeof(double));
  for (int j = 0; j < n; j++) {
    double w = sqrt(fabs(b->values[j])), back = b->values[j] < 0.0 ? w : -w;
    if (j != b->rigid) {
      b->A[place_of(b, j) * size + nz + j] = w;
      b->A[(nz + j) * size + place_of(b, j)] = back;
    }
    for (int k = 0; k < n; k++) b->A[(nz + j) * size + nz + k] = -b->C_modal[j * n + k];
  }
  return size;
}

static void find_rigid(block *b)
{
  b->rigid = 0;
  for (int j = 1; j < b->n; j++)
    if (fabs(b->values[j]) < fabs(b->values[b->rigid])) b->rigid = j;
  b->values[b->rigid] = 0.0;
}

/* ---- shapes -------------------------------------------------------------------------------------------- */

/* Add the modal amplitude y of mode j of the block to a shape. */
static void add_modal(const block *b, int j, double y_re, double y_im, double *re, double *im)
{
  for (int i = 0; i < b->n; i++) {
    re[b->index[i]] += b->vectors[i * b->n + j] * y_re;
    im[b->index[i]] += b->vectors[i * b->n + j] * y_im;
  }
}

/* Shape of eigenvalue pair (e, e + 1): velocities divided by the eigenvalue. */
static void shape_of(const block *b, int size, int e, double *re, double *im)
{
  double wr = b->wr[e], wi = b->wi[e], norm = wr * wr + wi * wi;
  int nz = deflections(b);
  for (int j = 0; j < b->n; j++) {
    const double *p = &b->z[(nz + j) * size + e];
    add_modal(b, j, (p[0] * wr + p[1] * wi) / norm, (p[1] * wr - p[0] * wi) / norm, re, im);
  }
}

/* Unit sum of masses times amplitudes squared, real where that is largest. */
static void normalise(const cap_belt_modes *m, double *re, double *im)
{
  double total = 0.0, most = 0.0, turn[2] = {1.0, 0.0};
  for (int i = 0; i < m->n; i++) {
    double part = m->M[i * m->n + i] * (re[i] * re[i] + im[i] * im[i]), size = hypot(re[i], im[i]);
    total += part;
    if (part <= most) continue;
    most = part;
    turn[0] = re[i] / size;
    turn[1] = im[i] / size;
  }
  for (int i = 0; i < m->n; i++) {
    double x = re[i] / sqrt(total), y = im[i] / sqrt(total);
    re[i] = x * turn[0] + y * turn[1];
    im[i] = y * turn[0] - x * turn[1];
  }
}

static int part_of(const cap_belt_modes_case *c, int unknown)
{
  int arm = arm_of(c->belt);
  if (unknown >= hub_of(c, 0)) return CAP_BELT_MODES_SPANS + c->belt->npulley;
  if (unknown < arm || unknown >= first_shaft(c)) return CAP_BELT_MODES_PULLEYS;
  return unknown == arm ? CAP_BELT_MODES_ARM : CAP_BELT_MODES_SPANS + (unknown - arm - 1) / c->terms;
}

static void share_out(const cap_belt_modes_case *c, const cap_belt_modes *m, const double *re,
                      const double *im, double *share)
{
  for (int i = 0; i < m->n; i++) share[part_of(c, i)] += m->M[i * m->n + i] * (re[i] * re[i] + im[i] * im[i]);
}

/* ---- solution ------------------------------------------------------------------------------------------ */

typedef struct work {
  block block;
  found *found;
  double *re, *im; /* [][n] shapes in the order found */
} work;

static void keep(cap_belt_modes *m, work *w, double frequency, double ratio)
{
  w->found[m->nmode] = (found){frequency, ratio, m->nmode};
  normalise(m, w->re + m->nmode * m->n, w->im + m->nmode * m->n);
  m->nmode++;
}

static cap_status solve_block(cap_belt_modes *m, work *w, bool rigid, cap_error *error)
{
  block *b = &w->block;
  if (!b->n) return CAP_OK;
  gather(m, b);
  cap_status status = capm_eigen_symmetric(b->n, b->K, b->M, b->values, b->vectors);
  if (status != CAP_OK) return cap_status_fail(error, status, "the modes of the belt could not be computed");
  b->rigid = -1;
  if (rigid) find_rigid(b);
  project(b);
  int size = fill_first_order(b);
  status = capm_eigen_general(size, b->A, b->wr, b->wi, b->z, NULL);
  if (status != CAP_OK) return cap_status_fail(error, status, "the modes of the belt could not be computed");
  if (rigid) {
    add_modal(b, b->rigid, 1.0, 0.0, w->re + m->nmode * m->n, w->im + m->nmode * m->n);
    keep(m, w, 0.0, 0.0);
  }
  for (int e = 0; e < size; e++) {
    if (b->wr[e] > m->growth) m->growth = b->wr[e];
    if (b->wi[e] <= 0.0) continue;
    shape_of(b, size, e, w->re + m->nmode * m->n, w->im + m->nmode * m->n);
    keep(m, w, b->wi[e] / (2.0 * PI), -b->wr[e] / hypot(b->wr[e], b->wi[e]));
  }
  return CAP_OK;
}

static int compare(const void *a, const void *b)
{
  const found *x = a, *y = b;
  if (x->frequency != y->frequency) return x->frequency < y->frequency ? -1 : 1;
  return x->slot - y->slot;
}

static void sort_out(const cap_belt_modes_case *c, cap_belt_modes *m, work *w)
{
  size_t row = (size_t)m->n * sizeof(double);
  qsort(w->found, (size_t)m->nmode, sizeof *w->found, compare);
  for (int k = 0; k < m->nmode; k++) {
    const found *f = &w->found[k];
    m->frequency[k] = f->frequency;
    m->ratio[k] = f->ratio;
    memcpy(m->re + k * m->n, w->re + f->slot * m->n, row);
    memcpy(m->im + k * m->n, w->im + f->slot * m->n, row);
    share_out(c, m, m->re + k * m->n, m->im + k * m->n, m->share + k * m->npart);
  }
}

static cap_status create(cap_belt_modes *m, work *w)
{
  int n = m->n, nn = n * n, most = n + 1;
  m->M = CAP_ARENA_NEW(&m->arena, double, nn);
  m->G = CAP_ARENA_NEW(&m->arena, double, nn);
  m->D = CAP_ARENA_NEW(&m->arena, double, nn);
  m->K = CAP_ARENA_NEW(&m->arena, double, nn);
  m->frequency = CAP_ARENA_NEW(&m->arena, double, most);
  m->ratio = CAP_ARENA_NEW(&m->arena, double, most);
  m->share = CAP_ARENA_NEW(&m->arena, double, most * m->npart);
  m->re = CAP_ARENA_NEW(&m->arena, double, (most * n));
  m->im = CAP_ARENA_NEW(&m->arena, double, (most * n));
  w->found = CAP_ARENA_NEW(&m->arena, found, most);
  w->re = CAP_ARENA_NEW(&m->arena, double, (most * n));
  w->im = CAP_ARENA_NEW(&m->arena, double, (most * n));
  bool all = m->M && m->G && m->D && m->K && m->frequency && m->ratio && m->share && m->re && m->im;
  if (!all || !w->found || !w->re || !w->im) return CAP_ERR_NOMEM;
  return create_block(&w->block, n, &m->arena);
}

static cap_status check(const cap_belt_modes_case *c, cap_error *error)
{
  const cap_belt *belt = c->belt;
  if (c->terms < 0 || c->terms > CAP_BELT_MODES_TERMS)
    return cap_status_fail(error, CAP_ERR_INPUT, "expected 0 to %d sine terms per span, got %d",
                           CAP_BELT_MODES_TERMS, c->terms);
  if (c->terms > 0 && !(belt->mass > 0.0))
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "a massless belt has no span vibration; expected a mass per length above 0, or 0 sine terms");
  for (int i = 0; i < belt->npulley; i++) {
    const cap_belt_pulley *p = &belt->pulleys[i];
    if (!(p->inertia > 0.0) && !(c->held && i == belt->crank))
      return cap_status_fail(error, CAP_ERR_INPUT,
                             "the modes of pulley '%s' are undefined; expected a moment of inertia above 0",
                             p->name);
    if (!(c->tension[i] > 0.0))
      return cap_status_fail(
          error, CAP_ERR_INPUT,
          "the span after pulley '%s' is slack; expected an effective tension above 0 for span vibration",
          p->name);
    if (p->on_arm && !(cap_belt_arm_inertia(belt) > 0.0) && c->terms == 0)
      return cap_status_fail(
          error, CAP_ERR_INPUT,
          "the modes of the %s with pulley '%s' are undefined; expected an inertia above 0",
          cap_belt_words_of(&belt->arm)->part, p->name);
  }
  return CAP_OK;
}

int cap_belt_modes_unknowns(const cap_belt *belt, int terms)
{
  const cap_belt_modes_case c = {.belt = belt, .terms = terms};
  return hub_of(&c, belt->npulley);
}

int cap_belt_modes_parts(const cap_belt *belt)
{
  return CAP_BELT_MODES_SPANS + belt->npulley + cap_belt_has_hubs(belt);
}

cap_belt_modes_case cap_belt_modes_about(const cap_belt *belt, const cap_belt_statics *s, int terms)
{
  cap_belt_modes_case c = {.belt = belt, .path = &s->path, .speed = s->belt_speed, .terms = terms};
  for (int i = 0; i < s->n; i++) {
    c.tension[i] = s->spans[i].effective;
    c.slope[i] = cap_belt_torque_slope(&belt->pulleys[i].load, s->pulleys[i].speed);
  }
  return c;
}

cap_status cap_belt_modes_solve(const cap_belt_modes_case *c, cap_belt_modes *modes, cap_error *error)
{
  const cap_belt *belt = c->belt;
  work w = {0};
  *modes = (cap_belt_modes){.growth = -INFINITY};
  CAP_TRY(check(c, error));
  modes->n = cap_belt_modes_unknowns(belt, c->terms);
  modes->npart = cap_belt_modes_parts(belt);
  if (create(modes, &w) != CAP_OK) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  assemble(c, modes);
  first_block(c, &w.block);
  CAP_TRY(solve_block(modes, &w, !c->held, error));
  for (int k = 0; k < belt->npulley; k++) {
    if (ends_on_mover(belt, k)) continue;
    w.block.n = 0;
    add_sines(c, &w.block, k);
    CAP_TRY(solve_block(modes, &w, false, error));
  }
  sort_out(c, modes, &w);
  return CAP_OK;
}

void cap_belt_modes_free(cap_belt_modes *modes)
{
  if (!modes) return;
  cap_arena_free(&modes->arena);
  *modes = (cap_belt_modes){0};
}
