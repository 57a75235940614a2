/* drives/pushbelt/impulses/pushbelt_impulses.c — see pushbelt_impulses.h.
 *
 * The solver (leaves.h) sees impulses in N s about lambda_ of the step before, larger by 1/gain than the
 * forces times the step (step/staggered_held.c).
 */
#include "drives/pushbelt/impulses/pushbelt_impulses.h"
#include "base/clones.h"
#include "drives/pushbelt/contact/groove.h"
#include "drives/pushbelt/contact/ring_guide.h"
#include "drives/pushbelt/description/tuned.h"
#include "drives/pushbelt/description/variator.h"
#include "drives/pushbelt/impulses/held.h"
#include "drives/pushbelt/impulses/leaves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = CAP_HELD_ROWS, RING = CAP_HELD_RING_ROWS, FLANK = CAP_HELD_FLANK, LINK = CAP_RING_CROWD_ROW };
_Static_assert((int)CAP_HELD_FLANK == (int)CAP_LEAVES_FLANK, "rows of both");
_Static_assert((int)CAP_HELD_ROWS == (int)CAP_LEAVES_ROWS, "rows of both");

static const double gain = CAP_TUNED_GAIN, tolerance = CAP_TUNED_ROW_TOLERANCE, near = CAP_TUNED_NEAR,
                    repair = CAP_TUNED_REPAIR;

typedef struct impulses {
  cap_leaves *leaves;
  cap_leaves_kinds kinds;
  cap_held rows;
  const cap_variator *v;
  const cap_batch *guide, *groove; /* NULL: its friction is not set-valued */
  const cap_inertia *ring;         /* with rows; or NULL */
  int added;                       /* where in stiff_work its part begins */
  double *chain;                   /* [4 (nblock + 1)] of the ring: velocities or forces, block by block */
  double *f[ROWS];                 /* [n] N, held */
  int block;                       /* of node 0 of the ring */
  double scale;                    /* N s of the solver's impulse for 1 N */
  cap_arena arena;
} impulses;

/* ---- making -------------------------------------------------------------------------------------------- */

static void destroy(void *self)
{
  impulses *s = self;
  if (!s) return;
  cap_leaves_free(s->leaves);
  cap_arena_free(&s->arena);
  free(s);
}

static void find_batches(const cap_model *m, impulses *s)
{
  for (int b = 0; b < m->nbatch; b++) {
    const cap_batch *batch = &m->batches[b];
    if (!batch->type->impulses) continue;
    if (batch->type == &cap_ring_guide_held_type) s->guide = batch;
    else s->groove = batch;
  }
  s->kinds = (cap_leaves_kinds){.normal = s->guide && s->v->contact.saddle_held,
                                .tangent = s->guide != NULL,
                                .flank = s->groove != NULL};
}

/* Its place among the bodies that can be stiffened. */
static void find_ring(const cap_model *m, impulses *s)
{
  for (int k = 0; k < m->ninertia && !s->ring; k++) {
    const cap_inertia *b = &m->inertias[k];
    if (b->type->chain) s->ring = b;
    else if (b->type->stiff) s->added += b->type->stiff->nwork(b);
  }
}

static bool make_arrays(impulses *s, int nblock)
{
  cap_arena *a = &s->arena;
  cap_leaves *l = s->leaves;
  int room = l->room;
  s->chain = CAP_ARENA_NEW(a, double, 4 * (nblock + 1));
  bool all = s->chain != NULL;
  cap_held *h = &s->rows;
  double **own[] = {&h->gap, &h->side, &h->limit_ring, &h->section, &h->limit_flank};
  for (size_t k = 0; k < sizeof own / sizeof *own; k++)
    all = (*own[k] = CAP_ARENA_NEW(a, double, room)) && all;
  for (int r = 0; r < ROWS; r++) {
    all = (s->f[r] = CAP_ARENA_NEW(a, double, room)) && all;
    all = (h->turning[r] = CAP_ARENA_NEW(a, double, room)) && all;
    for (int c = 0; c < CAP_HELD_COORDS; c++) h->arm[r][c] = l->arm[r][c];
  }
  h->link = l->link;
  h->pulley = l->pulley;
  for (int r = 0; r < RING; r++) {
    h->on_ring[r] = l->ring[r];
    h->travel[r] = l->travel[r];
    h->ratio[r] = l->ratio[r];
  }
  for (int r = 0; r < CAP_HELD_FLANK_ROWS; r++) h->on_pulley[r] = l->of_flank[r];
  return all;
}

static cap_status make(const cap_model *m, impulses *s, cap_error *error)
{
  int nblock = 0;
  s->v = cap_variator_of(m);
  find_batches(m, s);
  if (s->guide) {
    find_ring(m, s);
    nblock = s->ring ? cap_leaves_nblock(s->ring) : -1;
    if (nblock < 0)
      return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                             "ring model without set-valued contacts; expected ale, ancf or ale0");
  }
  cap_leaves_settings settings = cap_leaves_settings_default();
  settings.tolerance = tolerance;
  s->leaves = cap_leaves_create(s->v->simulated, nblock, s->kinds, &settings);
  if (!s->leaves || !make_arrays(s, nblock)) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_leaves_forget(s->leaves);
  return CAP_OK;
}

static cap_status create(const cap_model *m, void **self, cap_error *error)
{
  impulses *s = *self = calloc(1, sizeof *s);
  return s ? make(m, s, error) : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

const cap_leaves *cap_pushbelt_impulses_leaves(const void *self)
{
  return ((const impulses *)self)->leaves;
}

static void *rows(void *self)
{
  return &((impulses *)self)->rows;
}

static void look_ahead(void *self, double ahead)
{
  ((impulses *)self)->rows.ahead = ahead;
}

static bool has(const impulses *s, int row)
{
  if (row == CAP_HELD_NORMAL) return s->kinds.normal;
  return row < FLANK ? s->kinds.tangent : s->kinds.flank;
}

/* ---- the ring, block by block -------------------------------------------------------------------------- */

/* Blocks of v; the first again at the end. Returns by travel and ratio their velocities. */
static void load_chain(impulses *s, const double *q, const double *v, double *travel, double *ratio)
{
  cap_ring_crowd crowd;
  cap_ring_crowd_open(&crowd, s->rows.ring, q, v, NULL);
  int n = s->leaves->nblock;
  s->block = crowd.curve.block;
  for (int k = 0; k < n; k++) {
    int at = (k + s->block) % n;
    memcpy(s->chain + 4 * at, crowd.node[k] + 4, 4 * sizeof(double));
  }
  if (n) memcpy(s->chain + 4 * n, s->chain, 4 * sizeof(double));
  *travel = crowd.curve.speed;
  *ratio = crowd.curve.theta_speed;
}

/* h += forces on the blocks, on travel and on ratio. */
static void push_chain(impulses *s, const double *q, double travel, double ratio, double *h)
{
  double force[CAP_RING_CROWD_NODES][4];
  int n = s->leaves->nblock;
  for (int i = 0; i < 4 && n; i++) s->chain[i] += s->chain[4 * n + i];
  for (int k = 0; k < n; k++) memcpy(force[k], s->chain + 4 * ((k + s->block) % n), sizeof force[k]);
  s->rows.ring->type->crowd_push(s->rows.ring, q, (const double(*)[4])force, travel, ratio, h);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

CAP_CLONES static void along_arm(int n, const double *restrict ax, const double *restrict ay,
                                 const double *restrict ap, const double *restrict vx,
                                 const double *restrict vy, const double *restrict vp, double *restrict c)
{
  for (int k = 0; k < n; k++) c[k] = ax[k] * vx[k] + ay[k] * vy[k] + ap[k] * vp[k];
}

CAP_CLONES static void along_ring(int n, const int *restrict link, const double (*restrict row)[LINK],
                                  const double *restrict chain, double *restrict c)
{
  for (int k = 0; k < n; k++) {
    const double *at = chain + 4 * link[k];
    double sum = 0.0;
    for (int i = 0; i < LINK; i++) sum += row[k][i] * at[i];
    c[k] += sum;
  }
}

CAP_CLONES static void along_lead(int n, double travel, double ratio, const double *restrict of_travel,
                                  const double *restrict of_ratio, double *restrict c)
{
  for (int k = 0; k < n; k++) c[k] += travel * of_travel[k] + ratio * of_ratio[k];
}

static double velocity_at(const double *v, int dof)
{
  return dof >= 0 ? v[dof] : 0.0;
}

/* Velocities of all rows by those of the coordinates. */
static void row_velocities(impulses *s, const double *q, const double *v, double *const c[ROWS])
{
  const cap_variator *b = s->v;
  const cap_held *h = &s->rows;
  int n = b->simulated;
  double travel = 0.0, ratio = 0.0;
  if (s->kinds.tangent) load_chain(s, q, v, &travel, &ratio);
  for (int r = 0; r < ROWS; r++) {
    if (!has(s, r)) continue;
    along_arm(n, h->arm[r][0], h->arm[r][1], h->arm[r][2], v + b->x, v + b->y, v + b->pitch, c[r]);
    if (r < FLANK) {
      if (s->leaves->nblock) along_ring(n, h->link, (const double(*)[LINK])h->on_ring[r], s->chain, c[r]);
      along_lead(n, travel, ratio, h->travel[r], h->ratio[r], c[r]);
      continue;
    }
    for (int k = 0; k < n; k++) {
      const cap_variator_pulley *p = &b->pulley[h->pulley[k]];
      c[r][k] += h->on_pulley[r - FLANK][k] * velocity_at(v, r == FLANK + 1 ? p->closing : p->rotation);
    }
  }
}

CAP_CLONES static void push_arm(int n, const double *restrict ax, const double *restrict ay,
                                const double *restrict ap, const double *restrict f, double *restrict fx,
                                double *restrict fy, double *restrict fp)
{
  for (int k = 0; k < n; k++) {
    fx[k] += ax[k] * f[k];
    fy[k] += ay[k] * f[k];
    fp[k] += ap[k] * f[k];
  }
}

/* What the forces along the rows do to the coordinates. */
static void gather_forces(const cap_model *m, impulses *s, const double *q, double *force)
{
  const cap_variator *b = s->v;
  const cap_held *h = &s->rows;
  int n = b->simulated, nblock = s->leaves->nblock;
  double travel = 0.0, ratio = 0.0;
  memset(force, 0, sizeof(double) * (size_t)m->nv);
  memset(s->chain, 0, sizeof(double) * 4 * (size_t)(nblock + 1));
  for (int r = 0; r < ROWS; r++) {
    if (!has(s, r)) continue;
    const double *f = s->f[r];
    push_arm(n, h->arm[r][0], h->arm[r][1], h->arm[r][2], f, force + b->x, force + b->y, force + b->pitch);
    for (int k = 0; k < n; k++) {
      if (f[k] == 0.0) continue;
      if (r < FLANK) {
        double *to = s->chain + 4 * h->link[k];
        for (int i = 0; i < LINK && nblock; i++) to[i] += f[k] * h->on_ring[r][k][i];
        travel += f[k] * h->travel[r][k];
        ratio += f[k] * h->ratio[r][k];
        continue;
      }
      const cap_variator_pulley *p = &b->pulley[h->pulley[k]];
      int to = r == FLANK + 1 ? p->closing : p->rotation;
      if (to >= 0) force[to] += f[k] * h->on_pulley[r - FLANK][k];
    }
  }
  if (s->kinds.tangent) push_chain(s, q, travel, ratio, force);
}

/* ---- inner states -------------------------------------------------------------------------------------- */

/* Where in x the force of a row stands; its velocity is `*velocity` further. */
static double *state_of(const impulses *s, cap_data *d, int row, double **velocity)
{
  const cap_batch *b = row < FLANK ? s->guide : s->groove;
  int nrow = row < FLANK ? RING : CAP_HELD_FLANK_ROWS, at = row < FLANK ? row : row - FLANK;
  double *first = d->x + b->x_adr;
  *velocity = first + (nrow + at) * b->n;
  return first + at * b->n;
}

static void load_states(impulses *s, cap_data *d, double h)
{
  size_t size = sizeof(double) * (size_t)s->v->simulated;
  s->scale = h / gain;
  for (int r = 0; r < ROWS; r++) {
    if (!has(s, r)) continue;
    double *velocity, *force = state_of(s, d, r, &velocity);
    memcpy(s->f[r], force, size);
    memcpy(s->leaves->xi[r], velocity, size);
    for (int k = 0; k < s->v->simulated; k++) s->leaves->lambda[r][k] = s->scale * force[k];
  }
}

static void keep_states(const impulses *s, cap_data *d)
{
  size_t size = sizeof(double) * (size_t)s->v->simulated;
  for (int r = 0; r < ROWS; r++) {
    if (!has(s, r)) continue;
    double *velocity, *force = state_of(s, d, r, &velocity);
    memcpy(force, s->f[r], size);
    memcpy(velocity, s->leaves->xi[r], size);
  }
}

/* ---- a step -------------------------------------------------------------------------------------------- */

static void load(void *self, const cap_model *m, cap_data *d, double h, double *force)
{
  impulses *s = self;
  double travel, ratio;
  load_states(s, d, h);
  if (s->kinds.tangent) load_chain(s, d->q, d->v, &travel, &ratio); /* knows where its blocks begin */
  gather_forces(m, s, d->q, force);
}

static int mechanism(const impulses *s, int row, int k)
{
  if (row == CAP_HELD_NORMAL || row == CAP_HELD_TANGENT) {
    int loss = row == CAP_HELD_NORMAL ? CAP_RING_GUIDE_DAMPING : CAP_RING_GUIDE_LONGITUDINAL;
    return s->guide->mech_adr + (int)s->rows.section[k] * CAP_RING_GUIDE_NLOSS + loss;
  }
  static const int losses[] = {CAP_GROOVE_LOSS_LONGITUDINAL, CAP_GROOVE_LOSS_RADIAL,
                               CAP_GROOVE_LOSS_DRILLING};
  return s->groove->mech_adr + s->rows.pulley[k] * CAP_GROOVE_NLOSS + losses[row - FLANK];
}

static void lose(void *self, const cap_model *m, const cap_data *d, double h, const double *v, double *jump)
{
  impulses *s = self;
  (void)m;
  row_velocities(s, d->q, v, s->leaves->c);
  for (int r = 0; r < ROWS; r++) {
    if (!has(s, r)) continue;
    for (int k = 0; k < s->v->simulated; k++)
      if (s->f[r][k] != 0.0) jump[mechanism(s, r, k)] -= h * s->f[r][k] * s->leaves->c[r][k];
  }
}

/* What of a gap may close in a step: of a small or negative one a part. */
static double closing(double gap)
{
  return gap > near ? gap - (1.0 - repair) * near : repair * gap;
}

static void give_limits(impulses *s, double h)
{
  const cap_held *rows = &s->rows;
  cap_leaves *l = s->leaves;
  int n = s->v->simulated;
  for (int k = 0; k < n && s->kinds.tangent; k++)
    l->limit_ring[k] = s->kinds.normal ? rows->limit_ring[k] : s->scale * rows->limit_ring[k];
  for (int k = 0; k < n && s->kinds.flank; k++) l->limit_flank[k] = s->scale * rows->limit_flank[k];
  for (int r = 0; r < ROWS; r++)
    for (int k = 0; k < n && has(s, r); k++) l->c[r][k] += h * rows->turning[r][k];
  for (int k = 0; k < n && s->kinds.normal; k++) l->c[CAP_HELD_NORMAL][k] += closing(rows->gap[k]) / h;
}

static cap_status open_leaves(impulses *s, const cap_impulse_bodies *bodies)
{
  const cap_variator *v = s->v;
  cap_leaves *l = s->leaves;
  double pulley[4];
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    const int dof[2] = {v->pulley[p].rotation, v->pulley[p].closing};
    for (int i = 0; i < 2; i++) {
      double free = dof[i] >= 0 ? bodies->inverse[dof[i]] : 0.0;
      pulley[2 * p + i] = free > 0.0 ? 1.0 / free : 0.0;
    }
  }
  for (int k = 0; k < v->simulated; k++) {
    l->inverse_mass[k] = bodies->inverse[v->x + k];
    l->inverse_inertia[k] = bodies->inverse[v->pitch + k];
  }
  bool stiff = bodies->stiff_work && s->ring && s->ring->type->stiff;
  return cap_leaves_open(l, s->ring, stiff ? bodies->stiff_work + s->added : NULL,
                         s->ring ? bodies->inertia_work + s->ring->work_adr : NULL, pulley);
}

static void count_iterations(const impulses *s, cap_data *d, const cap_leaves_stats *stats, bool missed)
{
  int64_t *n = d->impacts, closed = 0;
  int bin = 0;
  for (int k = 0; k < s->v->simulated; k++)
    closed += (s->kinds.tangent && s->f[CAP_HELD_TANGENT][k] != 0.0) +
              (s->kinds.flank && s->rows.limit_flank[k] > 0.0);
  n[CAP_IMPACTS_STEPS]++;
  n[CAP_IMPACTS_CLOSED] += closed;
  if (closed > n[CAP_IMPACTS_MOST_CLOSED]) n[CAP_IMPACTS_MOST_CLOSED] = closed;
  n[CAP_IMPACTS_ITERATIONS] += stats->iterations;
  if (stats->iterations > n[CAP_IMPACTS_MOST]) n[CAP_IMPACTS_MOST] = stats->iterations;
  n[CAP_IMPACTS_FALLBACKS] += stats->fallbacks;
  n[CAP_IMPACTS_MISSED] += missed;
  while (bin < CAP_IMPACTS_BINS - 1 && stats->iterations > cap_data_impact_bins[bin]) bin++;
  n[CAP_IMPACTS_HISTOGRAM + bin]++;
  double *worst = d->impact_worst;
  worst[CAP_WORST_RESIDUAL] = fmax(worst[CAP_WORST_RESIDUAL], stats->residual);
  for (int k = 0; k < s->v->simulated && s->kinds.normal; k++)
    worst[CAP_WORST_DRIFT] = fmax(worst[CAP_WORST_DRIFT], -s->rows.gap[k]);
}

static cap_status find(void *self, const cap_model *m, cap_data *d, double h,
                       const cap_impulse_bodies *bodies, const double *v, double *force, cap_error *error)
{
  impulses *s = self;
  cap_leaves_stats stats = {0};
  row_velocities(s, d->q, v, s->leaves->c);
  give_limits(s, h);
  cap_status status = open_leaves(s, bodies);
  if (status == CAP_OK) status = cap_leaves_solve(s->leaves, &stats);
  if (status < 0) {
    CAP_TRY(cap_model_check_finite(m, *d->t, d->y, error));
    return cap_status_fail(
        error, status,
        "at t = %.9g s the forces of the set-valued contacts did not converge; reduce the time step", *d->t);
  }
  for (int r = 0; r < ROWS; r++)
    for (int k = 0; k < s->v->simulated && has(s, r); k++) s->f[r][k] = s->leaves->lambda[r][k] / s->scale;
  count_iterations(s, d, &stats, status != CAP_OK);
  gather_forces(m, s, d->q, force);
  keep_states(s, d);
  return CAP_OK;
}

const cap_impulse_type cap_pushbelt_impulses_type = {
    .name = "pushbelt",
    .obstacle = "it has set-valued contacts of a pushbelt",
    .gain = CAP_TUNED_GAIN,
    .create = create,
    .free = destroy,
    .rows = rows,
    .look_ahead = look_ahead,
    .load = load,
    .find = find,
    .lose = lose,
};
