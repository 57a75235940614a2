/* model/contacts.c — see contacts.h.
 *
 * Contacts are done in small groups of one type, so that their rows live on the stack and one indirect call
 * serves the group. Directions that move nothing of a group are skipped: of the columns of a dense Jacobian
 * that is most of them.
 */
#include "model/contacts.h"
#include "model/constraints.h"

#include <math.h>
#include <string.h>

enum { GROUP = 8 };

typedef struct group {
  const cap_contact_batch *b;
  int first, count;
  cap_contact_rows rows[GROUP], turned[GROUP];
  double speed[GROUP][CAP_CONTACT_ROWS]; /* m/s */
  double force[GROUP][CAP_CONTACT_ROWS]; /* N */
  double rate[GROUP][CAP_CONTACT_ROWS];  /* m/s, of the deflections */
  capm_stick_result tangential[GROUP], normal[GROUP];
  double damping[GROUP]; /* W, of compliant normal rows */
} group;

const int *cap_contacts_coords(const cap_contact_batch *b, int k, const cap_contact_rows *rows)
{
  return b->type->moves ? rows->coord : b->coord + k * b->type->ncoord;
}

static double row_velocity(const cap_contact_batch *b, int k, const cap_contact_rows *rows, int r,
                           const double *v, int stride)
{
  const int *coord = cap_contacts_coords(b, k, rows);
  double sum = 0.0;
  for (int c = 0; c < b->type->ncoord; c++) sum += rows->J[r][c] * v[coord[c] * stride];
  return sum;
}

/* h -= J' force */
static void push(const cap_contact_batch *b, int k, const cap_contact_rows *rows, const double *force,
                 double *h, int stride)
{
  const int *coord = cap_contacts_coords(b, k, rows);
  for (int r = 0; r < b->type->nrow; r++)
    for (int c = 0; c < b->type->ncoord; c++) h[coord[c] * stride] -= rows->J[r][c] * force[r];
}

/* ---- values -------------------------------------------------------------------------------------------- */

static void find_rows(const cap_eval *e, group *g)
{
  const cap_contact_batch *b = g->b;
  memset(g->rows, 0, sizeof g->rows[0] * (size_t)g->count);
  b->type->rows(b, g->first, g->count, e->t[0], e->q, e->x, g->rows);
  for (int k = 0; k < g->count; k++)
    for (int r = 0; r < b->type->nrow; r++)
      g->speed[k][r] = row_velocity(b, g->first + k, &g->rows[k], r, e->v, 1) - g->rows[k].b[r];
}

/* The viscoelastic law: the normal row first, whose force limits the friction of the others. */
static void stick(group *g, int k, const double *z)
{
  const cap_contact_batch *b = g->b;
  int at = g->first + k, from = b->type->normal ? 1 : 0;
  double support = b->load[at];
  if (from) {
    capm_stick_evaluate(&b->normal[at], 1, z, g->speed[k], 0.0, &g->normal[k]);
    g->force[k][0] = g->normal[k].force[0];
    g->rate[k][0] = g->normal[k].rate[0];
    support = -g->force[k][0];
  }
  capm_stick_result *t = &g->tangential[k];
  int n = b->type->nrow - from;
  if (n == 0) return;
  capm_stick_evaluate(&b->stick[at], n, z + from, g->speed[k] + from, support, t);
  for (int r = 0; r < n; r++) {
    g->force[k][from + r] = t->force[r];
    g->rate[k][from + r] = t->rate[r];
  }
}

static double press(group *g, int k)
{
  double gap = g->rows[k].gap[0], speed = g->speed[k][0];
  double support = cap_contacts_support(&g->b->touch[g->first + k], gap, speed);
  g->force[k][0] = -support;
  /* what the spring does not store; also when the body leaves faster than it can follow */
  g->damping[k] = gap < 0.0 ? -(support + g->b->touch[g->first + k].k * gap) * speed : 0.0;
  return support;
}

static double slip_speed(const double *speed, int n)
{
  return n == 2 ? sqrt(speed[0] * speed[0] + speed[1] * speed[1]) : n == 1 ? fabs(speed[0]) : 0.0;
}

static void regularise(group *g, int k)
{
  int from = g->b->type->normal ? 1 : 0, n = g->b->type->nrow - from;
  const cap_contact_touch *touch = &g->b->touch[g->first + k];
  double support = from ? press(g, k) : g->b->load[g->first + k], slip = slip_speed(g->speed[k] + from, n);
  double limit = capm_friction_at(&touch->friction, slip, NULL) * support;
  double per = limit > 0.0 ? limit / sqrt(slip * slip + touch->v_regular * touch->v_regular) : 0.0;
  for (int r = 0; r < n; r++) g->force[k][from + r] = per * g->speed[k][from + r];
}

/* Forces that the stepper has found; a compliant normal row has its own. */
static void set_valued(const cap_eval *e, group *g, int k)
{
  int at = g->first + k, nrow = g->b->type->nrow;
  for (int r = 0; r < nrow; r++) g->force[k][r] = e->parted ? 0.0 : e->x[g->b->x_adr + at * nrow + r];
  if (g->b->type->normal && g->b->touch[at].normal == CAP_NORMAL_COMPLIANT) press(g, k);
}

static void ideal(const cap_eval *e, group *g, int k)
{
  int nrow = g->b->type->nrow, row = g->b->ideal_adr + (g->first + k) * nrow;
  for (int r = 0; r < nrow; r++) g->force[k][r] = e->multiplier ? e->multiplier[row + r] : 0.0;
}

static void put_ideal(const cap_model *m, cap_eval *e, const group *g, int k)
{
  const cap_contact_batch *b = g->b;
  int at = g->first + k, nrow = b->type->nrow, row = b->ideal_adr + at * nrow;
  const int *coord = cap_contacts_coords(b, at, &g->rows[k]);
  for (int r = 0; r < nrow; r++) {
    if (e->slip) e->slip[row + r] = g->speed[k][r];
    if (!e->rows) continue;
    double *full = e->rows + (row + r) * m->nv;
    memset(full, 0, sizeof(double) * (size_t)m->nv);
    for (int c = 0; c < b->type->ncoord; c++) full[coord[c]] += g->rows[k].J[r][c];
  }
  for (int r = 0; e->gap && r < b->type->ngap; r++)
    e->gap[b->gap_adr + at * b->type->ngap + r] = g->rows[k].gap[r];
}

/* Row of a viscoelastic contact among all of them: their deflections stand before the forces of set-valued
 * contacts and of sliders, the last inner states. */
static int law_row(const cap_model *m, const cap_contact_batch *b, int k)
{
  return b->x_adr + k * b->type->nrow - (m->nx - m->nslider - m->nset - m->nlaw);
}

/* A given force in the place of the law's. */
static void put_law(const cap_model *m, cap_eval *e, group *g, int k)
{
  const cap_contact_batch *b = g->b;
  int nrow = b->type->nrow, row = law_row(m, b, g->first + k);
  const int *coord = cap_contacts_coords(b, g->first + k, &g->rows[k]);
  for (int r = 0; r < nrow; r++) {
    if (e->law) e->law[row + r] = g->force[k][r];
    if (e->stick) g->force[k][r] = e->stick[row + r];
    if (!e->law_rows) continue;
    double *full = e->law_rows + (row + r) * m->nv;
    memset(full, 0, sizeof(double) * (size_t)m->nv);
    for (int c = 0; c < b->type->ncoord; c++) full[coord[c]] += g->rows[k].J[r][c];
  }
}

static void put_outputs(cap_eval *e, const group *g, int k)
{
  const cap_contact_type *type = g->b->type;
  int nrow = type->nrow;
  double *out = e->force + g->b->output_adr + (g->first + k) * (2 * nrow + type->nmeasure);
  for (int r = 0; r < nrow; r++) out[r] = g->force[k][r];
  for (int r = 0; r < nrow; r++) out[nrow + r] = g->speed[k][r];
  for (int i = 0; i < type->nmeasure; i++) out[2 * nrow + i] = g->rows[k].measure[i];
}

static void put_power(cap_eval *e, const group *g, int k)
{
  const cap_contact_batch *b = g->b;
  double *power = e->power + b->mech_adr + (g->first + k) * CAP_CONTACT_MECHS;
  power[0] = power[1] = power[2] = 0.0;
  for (int r = 0; r < b->type->nrow; r++) power[2] -= g->force[k][r] * g->rows[k].b[r];
  if (b->ideal) return;
  if (b->kind >= CAP_LAW_SET_VALUED) {
    int from = b->type->normal ? 1 : 0;
    if (from && b->touch[g->first + k].normal == CAP_NORMAL_COMPLIANT) power[0] = g->damping[k];
    else if (from) power[0] = g->force[k][0] * g->speed[k][0];
    for (int r = from; r < b->type->nrow; r++) power[1] += g->force[k][r] * g->speed[k][r];
    return;
  }
  bool tangential = b->type->nrow > (b->type->normal ? 1 : 0);
  power[0] = (b->type->normal ? g->normal[k].damping : 0.0) + (tangential ? g->tangential[k].damping : 0.0);
  power[1] = tangential ? g->tangential[k].slip : 0.0;
}

static void values(const cap_model *m, cap_eval *e, group *g)
{
  const cap_contact_batch *b = g->b;
  int nrow = b->type->nrow;
  find_rows(e, g);
  for (int k = 0; k < g->count; k++) {
    int at = g->first + k;
    if (b->ideal) {
      ideal(e, g, k);
      put_ideal(m, e, g, k);
    } else if (b->kind == CAP_LAW_SET_VALUED) {
      set_valued(e, g, k);
      for (int r = 0; r < nrow; r++) e->xdot[b->x_adr + at * nrow + r] = 0.0;
    } else if (b->kind == CAP_LAW_REGULARISED) {
      regularise(g, k);
    } else {
      stick(g, k, e->x + b->x_adr + at * nrow);
      for (int r = 0; r < nrow; r++) e->xdot[b->x_adr + at * nrow + r] = g->rate[k][r];
      put_law(m, e, g, k);
    }
    if (!b->ideal || e->multiplier) push(b, at, &g->rows[k], g->force[k], e->h, 1);
    if (e->force) put_outputs(e, g, k);
    if (e->power) put_power(e, g, k);
  }
}

/* ---- tangents ------------------------------------------------------------------------------------------ */

/* Whether direction `column` moves anything that the geometry of contact k depends on. */
static bool moved(const cap_contact_batch *b, int k, const cap_eval *e, int column)
{
  const int *coord = b->coord + k * b->type->ncoord;
  if (b->type->moves) return true;
  for (int c = 0; c < b->type->ncoord; c++)
    if (e->dq[coord[c] * e->ncol + column] != 0.0) return true;
  for (int a = 0; a < b->type->nbody; a++) {
    int x = b->attitude[k * b->type->nbody + a];
    for (int i = 0; x >= 0 && i < 4; i++)
      if (e->dx[(x + i) * e->ncol + column] != 0.0) return true;
  }
  return false;
}

static bool turn_rows(const cap_eval *e, group *g, int column)
{
  bool any = false;
  for (int k = 0; k < g->count && !any; k++) any = moved(g->b, g->first + k, e, column);
  if (!any) return false;
  memset(g->turned, 0, sizeof g->turned[0] * (size_t)g->count);
  g->b->type->turn(g->b, g->first, g->count, e->t[0], e->q, e->x, g->rows, 0.0, e->dq + column,
                   e->dx + column, e->ncol, g->turned);
  return true;
}

/* Derivatives of force and deflection rate of a viscoelastic contact from those of z and speed. */
static void turn_stick(const group *g, int k, const double *dz, const double *dspeed, double *dforce,
                       double *drate)
{
  int from = g->b->type->normal ? 1 : 0, n = g->b->type->nrow - from;
  double dsupport = 0.0;
  if (from) {
    const capm_stick_result *p = &g->normal[k];
    dforce[0] = p->force_z[0][0] * dz[0] + p->force_g[0][0] * dspeed[0];
    drate[0] = p->rate_z[0][0] * dz[0] + p->rate_g[0][0] * dspeed[0];
    dsupport = -dforce[0];
  }
  const capm_stick_result *p = &g->tangential[k];
  for (int r = 0; r < n; r++) {
    double f = p->force_n[r] * dsupport, w = p->rate_n[r] * dsupport;
    for (int s = 0; s < n; s++) {
      f += p->force_z[r][s] * dz[from + s] + p->force_g[r][s] * dspeed[from + s];
      w += p->rate_z[r][s] * dz[from + s] + p->rate_g[r][s] * dspeed[from + s];
    }
    dforce[from + r] = f;
    drate[from + r] = w;
  }
}

/* Derivatives of the forces of a regularised contact. */
static void turn_regularised(const group *g, int k, double dgap, const double *dspeed, double *dforce)
{
  int from = g->b->type->normal ? 1 : 0, n = g->b->type->nrow - from;
  const cap_contact_touch *touch = &g->b->touch[g->first + k];
  const double *speed = g->speed[k] + from;
  double support = from ? -g->force[k][0] : g->b->load[g->first + k], dsupport = 0.0;
  if (from && support > 0.0) dsupport = -touch->k * dgap - touch->d * dspeed[0];
  if (from) dforce[0] = -dsupport;
  double slip = slip_speed(speed, n), slope, along = 0.0;
  double mu = capm_friction_at(&touch->friction, slip, &slope);
  double w = sqrt(slip * slip + touch->v_regular * touch->v_regular);
  for (int r = 0; r < n; r++) along += speed[r] * dspeed[from + r];
  for (int r = 0; r < n; r++) {
    double change = mu * dsupport * speed[r];
    change += support * (mu * dspeed[from + r] - mu * speed[r] * along / (w * w));
    if (slip > 0.0) change += support * slope * along / slip * speed[r];
    dforce[from + r] = mu * support > 0.0 ? change / w : 0.0;
  }
}

static void column_of_one(const cap_model *m, cap_eval *e, const group *g, int k, int column, bool turned)
{
  const cap_contact_batch *b = g->b;
  int at = g->first + k, nrow = b->type->nrow, ncol = e->ncol;
  double dspeed[CAP_CONTACT_ROWS], dz[CAP_CONTACT_ROWS], dforce[CAP_CONTACT_ROWS], drate[CAP_CONTACT_ROWS];
  for (int r = 0; r < nrow; r++) {
    dspeed[r] = row_velocity(b, at, &g->rows[k], r, e->dv + column, ncol);
    if (turned) dspeed[r] += row_velocity(b, at, &g->turned[k], r, e->v, 1) - g->turned[k].b[r];
  }
  if (b->ideal) {
    for (int r = 0; e->dslip && r < nrow; r++)
      e->dslip[(b->ideal_adr + at * nrow + r) * ncol + column] = dspeed[r];
    for (int r = 0; e->dgap && r < b->type->ngap; r++)
      e->dgap[(b->gap_adr + at * b->type->ngap + r) * ncol + column] = turned ? g->turned[k].gap[r] : 0.0;
  } else if (b->kind == CAP_LAW_SET_VALUED) { /* forces are states: only tangents of regular steppers lack */
    for (int r = 0; r < nrow; r++) e->dxdot[(b->x_adr + at * nrow + r) * ncol + column] = 0.0;
  } else if (b->kind == CAP_LAW_REGULARISED) {
    turn_regularised(g, k, turned ? g->turned[k].gap[0] : 0.0, dspeed, dforce);
    push(b, at, &g->rows[k], dforce, e->dh + column, ncol);
  } else {
    for (int r = 0; r < nrow; r++) dz[r] = e->dx[(b->x_adr + at * nrow + r) * ncol + column];
    turn_stick(g, k, dz, dspeed, dforce, drate);
    for (int r = 0; r < nrow; r++) e->dxdot[(b->x_adr + at * nrow + r) * ncol + column] = drate[r];
    if (!e->stick) push(b, at, &g->rows[k], dforce, e->dh + column, ncol);
    for (int r = 0; e->dlaw && r < nrow; r++) e->dlaw[(law_row(m, b, at) + r) * ncol + column] = dforce[r];
  }
  if (turned && (!b->ideal || e->multiplier)) push(b, at, &g->turned[k], g->force[k], e->dh + column, ncol);
}

static void columns(const cap_model *m, cap_eval *e, group *g)
{
  for (int column = 0; column < e->ncol; column++) {
    bool turned = turn_rows(e, g, column);
    for (int k = 0; k < g->count; k++) column_of_one(m, e, g, k, column, turned);
  }
}

/* ---- all of them --------------------------------------------------------------------------------------- */

/* Whether none of a batch of set-valued contacts acts unless the stepper has found its forces. */
static bool is_rigid(const cap_contact_batch *b)
{
  if (b->kind != CAP_LAW_SET_VALUED) return false;
  for (int k = 0; b->type->normal && k < b->n; k++)
    if (b->touch[k].normal == CAP_NORMAL_COMPLIANT) return false;
  return true;
}

/* They do nothing. */
static void rest(cap_eval *e, const cap_contact_batch *b)
{
  memset(e->xdot + b->x_adr, 0, sizeof(double) * (size_t)(b->n * b->type->nrow));
  if (e->power) memset(e->power + b->mech_adr, 0, sizeof(double) * (size_t)(b->n * CAP_CONTACT_MECHS));
}

void cap_contacts_rates(const cap_model *m, cap_eval *e)
{
  bool wanted = e->multiplier || e->slip || e->gap || e->rows || e->force || e->power;
  for (int i = 0; i < m->ncontactbatch; i++) {
    group g = {.b = &m->contacts[i]};
    if (g.b->ideal && !wanted) continue;
    if (e->parted && !e->force && !e->ncol && is_rigid(g.b)) {
      rest(e, g.b);
      continue;
    }
    for (g.first = 0; g.first < g.b->n; g.first += GROUP) {
      g.count = g.b->n - g.first < GROUP ? g.b->n - g.first : GROUP;
      values(m, e, &g);
      if (e->ncol) columns(m, e, &g);
    }
  }
}

void cap_contacts_look(const cap_model *m, cap_eval *e)
{
  for (int i = 0; i < m->ncontactbatch; i++) {
    group g = {.b = &m->contacts[i]};
    for (g.first = 0; g.b->ideal && g.first < g.b->n; g.first += GROUP) {
      g.count = g.b->n - g.first < GROUP ? g.b->n - g.first : GROUP;
      find_rows(e, &g);
      for (int k = 0; k < g.count; k++) put_ideal(m, e, &g, k);
    }
  }
}

cap_status cap_contacts_check(const cap_model *m, double t, const double *y, cap_error *error)
{
  for (int i = 0; i < m->ncontactbatch; i++) {
    const cap_contact_batch *b = &m->contacts[i];
    for (int k = 0; b->type->lost && k < b->n; k++) {
      const char *why = b->type->lost(b, k, y, y + 2 * m->nv);
      if (why)
        return cap_status_fail(error, CAP_ERR_NUMERICS, "at t = %.9g s the contact of %s is lost: %s", t,
                               m->contact_name[b->contact_adr + k], why);
    }
  }
  return CAP_OK;
}

bool cap_contacts_may_slip(const cap_model *m)
{
  for (int i = 0; i < m->ncontactbatch; i++)
    for (int k = 0; m->contacts[i].kind == CAP_LAW_VISCOELASTIC && k < m->contacts[i].n; k++)
      if (isfinite(m->contacts[i].stick[k].friction.mu_kinetic)) return true;
  return false;
}

/* Of compliant normal rows. */
static double pressed_energy(const cap_contact_batch *b, double t, const double *q, const double *x)
{
  double stored = 0.0;
  for (int k = 0; b->type->normal && k < b->n; k++) {
    if (b->touch[k].normal != CAP_NORMAL_COMPLIANT) continue;
    cap_contact_rows rows = {0};
    b->type->rows(b, k, 1, t, q, x, &rows);
    double gap = rows.gap[0];
    if (gap < 0.0) stored += 0.5 * b->touch[k].k * gap * gap;
  }
  return stored;
}

double cap_contacts_energy(const cap_model *m, double t, const double *q, const double *x)
{
  double stored = 0.0;
  for (int i = 0; i < m->ncontactbatch; i++) {
    const cap_contact_batch *b = &m->contacts[i];
    if (b->kind >= CAP_LAW_SET_VALUED) stored += pressed_energy(b, t, q, x);
    if (b->kind != CAP_LAW_VISCOELASTIC) continue;
    int nrow = b->type->nrow, from = b->type->normal ? 1 : 0;
    for (int k = 0; k < b->n; k++) {
      const double *z = x + b->x_adr + k * nrow;
      if (from) stored += capm_stick_energy(&b->normal[k], 1, z);
      if (nrow > from) stored += capm_stick_energy(&b->stick[k], nrow - from, z + from);
    }
  }
  return stored;
}

void cap_contacts_drift(const cap_model *m, double t, const double *q, const double *v, const double *x,
                        const double *xdot, double *drift)
{
  cap_eval e = {.nlane = 1, .t = &t, .q = q, .v = v, .x = x};
  for (int i = 0; i < m->ncontactbatch; i++) {
    group g = {.b = &m->contacts[i]};
    int nrow = g.b->type->nrow;
    for (g.first = 0; g.b->ideal && g.first < g.b->n; g.first += GROUP) {
      g.count = g.b->n - g.first < GROUP ? g.b->n - g.first : GROUP;
      find_rows(&e, &g);
      memset(g.turned, 0, sizeof g.turned[0] * (size_t)g.count);
      g.b->type->turn(g.b, g.first, g.count, t, q, x, g.rows, 1.0, v, xdot, 1, g.turned);
      for (int k = 0; k < g.count; k++)
        for (int r = 0; r < nrow; r++)
          drift[g.b->ideal_adr + (g.first + k) * nrow + r] = row_velocity(g.b, g.first + k, &g.turned[k], r,
                                                                          v, 1) -
                                                             g.turned[k].b[r];
    }
  }
}

double cap_contacts_mobility(const cap_model *m, const cap_contact_batch *b, int k, int from, int to,
                             double t, const double *q, const double *x, double *largest)
{
  cap_contact_rows rows = {0};
  double trace = 0.0;
  *largest = 0.0;
  b->type->rows(b, k, 1, t, q, x, &rows);
  const int *coord = cap_contacts_coords(b, k, &rows);
  for (int r = from; r < to; r++) {
    double own = 0.0;
    for (int c = 0; c < b->type->ncoord; c++)
      own += rows.J[r][c] * rows.J[r][c] * cap_constraints_mobility(m, coord[c]);
    trace += own;
    if (own > *largest) *largest = own;
  }
  return trace;
}
