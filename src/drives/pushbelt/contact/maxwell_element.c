/* drives/pushbelt/contact/maxwell_element.c — see maxwell_element.h. */
#include "drives/pushbelt/contact/maxwell_element.h"
#include "linalg/spline.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the elements on their way ------------------------------------------------------------------------- */

/* Arrays of one evaluation, in one block. */
typedef struct pass {
  const cap_maxwell *sheaves;
  const cap_maxwell_course *course;
  int n;
  double t, z;
  double *phi, *r, *dr, *overlap, *part, *compliance; /* [n]; dr: m/s; part: overlap of one problem */
  double *force[2], *deflection[2], *scratch[2];      /* [n] */
  double *memory;                                     /* of the solver */
  cap_maxwell_contacts contacts;
  cap_maxwell_result result;
} pass;

enum {
  ARRAYS = 12,
  ROOM_FUNCTIONS = ARRAYS + 2 + 2 * (2 * CAP_INFLUENCE_FUNCTIONS + 3),
  ROOM_FUNCTIONS_BASE = 1200
};
enum { ROOM_FULL = ARRAYS + 6 * (CAP_MAXWELL_ELEMENT_MOST + 10), ROOM_FULL_BASE = 200 };

/* Radius at the angle theta from the entry, and its derivative; beyond the arc that of the straight line
 * which goes on from its end. */
static double radius_at(const cap_maxwell_course *c, double theta, double *slope)
{
  double beyond = theta < 0.0 ? theta : theta > c->wrap ? theta - c->wrap : 0.0, inside = theta - beyond;
  double r = capm_spline_at(c->npoint, c->at, c->r, c->slopes, inside, slope, NULL);
  if (beyond == 0.0) return r;
  double k = *slope / r, cosine = cos(beyond), sine = sin(beyond), per = 1.0 / (cosine - k * sine);
  *slope = r * (sine + k * cosine) * per * per;
  return r * per;
}

static void place_elements(pass *w)
{
  const cap_maxwell_course *c = w->course;
  double loop = w->n * c->pitch, shift = c->speed * w->t;
  for (int k = 0; k < w->n; k++) {
    double way = k * c->pitch + shift, theta = way - loop * floor(way / loop) - c->margin, slope;
    w->phi[k] = theta - 0.5 * c->wrap;
    w->r[k] = radius_at(c, theta, &slope);
    w->dr[k] = slope * c->speed;
    w->overlap[k] = w->z + 2.0 * c->slope * (c->reference - w->r[k]);
    w->part[k] = w->sheaves->coupled ? w->overlap[k] : 0.5 * w->overlap[k];
    w->compliance[k] = w->sheaves->coupled ? 2.0 * c->compliance : c->compliance;
  }
}

static size_t room_of(const cap_maxwell *sheaves, int n)
{
  return ARRAYS * (size_t)n + cap_maxwell_room(sheaves, n);
}

static void lay_arrays(pass *w, double *block)
{
  double **arrays[ARRAYS] = {&w->phi,           &w->r,          &w->dr,
                             &w->overlap,       &w->part,       &w->compliance,
                             &w->force[0],      &w->force[1],   &w->deflection[0],
                             &w->deflection[1], &w->scratch[0], &w->scratch[1]};
  for (int k = 0; k < ARRAYS; k++) *arrays[k] = block + (size_t)k * (size_t)w->n;
  w->memory = block + ARRAYS * (size_t)w->n;
}

static cap_status solve(pass *w, bool deflections)
{
  place_elements(w);
  w->contacts = (cap_maxwell_contacts){
      .n = w->n, .r = w->r, .phi = w->phi, .compliance = w->compliance, .penetration = {w->part, w->part}};
  w->result = (cap_maxwell_result){.force = {w->force[0], w->force[1]}};
  if (deflections) w->result.deflection[0] = w->deflection[0], w->result.deflection[1] = w->deflection[1];
  return cap_maxwell_solve(w->sheaves, &w->contacts, w->n, w->memory, &w->result);
}

/* Force on the coordinate z: half of an element's overlap is that of each flank. */
static double push_of(const pass *w, int k)
{
  return w->sheaves->coupled ? w->force[0][k] : 0.5 * (w->force[0][k] + w->force[1][k]);
}

static double push_all(const pass *w)
{
  double sum = 0.0;
  for (int k = 0; k < w->n; k++) sum += push_of(w, k);
  return sum;
}

/* ---- force element ------------------------------------------------------------------------------------- */

/* d(push)/dz with the flanks that touch. */
static double stiffness_of(pass *w)
{
  double sum = 0.0, part = w->sheaves->coupled ? 1.0 : 0.5;
  for (int k = 0; k < w->n; k++) w->dr[k] = part; /* dr is not needed any more */
  const double *const along[2] = {w->dr, w->dr};
  double *const changes[2] = {w->scratch[0], w->scratch[1]};
  if (!cap_maxwell_tangent(w->sheaves, &w->contacts, w->n, w->memory, along, changes)) return 0.0;
  for (int k = 0; k < w->n; k++)
    sum += w->sheaves->coupled ? changes[0][k] : 0.5 * (changes[0][k] + changes[1][k]);
  return sum;
}

/* (33.10): power with which the prescribed motion feeds flanks and sheaves. Turning as a whole costs nothing;
 * only where the radius changes is there any. */
static double motion_power(pass *w)
{
  double sum = 0.0;
  for (int i = 0; i < w->n; i++) sum -= 2.0 * w->course->slope * w->dr[i] * push_of(w, i);
  return sum - cap_maxwell_slide(w->sheaves, &w->contacts, w->n, w->memory, &w->result, w->dr);
}

static void show(const cap_batch *b, cap_eval *e, const pass *w)
{
  int iterations = w->result.iterations[0] > w->result.iterations[1] ? w->result.iterations[0]
                                                                     : w->result.iterations[1];
  for (int k = 0; k < w->n; k++) {
    double *out = e->force + b->output_adr + k * CAP_MAXWELL_ELEMENT_NOUTPUT;
    e->force[b->elem_adr + k] = push_of(w, k);
    out[CAP_MAXWELL_ELEMENT_LOOSE] = w->force[0][k];
    out[CAP_MAXWELL_ELEMENT_FIXED] = w->force[1][k];
    out[CAP_MAXWELL_ELEMENT_ANGLE] = w->phi[k] + 0.5 * w->course->wrap;
    out[CAP_MAXWELL_ELEMENT_RADIUS] = w->r[k];
    out[CAP_MAXWELL_ELEMENT_OVERLAP] = w->overlap[k];
    out[CAP_MAXWELL_ELEMENT_DEFLECTION] = w->deflection[0][k] + w->deflection[1][k];
    out[CAP_MAXWELL_ELEMENT_ITERATIONS] = iterations ? iterations : w->result.pivots;
  }
}

/* No forces, or no memory: what is computed from them is to be seen as wrong. */
static void fail(const cap_batch *b, cap_eval *e)
{
  e->h[b->i[0]] = NAN;
  for (int k = 0; e->force && k < b->n; k++) e->force[b->elem_adr + k] = NAN;
  for (int k = 0; e->force && k < b->n * CAP_MAXWELL_ELEMENT_NOUTPUT; k++) e->force[b->output_adr + k] = NAN;
}

static void count_solves(cap_eval *e, const pass *w)
{
  if (!e->solves || w->sheaves->form == CAP_MAXWELL_LEMKE) return;
  for (int side = 0; side < (w->sheaves->coupled ? 1 : 2); side++) {
    int most = CAP_SOLVES_NCOUNT - 1, iterations = w->result.iterations[side];
    e->solves[iterations < most ? iterations : most]++;
  }
}

static void evaluate(const cap_batch *b, cap_eval *e, pass *w)
{
  int i = b->i[0];
  double cold[2 * CAP_MAXWELL_ELEMENT_MOST] = {0};
  double *warm = e->warm ? e->warm + b->warm_adr : cold;
  w->t = *e->t, w->z = e->q[i];
  cap_maxwell_warm(w->sheaves, w->n, w->memory, warm);
  if (solve(w, e->force != NULL) != CAP_OK) {
    fail(b, e);
    return;
  }
  if (e->warm) cap_maxwell_keep(w->sheaves, w->n, w->memory, warm);
  count_solves(e, w);
  double push = push_all(w);
  e->h[i] -= push;
  if (e->force) show(b, e, w);
  if (e->power) e->power[b->mech_adr] = motion_power(w);
  if (e->ncol == 0) return;
  double stiffness = stiffness_of(w);
  for (int c = 0; c < e->ncol; c++) e->dh[i * e->ncol + c] -= stiffness * e->dq[i * e->ncol + c];
}

/* The pass of a batch in `block`, or in memory of its own where there is none. NULL: out of memory. */
static double *start(const cap_batch *b, double *block, pass *w)
{
  const cap_maxwell_pulley *pulley = b->bodies[0];
  w->sheaves = &pulley->sheaves, w->course = &pulley->course;
  w->n = b->n;
  assert(room_of(w->sheaves, b->n) <= (size_t)(b->type->nhint + b->n * b->type->nhint_each));
  assert(cap_maxwell_nwarm(w->sheaves, b->n) <= b->type->nwarm + b->n * b->type->nwarm_each);
  if (!block) block = calloc(room_of(w->sheaves, b->n), sizeof(double));
  if (block) lay_arrays(w, block);
  return block;
}

static void rates(const cap_batch *b, cap_eval *e)
{
  pass w = {0};
  double *hints = e->hints ? e->hints + b->hint_adr : NULL, *block = start(b, hints, &w);
  if (!block) fail(b, e);
  else evaluate(b, e, &w);
  if (!hints) free(block);
}

/* Half of force times overlap: what flanks and sheaves store together. */
static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  pass w = {0};
  double *block = start(b, NULL, &w);
  w.t = *e->t, w.z = e->q[b->i[0]];
  if (!block || solve(&w, false) != CAP_OK) stored[0] = NAN;
  else
    for (int k = 0; k < w.n; k++) stored[0] += 0.5 * push_of(&w, k) * w.overlap[k];
  free(block);
}

double cap_maxwell_element_force(const cap_maxwell_pulley *pulley, int count, double t, double z)
{
  pass w = {.sheaves = &pulley->sheaves, .course = &pulley->course, .n = count, .t = t, .z = z};
  double *block = calloc(room_of(w.sheaves, count), sizeof(double)), sum = NAN;
  if (!block) return NAN;
  lay_arrays(&w, block);
  if (solve(&w, false) == CAP_OK) sum = push_all(&w);
  free(block);
  return sum;
}

#define TYPE(name_, doc_, base, each, warm, warm_each)                                                       \
  {                                                                                                          \
    .name = name_, .doc = doc_, .nmech = 1, .mech_name = {"motion"}, .mech_input = {true},                   \
    .noutput = CAP_MAXWELL_ELEMENT_NOUTPUT, .wide = true, .many = true, .nhint = base, .nhint_each = each,   \
    .nwarm = warm, .nwarm_each = warm_each, .rates = rates, .energy = energy,                                \
  }

const cap_element_type cap_maxwell_element_type = TYPE(
    "flanks", "flanks between sheaves with influence functions", ROOM_FUNCTIONS_BASE, ROOM_FUNCTIONS,
    2 * CAP_INFLUENCE_FUNCTIONS, 0);
const cap_element_type cap_maxwell_element_full_type = TYPE(
    "flanks, full", "flanks between sheaves with tabulated influence numbers", ROOM_FULL_BASE, ROOM_FULL, 0,
    2);
