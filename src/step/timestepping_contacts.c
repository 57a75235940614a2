/* step/timestepping_contacts.c — see timestepping_contacts.h. */
#include "step/timestepping_contacts.h"
#include "model/contacts.h"

#include <math.h>
#include <string.h>

enum { GROUP = 8, ITERATIONS_MOST = 20000, CORRECTIONS_MOST = 10 };
static const double closed_gap = 1e-11;   /* m: what counts as closed */
static const double gap_rounding = 1e-12; /* m: what is not worth a correction */
static const double hopeless = 1e-2;      /* residual of a step that is not worth going on */

cap_status cap_timestepping_contacts_create(const cap_model *m, const char *solver, double tolerance,
                                            cap_arena *arena, cap_timestepping_contacts *k, cap_error *error)
{
  int entries = 0, contacts = 0;
  for (int i = 0; i < m->ncontactbatch; i++) {
    const cap_contact_batch *b = &m->contacts[i];
    if (b->kind != CAP_LAW_SET_VALUED) continue;
    contacts += b->n;
    entries += b->n * b->type->nrow * b->type->ncoord;
  }
  *k = (cap_timestepping_contacts){.tolerance = tolerance};
  k->touches = CAP_ARENA_NEW(arena, cap_timestepping_touch, contacts);
  k->contacts = CAP_ARENA_NEW(arena, cap_nonsmooth_contact, m->nset); /* the correction has one a gap */
  k->start = CAP_ARENA_NEW(arena, int, m->nset + 1);
  k->coord = CAP_ARENA_NEW(arena, int, entries);
  k->value = CAP_ARENA_NEW(arena, double, entries);
  k->c = CAP_ARENA_NEW(arena, double, m->nset);
  k->b = CAP_ARENA_NEW(arena, double, m->nset);
  k->before = CAP_ARENA_NEW(arena, double, m->nset);
  k->lambda = CAP_ARENA_NEW(arena, double, m->nset);
  if (!k->touches || !k->contacts || !k->start || !k->coord || !k->value || !k->c || !k->b || !k->before ||
      !k->lambda || cap_mass_action_of_model(m, &k->action) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  CAP_TRY(cap_nonsmooth_create(solver, &k->solver, error));
  return cap_nonsmooth_create("newton", &k->corrector, error);
}

void cap_timestepping_contacts_free(cap_timestepping_contacts *k)
{
  cap_mass_action_free(k->action);
  cap_nonsmooth_free(k->solver);
  cap_nonsmooth_free(k->corrector);
}

/* ---- finding them -------------------------------------------------------------------------------------- */

static double along(const cap_contact_rows *rows, int r, int n, const int *coord, const double *v)
{
  double sum = 0.0;
  for (int c = 0; c < n; c++) sum += rows->J[r][c] * v[coord[c]];
  return sum;
}

/* What is at hand about one contact. */
typedef struct one {
  const cap_contact_batch *b;
  int batch, place;
  const int *coord;
  const cap_contact_rows *rows;
  double h, before[CAP_CONTACT_ROWS]; /* s; m/s at the step's start */
  double *x;                          /* its forces */
} one;

/* Velocity by which the normal row may still close, m/s: a gap that has opened under a contact which pressed
 * (as it does where surfaces are curved) is not yet open when it closes again within the step. */
static bool may_close(const one *o, double *allowance)
{
  double gap = o->rows->gap[0];
  *allowance = 0.0;
  if (gap <= closed_gap) return true;
  *allowance = gap / o->h;
  return o->x[0] < 0.0;
}

static double coefficient(const one *o, int from)
{
  const cap_contact_touch *touch = &o->b->touch[o->place];
  int n = o->b->type->nrow - from;
  double slip = n == 2 ? hypot(o->before[from], o->before[from + 1]) : n == 1 ? fabs(o->before[from]) : 0.0;
  return isinf(touch->friction.mu_static) ? INFINITY : capm_friction_at(&touch->friction, slip, NULL);
}

/* Rows from number `first` on, into the lists. */
static void put_rows(cap_timestepping_contacts *k, const one *o, int first, const double *v)
{
  int ncoord = o->b->type->ncoord;
  for (int r = first; r < o->b->type->nrow; r++) {
    int at = k->start[k->nrow], row = k->nrow++;
    for (int c = 0; c < ncoord; c++) {
      if (o->rows->J[r][c] == 0.0) continue;
      k->coord[at] = o->coord[c];
      k->value[at++] = o->rows->J[r][c];
    }
    k->start[row + 1] = at;
    k->b[row] = o->rows->b[r];
    k->before[row] = o->before[r];
    k->c[row] = along(o->rows, r, ncoord, o->coord, v) - o->rows->b[r];
    k->lambda[row] = -o->x[r] * o->h;
  }
}

/* The contact among those closed, or its forces set to none. */
static void take(cap_timestepping_contacts *k, const one *o, const double *v)
{
  const cap_contact_type *type = o->b->type;
  const cap_contact_touch *touch = &o->b->touch[o->place];
  int from = type->normal ? 1 : 0, row = k->nrow;
  double mu = coefficient(o, from), allowance = 0.0;
  cap_nonsmooth_contact law = {.row = row, .ntangent = type->nrow - from, .mu = mu, .limit = INFINITY};
  bool compliant = from && touch->normal == CAP_NORMAL_COMPLIANT, closed = true;
  if (compliant) {
    double support = cap_contacts_support(touch, o->rows->gap[0], o->before[0]);
    o->x[0] = -support;
    law.limit = mu * support * o->h;
    closed = support > 0.0 && law.ntangent > 0;
  } else if (from) {
    law.nnormal = 1;
    law.bilateral = touch->normal == CAP_NORMAL_BILATERAL;
    closed = law.bilateral || may_close(o, &allowance);
  } else if (isfinite(mu)) {
    law.limit = mu * o->b->load[o->place] * o->h;
  }
  if (!closed || law.limit <= 0.0) {
    for (int r = compliant ? 1 : 0; r < type->nrow; r++) o->x[r] = 0.0;
    return;
  }
  put_rows(k, o, compliant ? 1 : 0, v);
  if (law.nnormal && !law.bilateral) {
    if (allowance == 0.0 && o->before[0] < -touch->restitution_speed)
      k->c[row] += touch->restitution * o->before[0];
    k->c[row] += allowance;
  }
  k->touches[k->ncontact] = (cap_timestepping_touch){
      .batch = o->batch, .place = o->place, .row = row, .first = compliant ? 1 : 0, .count = k->nrow - row};
  k->contacts[k->ncontact++] = law;
}

void cap_timestepping_contacts_find(const cap_model *m, cap_timestepping_contacts *k, double t, double h,
                                    const double *q, double *x, const double *v0, const double *v)
{
  cap_contact_rows rows[GROUP];
  k->ncontact = k->nrow = k->start[0] = 0;
  for (int i = 0; i < m->ncontactbatch; i++) {
    const cap_contact_batch *b = &m->contacts[i];
    for (int first = 0; b->kind == CAP_LAW_SET_VALUED && first < b->n; first += GROUP) {
      int count = b->n - first < GROUP ? b->n - first : GROUP;
      memset(rows, 0, sizeof rows[0] * (size_t)count);
      b->type->rows(b, first, count, t, q, x, rows);
      for (int at = 0; at < count; at++) {
        int place = first + at;
        one o = {.b = b, .batch = i, .place = place, .rows = &rows[at], .h = h};
        o.coord = cap_contacts_coords(b, place, o.rows);
        o.x = x + b->x_adr + place * b->type->nrow;
        for (int r = 0; r < b->type->nrow; r++)
          o.before[r] = along(o.rows, r, b->type->ncoord, o.coord, v0) - o.rows->b[r];
        take(k, &o, v);
      }
    }
  }
}

/* ---- impulses ------------------------------------------------------------------------------------------ */

static void count_step(cap_data *d, const cap_timestepping_contacts *k, const cap_nonsmooth_stats *stats,
                       bool missed)
{
  int64_t *n = d->impacts;
  int bin = 0;
  n[CAP_IMPACTS_STEPS]++;
  n[CAP_IMPACTS_CLOSED] += k->ncontact;
  if (k->ncontact > n[CAP_IMPACTS_MOST_CLOSED]) n[CAP_IMPACTS_MOST_CLOSED] = k->ncontact;
  n[CAP_IMPACTS_ITERATIONS] += stats->iterations;
  if (stats->iterations > n[CAP_IMPACTS_MOST]) n[CAP_IMPACTS_MOST] = stats->iterations;
  n[CAP_IMPACTS_FALLBACKS] += stats->fallbacks;
  n[CAP_IMPACTS_MISSED] += missed;
  while (bin < CAP_IMPACTS_BINS - 1 && stats->iterations > cap_data_impact_bins[bin]) bin++;
  n[CAP_IMPACTS_HISTOGRAM + bin]++;
  d->impact_worst[CAP_WORST_RESIDUAL] = fmax(d->impact_worst[CAP_WORST_RESIDUAL], stats->residual);
}

static cap_status fail(const cap_timestepping_contacts *k, cap_status status, double t,
                       const cap_nonsmooth_stats *stats, cap_error *error)
{
  if (status < 0) return cap_status_fail(error, status, "out of memory");
  return cap_status_fail(error, CAP_ERR_NUMERICS,
                         "at t = %.9g s the forces of %d contacts did not converge: residual %.3g after %d "
                         "iterations of %s; try a smaller step or another solver",
                         t, k->ncontact, stats->residual, stats->iterations, cap_nonsmooth_name(k->solver));
}

/* G of the rows, and the problem. */
static cap_status pose(cap_timestepping_contacts *k, const double *inertia_work, cap_nonsmooth_problem *p)
{
  cap_mass_action_rows w = {k->nrow, k->start, k->coord, k->value};
  *p = (cap_nonsmooth_problem){
      .ncontact = k->ncontact, .nrow = k->nrow, .contacts = k->contacts, .c = k->c, .lambda = k->lambda};
  CAP_TRY(cap_mass_action_take(k->action, inertia_work, &w));
  return cap_mass_action_sparse(k->action, &p->start, &p->column, &p->value);
}

cap_status cap_timestepping_contacts_solve(const cap_model *m, cap_timestepping_contacts *k, cap_data *d,
                                           const double *inertia_work, double t, double h, double *x,
                                           double *v, cap_error *error)
{
  if (!k->nrow) return CAP_OK;
  cap_nonsmooth_problem p;
  cap_nonsmooth_stats stats = {0};
  cap_nonsmooth_settings settings = {k->tolerance, ITERATIONS_MOST};
  if (pose(k, inertia_work, &p) != CAP_OK) return fail(k, CAP_ERR_NOMEM, t, &stats, error);
  cap_status status = cap_nonsmooth_solve(k->solver, &p, &settings, &stats);
  if (status < 0 || !(stats.residual <= hopeless)) return fail(k, status, t, &stats, error);
  count_step(d, k, &stats, status != CAP_OK);
  cap_mass_action_push(k->action, k->lambda, v);
  for (int i = 0; i < k->ncontact; i++) {
    const cap_timestepping_touch *at = &k->touches[i];
    const cap_contact_batch *b = &m->contacts[at->batch];
    double *force = x + b->x_adr + at->place * b->type->nrow + at->first;
    for (int r = 0; r < at->count; r++) force[r] = -k->lambda[at->row + r] / h;
  }
  return CAP_OK;
}

/* ---- positions ----------------------------------------------------------------------------------------- */

/* Gaps of a contact that are to be held, from the first row on. */
static int held(const cap_contact_batch *b, int place)
{
  const cap_contact_touch *touch = &b->touch[place];
  if (b->type->normal) return touch->normal == CAP_NORMAL_COMPLIANT ? 0 : 1;
  return isinf(touch->friction.mu_static) ? b->type->ngap : 0;
}

static bool parts(const cap_contact_batch *b, int place)
{
  return b->type->normal && b->touch[place].normal == CAP_NORMAL_UNILATERAL;
}

/* A gap row for the correction. What a body in space has turned is no position: there the translation closes
 * the gap that the contact names. */
static void put_gap(cap_timestepping_contacts *k, const cap_contact_batch *b, int place,
                    const cap_contact_rows *rows, int r, double off)
{
  const int *coord = cap_contacts_coords(b, place, rows);
  int at = k->start[k->nrow];
  for (int c = 0; c < b->type->ncoord; c++) {
    if (rows->J[r][c] == 0.0 || (b->type->nbody && c != b->type->lift[r])) continue;
    k->coord[at] = coord[c];
    k->value[at++] = rows->J[r][c];
  }
  k->contacts[k->ncontact++] = (cap_nonsmooth_contact){
      .row = k->nrow, .nnormal = 1, .bilateral = !parts(b, place), .limit = INFINITY};
  k->c[k->nrow] = off;
  k->lambda[k->nrow++] = 0.0;
  k->start[k->nrow] = at;
}

/* Rows of all gaps that are to be held; the largest miss. */
static double look(const cap_model *m, cap_timestepping_contacts *k, int ntouch, double t, const double *q,
                   const double *x)
{
  double worst = 0.0;
  k->ncontact = k->nrow = 0;
  for (int i = 0; i < ntouch; i++) {
    const cap_timestepping_touch *at = &k->touches[i];
    const cap_contact_batch *b = &m->contacts[at->batch];
    int n = held(b, at->place);
    if (!n) continue;
    cap_contact_rows rows = {0};
    b->type->rows(b, at->place, 1, t, q, x, &rows);
    for (int r = 0; r < n; r++) {
      double off = rows.gap[r] - at->target;
      worst = fmax(worst, parts(b, at->place) ? -off : fabs(off));
      put_gap(k, b, at->place, &rows, r, off);
    }
  }
  return worst;
}

/* By how much a contact may stay closed: what its velocity opens within the next step. */
static void aim(const cap_model *m, cap_timestepping_contacts *k, double h, const double *v)
{
  for (int i = 0; i < k->ncontact; i++) {
    cap_timestepping_touch *at = &k->touches[i];
    const cap_contact_batch *b = &m->contacts[at->batch];
    at->target = 0.0;
    if (!parts(b, at->place)) continue;
    double speed = -k->b[at->row];
    for (int c = k->start[at->row]; c < k->start[at->row + 1]; c++) speed += k->value[c] * v[k->coord[c]];
    at->target = fmin(0.0, -h * speed);
  }
}

cap_status cap_timestepping_contacts_correct(const cap_model *m, cap_timestepping_contacts *k, cap_data *d,
                                             const double *inertia_work, double t, double h, bool moved,
                                             double *q, const double *x, const double *v, cap_error *error)
{
  int ntouch = k->ncontact;
  aim(m, k, h, v);
  double worst = look(m, k, ntouch, t, q, x), before = INFINITY;
  if (moved && worst > gap_rounding) {
    d->impacts[CAP_IMPACTS_CORRECTED]++;
    d->impact_worst[CAP_WORST_MOVED] = fmax(d->impact_worst[CAP_WORST_MOVED], worst);
  }
  for (int at = 0; moved && worst > gap_rounding && worst < before && at < CORRECTIONS_MOST; at++) {
    cap_nonsmooth_problem p;
    cap_nonsmooth_stats stats = {0};
    cap_nonsmooth_settings settings = {1e-6, 200};
    if (pose(k, inertia_work, &p) != CAP_OK) return fail(k, CAP_ERR_NOMEM, t, &stats, error);
    cap_status status = cap_nonsmooth_solve(k->corrector, &p, &settings, &stats);
    if (status < 0) return fail(k, status, t, &stats, error);
    cap_mass_action_push(k->action, k->lambda, q);
    before = worst;
    worst = look(m, k, ntouch, t, q, x);
  }
  d->impact_worst[CAP_WORST_DRIFT] = fmax(d->impact_worst[CAP_WORST_DRIFT], worst);
  return CAP_OK;
}

/* ---- energy -------------------------------------------------------------------------------------------- */

void cap_timestepping_contacts_audit(const cap_model *m, const cap_timestepping_contacts *k, cap_data *d,
                                     const double *v0, const double *v1)
{
  int motions = m->nmech - m->nmotion;
  for (int i = 0; i < k->ncontact; i++) {
    const cap_timestepping_touch *at = &k->touches[i];
    const cap_contact_batch *b = &m->contacts[at->batch];
    double *work = d->work + b->mech_adr + at->place * CAP_CONTACT_MECHS;
    for (int r = 0; r < at->count; r++) {
      int row = at->row + r;
      double speed = -k->b[row], frame = 0.0, lambda = k->lambda[row];
      for (int c = k->start[row]; c < k->start[row + 1]; c++) {
        int dof = k->coord[c];
        double mean = 0.5 * (v0[dof] + v1[dof]), push = k->value[c] * lambda;
        speed += k->value[c] * mean;
        frame += k->value[c] * m->base[dof];
        if (m->driven[dof] >= 0) d->work[motions + m->driven[dof]] -= push * (m->base[dof] + mean);
      }
      bool normal = b->type->normal && at->first + r == 0;
      /* a joint does not slide: what its row had before the step is the method's own */
      if (!normal && isinf(b->touch[at->place].friction.mu_static)) *d->integrator -= lambda * speed;
      else work[normal ? 0 : 1] -= lambda * speed;
      work[2] += lambda * (k->b[row] + frame);
    }
  }
}
