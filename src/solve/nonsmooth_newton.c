/* solve/nonsmooth_newton.c — semi-smooth Newton on lambda = prox(lambda - rho xi).
 *
 * Maths: docs/theory.md §36.6. In every iteration a contact is open (lambda = 0), or has rows that are to
 * vanish: xi_n, xi_t where it sticks, lambda_t - mu lambda_n t where it slides along t. The derivative of
 * these is P + Q G with one small P, Q for each contact; its rows and columns of the contacts that are not
 * open are factored within an envelope, the contacts ordered so that it is narrow (Cuthill-McKee reversed).
 * From a guess that is far off the iteration may not get on, friction being what makes it hard: then the
 * coefficients of friction grow from nothing to what they are while Newton follows. G may be singular
 * (redundant contacts): a small part of its diagonal is added to the derivative, not to the equations, so
 * that what is found solves the problem as it is.
 */
#include "solve/nonsmooth_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  PATIENCE = 5,
  INNER_PATIENCE = 12,
  FIRST_PATIENCE = 100
}; /* iterations without halving the residual */
enum { SWEEPS = 8, ROUNDS = 10, HALVINGS = 4, SHARES = 40, INNER = 40, FIRST = 400 };
static const double regularisation = 1e-10;

/* Derivative of one contact's rows: dF = P dlambda + Q dxi. */
typedef struct tangent {
  double P[9], Q[9], F[3];
} tangent;

typedef struct newton {
  int rows, contacts;
  size_t room;           /* of lower and upper */
  int *contact_of;       /* [rows] */
  int *order, *degree;   /* [contacts] order: Cuthill-McKee; degree, then whether it has been seen */
  int *place;            /* [rows] in the system of this iteration, -1 = open */
  int *first;            /* [rows] of the system: the first column of the envelope */
  size_t *adr;           /* [rows + 1] */
  tangent *tangents;     /* [contacts] */
  double *lower, *upper; /* rows of L without their diagonal, columns of U with it */
  double *step, *trial, *best, *known; /* [rows] */
  cap_nonsmooth_contact *scaled;       /* [contacts] with a share of their friction */
  struct newton *inner;                /* of these */
  cap_nonsmooth_work inner_work;
} newton;

static void free_newton(void *own)
{
  newton *w = own;
  if (!w) return;
  free(w->contact_of);
  free(w->order);
  free(w->degree);
  free(w->place);
  free(w->first);
  free(w->adr);
  free(w->tangents);
  free(w->lower);
  free(w->upper);
  free(w->step);
  free(w->trial);
  free(w->best);
  free(w->known);
  free(w->scaled);
  free_newton(w->inner);
  cap_nonsmooth_release(&w->inner_work);
  free(w);
}

/* A zeroed array in the place of `old`. */
static bool renew(void *slot, size_t count, size_t size)
{
  void **at = slot;
  free(*at);
  *at = calloc(count, size);
  return *at != NULL;
}

static cap_status reserve(newton *w, int rows, int contacts)
{
  if (rows <= w->rows && contacts <= w->contacts) return CAP_OK;
  size_t r = (size_t)rows + (size_t)rows / 2 + 8, k = (size_t)contacts + (size_t)contacts / 2 + 8;
  w->rows = w->contacts = 0;
  bool all = renew(&w->contact_of, r, sizeof(int)) && renew(&w->order, k, sizeof(int)) &&
             renew(&w->degree, k, sizeof(int)) && renew(&w->place, r, sizeof(int)) &&
             renew(&w->first, r, sizeof(int)) && renew(&w->adr, r + 1, sizeof(size_t)) &&
             renew(&w->tangents, k, sizeof(tangent)) && renew(&w->step, r, sizeof(double)) &&
             renew(&w->trial, r, sizeof(double)) && renew(&w->best, r, sizeof(double)) &&
             renew(&w->known, r, sizeof(double)) && renew(&w->scaled, k, sizeof(cap_nonsmooth_contact));
  if (!all) return CAP_ERR_NOMEM;
  w->rows = (int)r;
  w->contacts = (int)k;
  return CAP_OK;
}

/* ---- order --------------------------------------------------------------------------------------------- */

/* Append the neighbours of contact i that have not been seen, those with few neighbours first. */
static int append_neighbours(newton *w, const cap_nonsmooth_problem *p, int i, int n)
{
  int from = n, row = p->contacts[i].row;
  for (int r = row; r < row + cap_nonsmooth_rows_of(&p->contacts[i]); r++)
    for (int at = p->start[r]; at < p->start[r + 1]; at++) {
      int other = w->contact_of[p->column[at]];
      if (w->degree[other] < 0) continue;
      w->order[n++] = other;
      w->degree[other] = ~w->degree[other];
    }
  for (int a = from + 1; a < n; a++) { /* few: by insertion */
    int one = w->order[a], b = a;
    for (; b > from && ~w->degree[w->order[b - 1]] > ~w->degree[one]; b--) w->order[b] = w->order[b - 1];
    w->order[b] = one;
  }
  return n;
}

/* All contacts that hang together with `start`, from place n of the order on; their end. */
static int collect(newton *w, const cap_nonsmooth_problem *p, int start, int n)
{
  int head = n;
  w->order[n++] = start;
  w->degree[start] = ~w->degree[start];
  while (head < n) n = append_neighbours(w, p, w->order[head++], n);
  return n;
}

/* Each group from one of its ends, which is where a first collection from anywhere ends. */
static void arrange(newton *w, const cap_nonsmooth_problem *p)
{
  for (int i = 0; i < p->ncontact; i++) {
    const cap_nonsmooth_contact *k = &p->contacts[i];
    w->degree[i] = 0;
    for (int r = k->row; r < k->row + cap_nonsmooth_rows_of(k); r++) {
      w->contact_of[r] = i;
      w->degree[i] += p->start[r + 1] - p->start[r];
    }
  }
  for (int i = 0, n = 0; i < p->ncontact; i++) {
    if (w->degree[i] < 0) continue;
    int end = collect(w, p, i, n);
    for (int at = n; at < end; at++) w->degree[w->order[at]] = ~w->degree[w->order[at]];
    n = collect(w, p, w->order[end - 1], n);
  }
}

/* ---- the equations ------------------------------------------------------------------------------------- */

/* Friction rows of a contact under the limit that grows with its first row by `share`. */
static void friction(const cap_nonsmooth_contact *k, double rho_n, double rho_t, double limit, double share,
                     const double *lambda, const double *xi, tangent *t)
{
  int from = k->nnormal, n = cap_nonsmooth_rows_of(k);
  double tau[3], length = 0.0, along[3];
  for (int r = from; r < n; r++) {
    tau[r] = lambda[r] - rho_t * xi[r];
    length += tau[r] * tau[r];
  }
  length = sqrt(length);
  if (rho_t == 0.0) { /* nothing moves there: any force would do, none is the one taken */
    for (int r = from; r < n; r++) {
      t->F[r] = lambda[r];
      t->P[r * n + r] = 1.0;
    }
    return;
  }
  if (length <= limit) {
    for (int r = from; r < n; r++) {
      t->F[r] = xi[r];
      t->Q[r * n + r] = 1.0;
      t->P[r * n + r] = regularisation / rho_t;
    }
    return;
  }
  double keep = limit / length;
  for (int r = from; r < n; r++) along[r] = tau[r] / length;
  for (int r = from; r < n; r++) {
    t->F[r] = (lambda[r] - limit * along[r]) / rho_t;
    for (int c = from; c < n; c++) {
      double across = n - from == 1 ? 0.0 : keep * ((r == c) - along[r] * along[c]);
      t->P[r * n + c] = ((r == c) - across) / rho_t;
      t->Q[r * n + c] = across;
    }
    if (from) {
      t->P[r * n] = -share * along[r] / rho_t;
      t->Q[r * n] = share * along[r] * rho_n / rho_t;
    }
  }
}

/* Rows of contact i; false: it is open. */
static bool linearise(const cap_nonsmooth_work *w, const cap_nonsmooth_problem *p, int i, tangent *t)
{
  const cap_nonsmooth_contact *k = &p->contacts[i];
  const double *lambda = p->lambda + k->row, *xi = w->xi + k->row;
  int n = cap_nonsmooth_rows_of(k);
  double limit = k->limit, share = 0.0;
  if (k->nnormal ? w->rho_n[i] == 0.0 : w->rho_t[i] == 0.0) return false;
  memset(t, 0, sizeof *t);
  if (k->nnormal) {
    double pressed = lambda[0] - w->rho_n[i] * xi[0];
    if (!k->bilateral && pressed <= 0.0) return false;
    t->F[0] = xi[0];
    t->Q[0] = 1.0;
    t->P[0] = regularisation / w->rho_n[i];
    limit = k->mu == INFINITY ? INFINITY : k->mu * fabs(pressed);
    share = pressed < 0.0 ? -k->mu : k->mu;
  } else if (limit <= 0.0) {
    return false;
  }
  if (n > k->nnormal) friction(k, w->rho_n[i], w->rho_t[i], limit, share, lambda, xi, t);
  return true;
}

/* ---- the envelope -------------------------------------------------------------------------------------- */

/* Places of the rows that are not open, and the envelope; the number of the rows. */
static int lay_out(const cap_nonsmooth_work *work, newton *w, const cap_nonsmooth_problem *p)
{
  int n = 0;
  for (int at = p->ncontact; at-- > 0;) { /* reversed */
    int i = w->order[at], row = p->contacts[i].row, count = cap_nonsmooth_rows_of(&p->contacts[i]);
    bool closed = linearise(work, p, i, &w->tangents[i]);
    for (int r = 0; r < count; r++) w->place[row + r] = closed ? n++ : -1;
  }
  for (int i = 0; i < p->ncontact; i++) {
    int row = p->contacts[i].row, count = cap_nonsmooth_rows_of(&p->contacts[i]), low = w->place[row];
    if (low < 0) continue;
    for (int r = row; r < row + count; r++)
      for (int at = p->start[r]; at < p->start[r + 1]; at++) {
        const cap_nonsmooth_contact *other = &p->contacts[w->contact_of[p->column[at]]];
        int place = w->place[other->row];
        if (place >= 0 && place < low) low = place;
      }
    for (int r = row; r < row + count; r++) w->first[w->place[r]] = low;
  }
  w->adr[0] = 0;
  for (int r = 0; r < n; r++) w->adr[r + 1] = w->adr[r] + (size_t)(r - w->first[r] + 1);
  return n;
}

static void add(newton *w, int row, int column, double value)
{
  if (row > column) w->lower[w->adr[row] + (size_t)(column - w->first[row])] += value;
  else w->upper[w->adr[column] + (size_t)(row - w->first[column])] += value;
}

/* P + Q G, and in step the right-hand side -F - Q G d for the contacts that open, whose change d is known. */
static void assemble(newton *w, const cap_nonsmooth_problem *p, int n)
{
  if (!n) return; /* every contact opens */
  memset(w->lower, 0, sizeof(double) * w->adr[n]);
  memset(w->upper, 0, sizeof(double) * w->adr[n]);
  for (int i = 0; i < p->ncontact; i++) {
    const cap_nonsmooth_contact *k = &p->contacts[i];
    int count = cap_nonsmooth_rows_of(k);
    const tangent *t = &w->tangents[i];
    if (w->place[k->row] < 0) continue;
    for (int r = 0; r < count; r++) {
      int place = w->place[k->row + r];
      w->step[place] = -t->F[r];
      for (int c = 0; c < count; c++)
        if (t->P[r * count + c] != 0.0) add(w, place, w->place[k->row + c], t->P[r * count + c]);
    }
    for (int c = 0; c < count; c++)
      for (int at = p->start[k->row + c]; at < p->start[k->row + c + 1]; at++) {
        int other = w->place[p->column[at]];
        for (int r = 0; r < count; r++) {
          double value = t->Q[r * count + c] * p->value[at];
          if (value == 0.0) continue;
          if (other >= 0) add(w, w->place[k->row + r], other, value);
          else w->step[w->place[k->row + r]] += value * p->lambda[p->column[at]];
        }
      }
  }
}

static double dot(const double *a, const double *b, int n)
{
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  int k = 0;
  for (; k + 3 < n; k += 4) {
    s0 += a[k] * b[k];
    s1 += a[k + 1] * b[k + 1];
    s2 += a[k + 2] * b[k + 2];
    s3 += a[k + 3] * b[k + 3];
  }
  for (; k < n; k++) s0 += a[k] * b[k];
  return (s0 + s1) + (s2 + s3);
}

/* L U in place, without exchanges; false: a pivot is lost. */
static bool factorise(newton *w, int n)
{
  for (int i = 0; i < n; i++) {
    double *row = w->lower + w->adr[i], *column = w->upper + w->adr[i];
    int fi = w->first[i];
    double size = fabs(column[i - fi]);
    for (int j = fi; j < i; j++) {
      int fj = w->first[j], from = fi > fj ? fi : fj;
      const double *ru = w->upper + w->adr[j], *rl = w->lower + w->adr[j];
      size = fmax(size, fabs(row[j - fi]));
      row[j - fi] = (row[j - fi] - dot(row + (from - fi), ru + (from - fj), j - from)) / ru[j - fj];
      column[j - fi] -= dot(rl + (from - fj), column + (from - fi), j - from);
    }
    column[i - fi] -= dot(row, column, i - fi);
    if (!(fabs(column[i - fi]) > 1e-13 * size)) return false;
  }
  return true;
}

static void solve_system(const newton *w, int n, double *x)
{
  for (int i = 0; i < n; i++) x[i] -= dot(w->lower + w->adr[i], x + w->first[i], i - w->first[i]);
  for (int i = n; i-- > 0;) {
    const double *column = w->upper + w->adr[i];
    x[i] /= column[i - w->first[i]];
    for (int j = w->first[i]; j < i; j++) x[j] -= column[j - w->first[i]] * x[i];
  }
}

static cap_status make_room(newton *w, int n)
{
  if (w->adr[n] <= w->room) return CAP_OK;
  size_t room = w->adr[n] + w->adr[n] / 2 + 64;
  w->room = 0;
  if (!renew(&w->lower, room, sizeof(double)) || !renew(&w->upper, room, sizeof(double)))
    return CAP_ERR_NOMEM;
  w->room = room;
  return CAP_OK;
}

/* ---- the iteration ------------------------------------------------------------------------------------- */

/* The whole step, or a part of it if that makes things much worse; the residual there. */
static double advance(cap_nonsmooth_work *work, newton *w, const cap_nonsmooth_problem *p, double before)
{
  double least = INFINITY, part = 1.0;
  for (int half = 0; half <= HALVINGS; half++, part *= 0.5) {
    for (int r = 0; r < p->nrow; r++) {
      double change = w->place[r] < 0 ? -p->lambda[r] : w->step[w->place[r]];
      w->trial[r] = p->lambda[r] + part * change;
    }
    cap_nonsmooth_velocities(p, w->trial, work->xi);
    double residual = cap_nonsmooth_defect(work, p, w->trial, work->xi);
    if (half == 0 || residual < least) {
      least = residual;
      memcpy(w->known, w->trial, sizeof(double) * (size_t)p->nrow);
    }
    if (residual <= 10.0 * before) break;
  }
  memcpy(p->lambda, w->known, sizeof(double) * (size_t)p->nrow);
  cap_nonsmooth_velocities(p, p->lambda, work->xi);
  return least;
}

/* One of Newton's steps: false when the system has no solution. */
static cap_status iterate(cap_nonsmooth_work *work, newton *w, const cap_nonsmooth_problem *p,
                          double *residual, bool *done)
{
  int n = lay_out(work, w, p);
  CAP_TRY(make_room(w, n));
  assemble(w, p, n);
  *done = factorise(w, n);
  if (!*done) return CAP_OK;
  solve_system(w, n, w->step);
  *residual = advance(work, w, p, *residual);
  return CAP_OK;
}

static bool is_zero(const cap_nonsmooth_problem *p)
{
  for (int r = 0; r < p->nrow; r++)
    if (p->lambda[r] != 0.0) return false;
  return true;
}

static cap_status run(cap_nonsmooth_work *work, newton *w, const cap_nonsmooth_problem *p,
                      const cap_nonsmooth_settings *s, int patience, cap_nonsmooth_stats *stats);

/* The same contacts with `share` of their friction. */
static void scale_friction(newton *w, const cap_nonsmooth_problem *p, double share)
{
  for (int i = 0; i < p->ncontact; i++) {
    w->scaled[i] = p->contacts[i];
    w->scaled[i].mu *= share;
    w->scaled[i].limit *= share;
  }
}

/* Where the states of the contacts are far from right: the friction grows from none to what it is, and Newton
 * follows, in steps as long as it can. */
static cap_status grow_friction(cap_nonsmooth_work *work, newton *w, const cap_nonsmooth_problem *p,
                                const cap_nonsmooth_settings *s, cap_nonsmooth_stats *stats, double *residual)
{
  cap_nonsmooth_problem q = *p;
  q.contacts = w->scaled;
  if (!w->inner && !(w->inner = calloc(1, sizeof *w->inner))) return CAP_ERR_NOMEM;
  CAP_TRY(reserve(w->inner, p->nrow, p->ncontact));
  double share = 1e-3, step = 0.1;
  memcpy(w->trial, p->lambda, sizeof(double) * (size_t)p->nrow);
  for (int at = 0; at < SHARES && stats->iterations < s->iterations_most; at++) {
    cap_nonsmooth_settings settings = {share < 1.0 ? 1e-6 : s->tolerance, at == 0 ? FIRST : INNER};
    cap_nonsmooth_stats inner = {0};
    scale_friction(w, p, share);
    CAP_TRY(cap_nonsmooth_prepare(&w->inner_work, &q));
    cap_status status = run(&w->inner_work, w->inner, &q, &settings,
                            at == 0 ? FIRST_PATIENCE : INNER_PATIENCE, &inner);
    if (status < 0) return status;
    stats->iterations += inner.iterations;
    if (status == CAP_OK) {
      memcpy(w->trial, p->lambda, sizeof(double) * (size_t)p->nrow);
      if (share == 1.0) break;
      if (inner.iterations < 8) step *= 2.0;
      share = fmin(1.0, share + step);
    } else {
      memcpy(p->lambda, w->trial, sizeof(double) * (size_t)p->nrow);
      share -= step;
      step *= 0.25;
      if (at == 0 || step < 1e-3) break;
      share += step;
    }
  }
  cap_nonsmooth_velocities(p, p->lambda, work->xi);
  *residual = cap_nonsmooth_defect(work, p, p->lambda, work->xi);
  return CAP_OK;
}

/* Newton does not get on: from the best that was found by growing friction, then, should that fail, by more
 * and more sweeps of Gauss-Seidel. */
static cap_status fall_back(cap_nonsmooth_work *work, newton *w, const cap_nonsmooth_problem *p,
                            const cap_nonsmooth_settings *s, bool inner, cap_nonsmooth_stats *stats,
                            double *residual)
{
  int left = s->iterations_most - stats->iterations, round = stats->fallbacks++;
  int sweeps = inner ? SWEEPS : SWEEPS << (round < ROUNDS ? round : ROUNDS);
  memcpy(p->lambda, w->best, sizeof(double) * (size_t)p->nrow);
  stats->iterations += cap_nonsmooth_gauss_seidel_sweep(work, p, s->tolerance, sweeps < left ? sweeps : left,
                                                        residual);
  if (*residual <= s->tolerance || inner || round > 0) return CAP_OK;
  return grow_friction(work, w, p, s, stats, residual);
}

static cap_status run(cap_nonsmooth_work *work, newton *w, const cap_nonsmooth_problem *p,
                      const cap_nonsmooth_settings *s, int patience, cap_nonsmooth_stats *stats)
{
  double residual, least = INFINITY, mark = INFINITY;
  size_t bytes = sizeof(double) * (size_t)p->nrow;
  int idle = 0;
  if (is_zero(p)) stats->iterations = cap_nonsmooth_gauss_seidel_sweep(work, p, s->tolerance, 2, &residual);
  cap_nonsmooth_velocities(p, p->lambda, work->xi);
  residual = cap_nonsmooth_defect(work, p, p->lambda, work->xi);
  if (residual > s->tolerance) arrange(w, p);
  for (;;) {
    if (residual < least) {
      least = residual;
      memcpy(w->best, p->lambda, bytes);
    }
    if (least <= s->tolerance || stats->iterations >= s->iterations_most) break;
    bool done = true;
    if (residual < 0.5 * mark) mark = residual, idle = 0;
    else idle++;
    if (idle < patience) {
      CAP_TRY(iterate(work, w, p, &residual, &done));
      stats->iterations++;
    }
    if (done && idle < patience) continue;
    CAP_TRY(fall_back(work, w, p, s, patience != PATIENCE, stats, &residual));
    idle = 0;
    mark = residual;
  }
  memcpy(p->lambda, w->best, bytes);
  stats->residual = least;
  return least <= s->tolerance ? CAP_OK : CAP_RETRY_NOCONV;
}

static cap_status solve(cap_nonsmooth_work *work, const cap_nonsmooth_problem *p,
                        const cap_nonsmooth_settings *settings, cap_nonsmooth_stats *stats)
{
  if (!work->own && !(work->own = calloc(1, sizeof(newton)))) return CAP_ERR_NOMEM;
  CAP_TRY(reserve(work->own, p->nrow, p->ncontact));
  return run(work, work->own, p, settings, PATIENCE, stats);
}

const cap_nonsmooth_solver cap_nonsmooth_newton = {
    .name = "newton",
    .doc = "semi-smooth Newton's method, with friction continuation or Gauss-Seidel sweeps where it stalls",
    .solve = solve,
    .free = free_newton,
};
