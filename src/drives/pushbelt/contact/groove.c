/* drives/pushbelt/contact/groove.c — see groove.h: which elements are near, one evaluation, what it gives
 * back. */
#include "drives/pushbelt/contact/groove_part.h"
#include "drives/pushbelt/description/tuned.h"
#include "drives/pushbelt/impulses/pushbelt_impulses.h"
#include "linalg/dot.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = CAP_GROOVE_NSTATE, LANES = CAP_GROOVE_LANES };

/* ---- the elements near a pulley ------------------------------------------------------------------------ */

/* Squares of the distances of all elements from an axis. */
CAP_CLONES static void distances(int n, double cx, double cy, const double *restrict x,
                                 const double *restrict y, double *restrict square)
{
  for (int i = 0; i < n; i++) {
    const double dx = x[i] - cx, dy = y[i] - cy;
    square[i] = dx * dx + dy * dy;
  }
}

/* How far the centre of an element may be from the axis for a point of its flank to touch. */
static double reach_of(const cap_groove_pass *w)
{
  const cap_groove_pulley *p = w->p;
  double nearer = 0.5 * w->z * (w->z > 0.0 ? p->steep : p->flat);
  return p->rho0 + nearer + hypot(w->g->half, p->up) + w->margin;
}

/* How many of eight are nearer than that. */
CAP_INLINE int count_near(const double *square, double most)
{
  int count = 0;
  for (int l = 0; l < LANES; l++) count += square[l] < most;
  return count;
}

/* The first element from i on that is near, or is not. */
CAP_INLINE int next_of(int i, int n, const double *square, double most, bool near)
{
  while (i < n) {
    if (i + LANES <= n && count_near(square + i, most) == (near ? 0 : LANES)) i += LANES;
    else if ((square[i] < most) == near) return i;
    else i++;
  }
  return n;
}

CAP_CLONES static int list_runs(int n, const double *square, double most, cap_groove_run *runs)
{
  int count = 0;
  for (int i = 0; (i = next_of(i, n, square, most, true)) < n;) {
    int end = next_of(i, n, square, most, false);
    runs[count++] = (cap_groove_run){i, end - i};
    i = end;
  }
  return count;
}

static void find_runs(cap_groove_pass *w, const double *x, const double *y)
{
  double most = reach_of(w), *square = w->ex; /* not in use yet */
  distances(w->g->n, w->p->given->x, w->p->given->y, x, y, square);
  w->nrun = list_runs(w->g->n, square, most * most, w->runs);
  w->n = 0;
  for (int r = 0; r < w->nrun; r++) w->n += w->runs[r].count;
}

/* Up to whole vectors by elements that touch nothing, beyond those that might. */
static void fill_up(cap_groove_pass *w)
{
  double far = reach_of(w) + CAP_TUNED_GROOVE_ASIDE;
  for (; w->n % LANES; w->n++) {
    w->x[w->n] = w->p->given->x + far;
    w->y[w->n] = w->p->given->y;
    w->pitch[w->n] = w->vx[w->n] = w->vy[w->n] = w->turn[w->n] = 0.0;
  }
}

static void take(const cap_groove_pass *w, const double *from, double *to)
{
  for (int r = 0; r < w->nrun; r++) {
    memcpy(to, from + w->runs[r].first, sizeof(double) * (size_t)w->runs[r].count);
    to += w->runs[r].count;
  }
}

static void give_back(const cap_groove_pass *w, const double *from, double *to)
{
  for (int r = 0; r < w->nrun; r++) {
    memcpy(to + w->runs[r].first, from, sizeof(double) * (size_t)w->runs[r].count);
    from += w->runs[r].count;
  }
}

CAP_CLONES static void add_all(int n, const double *restrict from, double *restrict to)
{
  for (int i = 0; i < n; i++) to[i] += from[i];
}

static void add_back(const cap_groove_pass *w, const double *from, double *to)
{
  for (int r = 0; r < w->nrun; r++) {
    add_all(w->runs[r].count, from, to + w->runs[r].first);
    from += w->runs[r].count;
  }
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* Room for whole vectors behind the last. */
static size_t step_of(int n)
{
  return ((size_t)n + 15) / 8 * 8;
}

/* Contacts at most, also of what fills up vectors. */
static int contacts_of(const cap_groove *g)
{
  return g->points * (g->n + LANES);
}

static size_t contact_step(const cap_groove *g)
{
  return step_of((g->points == 2 || g->whole ? 2 : 1) * (g->n + LANES));
}

static size_t solver_room(const cap_groove *g)
{
  size_t most = 0;
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    size_t room = cap_maxwell_room(&g->pulley[p].sheaves, contacts_of(g));
    if (!g->pulley[p].rigid && room > most) most = room;
  }
  return most;
}

size_t cap_groove_room(const cap_groove *g)
{
  size_t runs = step_of((int)sizeof(cap_groove_run) * (g->n + 1) / (int)sizeof(double));
  return CAP_GROOVE_ELEMENT_ARRAYS * step_of(g->n) + CAP_GROOVE_CONTACT_ARRAYS * contact_step(g) + runs +
         solver_room(g);
}

int cap_groove_nwarm(const cap_groove *g)
{
  int most = 0;
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    int n = cap_maxwell_nwarm(&g->pulley[p].sheaves, contacts_of(g));
    if (n > most) most = n;
  }
  return CAP_VARIATOR_PULLEYS * most;
}

void cap_groove_lay(const cap_groove *g, double *block, cap_groove_pass *w)
{
#define PLACE(name) &w->name,
  double **elements[] = {CAP_GROOVE_OF_ELEMENTS(PLACE)}, **contacts[] = {CAP_GROOVE_OF_CONTACTS(PLACE)};
#undef PLACE
  _Static_assert(sizeof elements / sizeof *elements == CAP_GROOVE_ELEMENT_ARRAYS, "arrays of elements");
  _Static_assert(sizeof contacts / sizeof *contacts == CAP_GROOVE_CONTACT_ARRAYS, "arrays of contacts");
  for (int k = 0; k < CAP_GROOVE_ELEMENT_ARRAYS; k++, block += step_of(g->n)) *elements[k] = block;
  for (int k = 0; k < CAP_GROOVE_CONTACT_ARRAYS; k++, block += contact_step(g)) *contacts[k] = block;
  w->g = g;
  w->runs = (cap_groove_run *)(void *)block;
  w->solver = block + step_of((int)sizeof(cap_groove_run) * (g->n + 1) / (int)sizeof(double));
  w->most = contacts_of(g);
}

/* ---- one pulley ---------------------------------------------------------------------------------------- */

/* Deflections that close the groove on the far side: a bound by the amplitudes of before; where none are
 * known, as at rows of results, by far enough. */
static double margin_of(const cap_groove_pass *w)
{
  const cap_groove_pulley *p = w->p;
  double sum = 0.0;
  if (p->rigid) return 1e-6;
  for (int k = 0; !p->table && k < cap_maxwell_nwarm(&p->sheaves, w->most); k++) sum += fabs(w->warm[k]);
  if (sum == 0.0) return CAP_TUNED_GROOVE_FARTHEST;
  double largest = 0.0;
  for (int s = 0; s < CAP_VARIATOR_SHEAVES; s++) {
    const cap_influence *a = &p->sheaves.sheave[s];
    largest += a->tilt * a->outer * a->outer;
    for (int m = 0; m < CAP_INFLUENCE_HARMONICS; m++) largest += a->plate[m];
  }
  return CAP_TUNED_GROOVE_MARGIN + 0.75 * sum * sqrt(largest) * p->steep;
}

/* Places, forces of the potential. x, y, pitch: of all elements. */
static cap_status press(cap_groove_pass *w, int pulley, const double *x, const double *y, const double *pitch)
{
  w->p = &w->g->pulley[pulley];
  if (w->margin < 0.0) w->margin = margin_of(w);
  find_runs(w, x, y);
  take(w, x, w->x);
  take(w, y, w->y);
  take(w, pitch, w->pitch);
  fill_up(w);
  return cap_groove_press(w);
}

/* What an evaluation reads and writes. */
typedef struct job {
  const cap_batch *b;
  const cap_groove *g;
  cap_eval *e;
  const double *v, *x; /* velocities, inner states */
  bool march;
} job;

static double at_or(const double *q, int i)
{
  return i >= 0 ? q[i] : 0.0;
}

static double *states(const job *j, double *x, int s)
{
  return x + j->b->x_adr + s * j->b->n;
}

static void take_states(const job *j, cap_groove_pass *w)
{
  double *to[CAP_GROOVE_BRISTLES] = {w->z0, w->z1, w->z2};
  for (int point = 1; point <= w->g->points; point++) /* of what fills up vectors */
    for (int s = 0; s < CAP_GROOVE_BRISTLES; s++)
      memset(to[s] + point * w->n - LANES, 0, sizeof(double) * LANES * (w->n > 0));
  for (int point = 0; point < w->g->points; point++)
    for (int s = 0; s < CAP_GROOVE_BRISTLES; s++)
      take(w, j->x + j->b->x_adr + (point * CAP_GROOVE_BRISTLES + s) * j->b->n, to[s] + point * w->n);
}

static void keep_states(const job *j, const cap_groove_pass *w)
{
  const double *from[CAP_GROOVE_BRISTLES] = {w->z0, w->z1, w->z2};
  for (int point = 0; point < w->g->points; point++)
    for (int s = 0; s < CAP_GROOVE_BRISTLES; s++)
      give_back(w, from[s] + point * w->n, states(j, j->e->x_march, point * CAP_GROOVE_BRISTLES + s));
}

static void rub(const job *j, cap_groove_pass *w)
{
  const cap_variator *v = j->g->v;
  cap_groove_rub law = cap_groove_rub_law(j->g, j->march ? j->e->march : 0.0);
  take(w, j->v + v->x, w->vx);
  take(w, j->v + v->y, w->vy);
  take(w, j->v + v->pitch, w->turn);
  take_states(j, w);
  law.acts = j->e->held ? 0.0 : 1.0;
  cap_groove_rub_all(&law, w, j->e->force || !j->march);
}

CAP_CLONES static double sum_of(int n, const double *a)
{
  capm_dot_eight sum = {0};
  double rest = 0.0;
  int i = 0;
  for (; i + 8 <= n; i += 8) sum += *(const capm_dot_eight *)(a + i);
  for (; i < n; i++) rest += a[i];
  return capm_dot_sum(&sum) + rest;
}

static void push(const job *j, const cap_groove_pass *w)
{
  const cap_variator *v = j->g->v;
  const cap_variator_pulley *p = w->p->given;
  double *h = j->e->h;
  add_back(w, w->fx, h + v->x);
  add_back(w, w->fy, h + v->y);
  add_back(w, w->moment, h + v->pitch);
  if (p->rotation >= 0) h[p->rotation] += w->on_rotation;
  if (p->closing >= 0) h[p->closing] += w->on_closing;
}

/* Power of friction and dampers as they stand; a clipped damper counts as if it were not. */
static void add_powers(const job *j, const cap_groove_pass *w, double *power)
{
  double damper = j->g->stiffness * j->g->damping, cosine = w->p->cosine;
  for (int i = 0; i < w->m; i++) {
    double axial = j->g->coupled ? w->lambda[i] : 0.5 * (w->lambda[i] + w->other[i]);
    double damped = axial / (w->p->given->curved ? w->nx[i] : cosine) - w->f0[i];
    power[CAP_GROOVE_LOSS_LONGITUDINAL] -= w->f1[i] * w->g1[i];
    power[CAP_GROOVE_LOSS_RADIAL] -= w->f2[i] * w->g2[i];
    power[CAP_GROOVE_LOSS_DRILLING] -= w->f3[i] * (w->turn[i % w->n] - w->omega);
    if (damper > 0.0) power[CAP_GROOVE_LOSS_DAMPING] += 2.0 * damped * damped / damper;
  }
}

/* Lost over the step; without a step the power of friction as it stands. */
static void count_losses(const job *j, const cap_groove_pass *w, int pulley)
{
  int first = j->b->mech_adr + pulley * CAP_GROOVE_NLOSS;
  for (int m = 0; j->e->jump && j->march && j->e->march > 0.0 && m < CAP_GROOVE_NLOSS; m++)
    j->e->jump[first + m] += w->lost[m];
  if (!j->e->power) return;
  memset(j->e->power + first, 0, sizeof(double) * CAP_GROOVE_NLOSS);
  if (!j->march) add_powers(j, w, j->e->power + first);
}

static double normal_of(const cap_groove_pass *w, int i)
{
  return w->f0[i] + (w->m > w->n ? w->f0[w->n + i] : 0.0);
}

/* An element that touches is in the arc; one that does no longer, in the strand behind it. */
CAP_CLONES static void mark_run(int n, double arc, const double *restrict normal, double *restrict section)
{
  for (int k = 0; k < n; k++) {
    const double left = section[k] == arc ? arc + 1.0 : section[k];
    section[k] = normal[k] > 0.0 ? arc : left;
  }
}

static void mark_sections(const cap_groove_pass *w, int pulley, double *section)
{
  int at = 0;
  for (int i = 0; w->m > w->n && i < w->n; i++) w->f0[i] += w->f0[w->n + i]; /* shown before */
  for (int r = 0; r < w->nrun; at += w->runs[r++].count)
    mark_run(w->runs[r].count, 2.0 * pulley, w->f0 + at, section + w->runs[r].first);
}

/* ---- what is shown ------------------------------------------------------------------------------------- */

static double both(const cap_groove_pass *w, const double *a, int i)
{
  return a[i] + (w->m > w->n ? a[w->n + i] : 0.0);
}

static void show_element(const cap_groove_pass *w, int i, int pulley, double *out)
{
  double normal = normal_of(w, i);
  bool rear = w->g->whole && w->ax[i] * w->ey[i] - w->ay[i] * w->ex[i] < 0.0;
  out[CAP_GROOVE_PULLEY] = normal > 0.0 ? pulley : -1.0;
  out[CAP_GROOVE_NORMAL] = normal;
  out[CAP_GROOVE_LONGITUDINAL] = -both(w, w->f1, i);
  out[CAP_GROOVE_RADIAL] = both(w, w->f2, i);
  out[CAP_GROOVE_AXIAL] = -both(w, w->closing, i);
  out[CAP_GROOVE_SLIDE_T] = -w->g1[i];
  out[CAP_GROOVE_SLIDE_G] = w->g2[i];
  out[CAP_GROOVE_RADIUS] = w->reach[i];
  out[CAP_GROOVE_ANGLE] = atan2(w->ey[i], w->ex[i]);
  out[CAP_GROOVE_DRILLING] = both(w, w->f3, i);
  out[CAP_GROOVE_REAR] = w->m > w->n ? w->f0[w->n + i] : rear ? normal : 0.0;
  out[CAP_GROOVE_TORQUE] = both(w, w->torque, i);
}

static void show(const job *j, const cap_groove_pass *w, int pulley)
{
  int at = 0;
  for (int r = 0; r < w->nrun; r++)
    for (int k = w->runs[r].first; k < w->runs[r].first + w->runs[r].count; k++, at++) {
      show_element(w, at, pulley, j->e->force + j->b->output_adr + k * CAP_GROOVE_NOUTPUT);
      j->e->force[j->b->elem_adr + k] = -both(w, w->closing, at);
    }
}

static void show_none(const job *j)
{
  memset(j->e->force + j->b->output_adr, 0, sizeof(double) * CAP_GROOVE_NOUTPUT * (size_t)j->b->n);
  memset(j->e->force + j->b->elem_adr, 0, sizeof(double) * (size_t)j->b->n);
  for (int k = 0; k < j->b->n; k++)
    j->e->force[j->b->output_adr + k * CAP_GROOVE_NOUTPUT + CAP_GROOVE_PULLEY] = -1.0;
}

static void show_sections(const job *j, const double *section)
{
  for (int k = 0; k < j->b->n; k++)
    j->e->force[j->b->output_adr + k * CAP_GROOVE_NOUTPUT + CAP_GROOVE_SECTION] = section[k];
}

/* ---- force element ------------------------------------------------------------------------------------- */

/* No forces, or no memory: what is computed from them is to be seen as wrong. */
static void fail(const cap_batch *b, cap_eval *e, const cap_groove *g)
{
  e->h[g->v->x] = NAN;
  for (int k = 0; e->force && k < b->n; k++) e->force[b->elem_adr + k] = NAN;
}

static void count_solves(cap_eval *e, const cap_groove_pass *w)
{
  int most = CAP_SOLVES_NCOUNT - 1;
  for (int side = 0; side < (w->g->coupled ? 1 : 2); side++)
    e->solves[w->iterations[side] < most ? w->iterations[side] : most]++;
}

static int warm_of_pulley(const cap_groove *g)
{
  return cap_groove_nwarm(g) / CAP_VARIATOR_PULLEYS;
}

/* Where the solution of a pulley starts. What is not to move goes into the pass' own. */
static double *warm_at(const job *j, int pulley, double *own)
{
  int n = warm_of_pulley(j->g);
  double *kept = j->e->warm ? j->e->warm + j->b->warm_adr + pulley * n : NULL;
  if (kept && j->march && j->e->march > 0.0) return kept;
  if (kept) memcpy(own, kept, sizeof(double) * (size_t)n);
  else memset(own, 0, sizeof(double) * (size_t)n);
  return own;
}

static cap_status on_pulley(const job *j, cap_groove_pass *w, int pulley, double *own, double *section)
{
  const cap_variator *v = j->g->v;
  const cap_variator_pulley *p = &v->pulley[pulley];
  const double *q = j->e->q;
  w->warm = warm_at(j, pulley, own);
  w->margin = -1.0;
  w->z = at_or(q, p->closing);
  w->dz = at_or(j->v, p->closing);
  w->omega = -at_or(j->v, p->rotation);
  CAP_TRY(press(w, pulley, q + v->x, q + v->y, q + v->pitch));
  if (j->e->solves && !w->p->rigid) count_solves(j->e, w);
  rub(j, w);
  if (j->g->held && j->e->held) cap_groove_held_rows(w, pulley, j->e->held);
  push(j, w);
  count_losses(j, w, pulley);
  if (j->e->force) show(j, w, pulley);
  if (!j->march || !(j->e->march > 0.0)) return CAP_OK;
  keep_states(j, w);
  mark_sections(w, pulley, section);
  return CAP_OK;
}

static void evaluate(const job *j, cap_groove_pass *w, double *own)
{
  double *section = j->march ? states(j, j->e->x_march, CAP_GROOVE_AT_SECTION) : NULL;
  if (j->e->force) show_none(j);
  if (j->g->held && j->e->held) cap_groove_held_none(j->b->n, j->e->held);
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++)
    if (on_pulley(j, w, p, own, section) != CAP_OK) {
      fail(j->b, j->e, j->g);
      return;
    }
  if (j->e->force) show_sections(j, j->x + j->b->x_adr + CAP_GROOVE_AT_SECTION * j->b->n);
}

static size_t room_of(const cap_groove *g)
{
  return cap_groove_room(g) + (size_t)warm_of_pulley(g);
}

static void rates(const cap_batch *b, cap_eval *e)
{
  job j = {.b = b, .g = b->bodies[0], .e = e, .v = e->v, .x = e->x};
  if (e->x_march) j.v = e->v_half, j.x = e->x_march, j.march = true;
  cap_groove_pass w;
  double *hints = e->hints ? e->hints + b->hint_adr : NULL;
  double *block = hints ? hints : calloc(room_of(j.g), sizeof(double));
  assert(room_of(j.g) <= (size_t)(b->type->nhint + b->n * b->type->nhint_each));
  assert(cap_groove_nwarm(j.g) <= b->type->nwarm + b->n * b->type->nwarm_each);
  for (int k = 0; !e->x_march && k < b->n * STATES; k++) e->xdot[b->x_adr + k] = 0.0;
  if (block) {
    cap_groove_lay(j.g, block, &w);
    evaluate(&j, &w, block + cap_groove_room(j.g));
  } else fail(b, e, j.g);
  if (!hints) free(block);
}

/* Potential of both pulleys; its forces on the sheaves. block: of room_of. */
static cap_status potential(const cap_groove *g, double *block, const double *x, const double *y,
                            const double *pitch, const double *closing, double *energy, double *axial)
{
  cap_groove_pass w;
  cap_groove_lay(g, block, &w);
  w.warm = block + cap_groove_room(g);
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    memset(w.warm, 0, sizeof(double) * (size_t)warm_of_pulley(g));
    w.z = closing[p];
    w.margin = CAP_TUNED_GROOVE_FARTHEST;
    CAP_TRY(press(&w, p, x, y, pitch));
    *energy += cap_groove_press_energy(&w);
    axial[p] = sum_of(w.m, w.lambda);
    if (!g->coupled) axial[p] = 0.5 * (axial[p] + sum_of(w.m, w.other));
  }
  return CAP_OK;
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  const cap_groove *g = b->bodies[0];
  const cap_variator *v = g->v;
  double *block = calloc(room_of(g), sizeof(double)), axial[CAP_VARIATOR_PULLEYS];
  const double closing[] = {at_or(e->q, v->pulley[0].closing), at_or(e->q, v->pulley[1].closing)};
  if (!block ||
      potential(g, block, e->q + v->x, e->q + v->y, e->q + v->pitch, closing, stored, axial) != CAP_OK)
    stored[0] = NAN;
  free(block);
  for (int k = 0; !g->held && k < b->n * CAP_GROOVE_AT_SECTION; k++) {
    double z = e->x[b->x_adr + k];
    stored[0] += 0.5 * g->shear * z * z;
  }
}

cap_status cap_groove_axial(const cap_variator *v, const double *x, const double *y, const double *pitch,
                            const double closing[CAP_VARIATOR_PULLEYS], double force[CAP_VARIATOR_PULLEYS])
{
  cap_groove g;
  double stored = 0.0;
  CAP_TRY(cap_groove_build_make(&g, v, NULL));
  double *block = calloc(room_of(&g), sizeof(double));
  cap_status status = block ? potential(&g, block, x, y, pitch, closing, &stored, force) : CAP_ERR_NOMEM;
  free(block);
  return status;
}

const cap_element_type *cap_groove_type_of(const cap_variator *v)
{
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++)
    for (int s = 0; s < CAP_VARIATOR_SHEAVES; s++)
      if (v->pulley[p].sheave[s].table)
        return v->contact.flank_held ? &cap_groove_held_table_type : &cap_groove_table_type;
  return v->contact.flank_held ? &cap_groove_held_type : &cap_groove_type;
}

int cap_groove_section_at(const cap_variator *v, double x, double y, double near)
{
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    double centre = v->pulley[p].radius - v->element.flank;
    if (hypot(x - v->pulley[p].x, y - v->pulley[p].y) < centre + near) return 2 * p;
  }
  return y > 0.0 ? CAP_VARIATOR_IN_US : CAP_VARIATOR_IN_LS;
}

int cap_groove_sections(const cap_batch *batch)
{
  return batch->x_adr + CAP_GROOVE_AT_SECTION * batch->n;
}

/* Two points: twice the contacts. */
enum {
  ARRAYS = CAP_GROOVE_ELEMENT_ARRAYS + 2 * CAP_GROOVE_CONTACT_ARRAYS + 2,
  EACH = ARRAYS + 2 * (2 + 2 * (2 * CAP_INFLUENCE_FUNCTIONS + 3)),
  EACH_TABLE = ARRAYS + 4 + 6 * (CAP_GROOVE_MOST + 20),
  BASE = 32 * ARRAYS + 4000
};

#define TYPE(name_, doc_, held_, each, warm, warm_each)                                                      \
  {                                                                                                          \
    .name = name_, .doc = doc_, .nstate = STATES, .state_unit = (held_) ? "N" : "m",                         \
    .nmech = CAP_GROOVE_NLOSS,                                                                               \
    .mech_name = {"flank longitudinal", "flank radial", "flank drilling", "flank damping"},                  \
    .noutput = CAP_GROOVE_NOUTPUT, .wide = true, .many = true, .marches = true, .march_only = true,          \
    .impulses = (held_) ? &cap_pushbelt_impulses_type : NULL, .nhint = BASE, .nhint_each = each,             \
    .nwarm = warm, .nwarm_each = warm_each, .rates = rates, .energy = energy,                                \
  }
#define DOC       "flanks of a pushbelt between its sheaves"
#define DOC_TABLE "flanks of a pushbelt between sheaves with tabulated influence numbers"
#define FEW       4 * CAP_INFLUENCE_FUNCTIONS

const cap_element_type cap_groove_type = TYPE("groove", DOC, false, EACH, FEW, 0);
const cap_element_type cap_groove_table_type = TYPE("groove, table", DOC_TABLE, false, EACH_TABLE, 128, 8);
const cap_element_type cap_groove_held_type = TYPE("groove, set-valued", DOC, true, EACH, FEW, 0);
const cap_element_type cap_groove_held_table_type = TYPE("groove, table, set-valued", DOC_TABLE, true,
                                                         EACH_TABLE, 128, 8);
