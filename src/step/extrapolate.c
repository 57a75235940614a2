/* step/extrapolate.c — the explicit midpoint rule extrapolated to order twelve, for orbits that must be
 * right.
 *
 * Maths: docs/theory.md §4.5. Every step is done with 2, 4, ... 12 midpoint steps; the error of each is a
 * series in h^2, so a fixed combination of the six has order twelve, and one of the first five tells the
 * error. The tangent is the same combination of the same steps for the columns: the exact derivative of the
 * discrete flow. A step that an advance cuts far below its natural length needs fewer of them: one that
 * carries knows how far each number has reached. No step straddles a corner: piecewise-linear laws keep the
 * piece on which the step starts, laws that change form at a velocity reversal its sense, until the step
 * ends where that is left. Forces are continuous there, so the tangent does not jump; laws that do jump are
 * refused. Ideal contacts: the multipliers follow from the accelerations at every evaluation, and every step
 * ends with a projection onto the constraints (model/constraints.h), so that nothing drifts.
 */
#include "model/constraints.h"
#include "model/contacts.h"
#include "step/excess.h"
#include "step/stepper.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 6, ROWS_LEAST = 2, LANDINGS = 12, MOST_BRIEF = 200, ATTEMPTS = 1000 };
static const int SUBSTEPS[ROWS] = {2, 4, 6, 8, 10, 12};
static const double GROWTH_MOST = 4.0; /* of a step */

/* Where a law changes form: its deflection passes `at` (with or without a jump of the slope), its velocity
 * does, or its velocity changes sign. */
typedef struct corner {
  int elem, i, j;
  bool velocity, reversal; /* reversal: the law wants to know the sense */
  double at, jump;         /* m (m/s), N/m */
  int side;                /* +1 or -1: where the motion is now */
} corner;

/* What is carried over an advance; doubles alone, for a view. */
typedef struct carried {
  double reach[ROWS + 1]; /* s, with so many results; 0: nothing is known */
} carried;
enum { CARRIED = sizeof(carried) / sizeof(double) };

typedef struct memory {
  cap_stepper_settings settings;
  carried own;
  int rows;       /* results of the step at hand */
  double longest; /* s, the step to try where nothing is carried */
  int64_t nevaluation;
  const cap_model *m;
  const double *inputs; /* of the data that are being moved */
  int n;                /* states and, with audit, the work of every mechanism */
  int ncorner;
  corner *corners;
  signed char *sense;            /* [nelem] */
  double weight[ROWS + 1][ROWS]; /* of so many results */
  double least;                  /* m: the size of the largest stick deflection, or 0 */
  bool slips;                    /* a contact may slip: a law whose corners are not known beforehand */
  double *y, *slope0;            /* [n] at the step's start */
  double *end, *low, *end_slope; /* [n] at its end, by both orders */
  double *result[ROWS],
      *soft[ROWS];          /* [n] of each number of midpoint steps; soft: smoothed, if a contact slips */
  double *smooth;           /* [n] at its end, by results that have seen the law there; if a contact slips */
  double *stage[2], *slope; /* [n] */
  double *dslope0, *dend;   /* [nstate][nstate] */
  double *dstage[2], *dslope, *h, *dh, *force, *workspace, *inertia;
  cap_arena arena;
} memory;

static void release(void *self)
{
  memory *w = self;
  if (!w) return;
  cap_arena_free(&w->arena);
  free(w);
}

/* ---- corners ------------------------------------------------------------------------------------------- */

static int put_corner(corner *out, int n, corner c)
{
  if (out) out[n] = c;
  return n + 1;
}

/* Corners of element k; written from out[n] on unless `out` is NULL. Returns n plus their number. */
static int element_corners(const cap_batch *batch, int k, int n, corner *out)
{
  const corner own = {.elem = batch->elem_adr + k, .i = batch->i[k], .j = batch->j[k]};
  cap_pieces pieces = {0};
  cap_joint joints[CAP_JOINTS_MOST];
  if (batch->type->reversal) {
    corner c = own;
    c.velocity = c.reversal = true;
    n = put_corner(out, n, c);
  }
  if (batch->type->pieces && !batch->type->pieces(batch, k, 0, &pieces)) pieces.n = 0;
  for (int p = 0; p < pieces.n; p++) {
    corner c = own;
    c.at = pieces.at[p];
    c.jump = pieces.jump[p];
    if (c.jump != 0.0) n = put_corner(out, n, c);
  }
  int njoint = batch->type->joints ? batch->type->joints(batch, k, 0, joints) : 0;
  for (int p = 0; p < njoint; p++) {
    corner c = own;
    c.at = joints[p].at;
    c.velocity = joints[p].velocity;
    n = put_corner(out, n, c);
  }
  return n;
}

static int count_corners(const cap_model *m, corner *out)
{
  int n = 0;
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; k < m->batches[b].n; k++) n = element_corners(&m->batches[b], k, n, out);
  return n;
}

static double between(const double *a, const corner *c)
{
  return a[c->i] - (c->j == CAP_GROUND ? 0.0 : a[c->j]);
}

/* The function whose sign is the side, and its rate. */
static double place(const memory *w, const corner *c, const double *y)
{
  return between(c->velocity ? y + w->m->nv : y, c) - c->at;
}

static double rate(const memory *w, const corner *c, const double *y, const double *slope)
{
  return between((c->velocity ? slope : y) + w->m->nv, c);
}

/* Below this a place is on the corner: rounding of the state is all that is left. */
static double thickness(const memory *w, const corner *c, const double *y)
{
  double size = 0.0;
  const double *from = c->velocity ? y + w->m->nv : y;
  for (int i = 0; i < w->m->nv; i++) size = fmax(size, fabs(from[i]));
  return 1e-14 * (size + fabs(c->at));
}

/* A law on a piece that it has left within the step: the piece's straight line, not the corner. */
static void extend_pieces(const memory *w, const double *y, const double *dy, double *ydot, double *dydot)
{
  const cap_model *m = w->m;
  int n = m->nstate;
  for (int k = 0; k < w->ncorner; k++) {
    const corner *c = &w->corners[k];
    if (c->jump == 0.0) continue;
    double u = place(w, c, y);
    if (c->side * u >= 0.0) continue;
    const double slope = c->jump * c->side, force = slope * u; /* jump/2 (side u - |u|) */
    for (int end = 0; end < 2; end++) {
      int dof = end ? c->j : c->i;
      if (dof == CAP_GROUND || m->driven[dof] >= 0) continue;
      double factor = (end ? 1.0 : -1.0) * m->inverse_mass[dof];
      ydot[m->nv + dof] += factor * force;
      for (int col = 0; dy && col < n; col++) {
        double du = dy[c->i * n + col] - (c->j == CAP_GROUND ? 0.0 : dy[c->j * n + col]);
        dydot[(m->nv + dof) * n + col] += factor * slope * du;
      }
    }
  }
}

/* ---- one step ------------------------------------------------------------------------------------------ */

static void evaluate(memory *w, double t, const double *y, const double *dy, double *ydot, double *dydot)
{
  const cap_model *m = w->m;
  cap_eval e = {.nlane = 1, .ncol = dy ? m->nstate : 0, .t = &t, .sense = w->sense, .h = w->h, .dh = w->dh};
  e.workspace = w->workspace;
  e.input = w->inputs;
  e.inertia_work = w->inertia;
  if (w->settings.audit) e.power = ydot + m->nstate;
  cap_model_derivative(m, &e, y, dy, ydot, dydot);
  if (w->ncorner) extend_pieces(w, y, dy, ydot, dydot);
}

/* out = base + step * slope */
static void reach(int n, const double *restrict base, double step, const double *restrict slope,
                  double *restrict out)
{
  for (int i = 0; i < n; i++) out[i] = base[i] + step * slope[i];
}

/* out = base + step * slope where out already holds base's place two steps ago */
static void leap(int n, double step, const double *restrict slope, double *restrict out)
{
  for (int i = 0; i < n; i++) out[i] += step * slope[i];
}

static void add(int n, double weight, const double *restrict from, double *restrict to)
{
  for (int i = 0; i < n; i++) to[i] += weight * from[i];
}

/* `count` midpoint steps over h; the result is in w->stage[return value]. */
static int midpoint(memory *w, double t, double h, int count, const double *tangent)
{
  int n = w->n, n2 = w->m->nstate * w->m->nstate;
  double step = h / count;
  memcpy(w->stage[0], w->y, sizeof(double) * (size_t)n);
  reach(n, w->y, step, w->slope0, w->stage[1]);
  if (tangent) {
    memcpy(w->dstage[0], tangent, sizeof(double) * (size_t)n2);
    reach(n2, tangent, step, w->dslope0, w->dstage[1]);
  }
  int now = 1;
  for (int k = 1; k < count; k++, now = 1 - now) {
    evaluate(w, t + k * step, w->stage[now], tangent ? w->dstage[now] : NULL, w->slope, w->dslope);
    leap(n, 2.0 * step, w->slope, w->stage[1 - now]);
    if (tangent) leap(n2, 2.0 * step, w->dslope, w->dstage[1 - now]);
  }
  return now;
}

/* Gragg's smoothed value of the steps whose result is w->stage[last], into `out`. Like the result it is a
 * series in h^2, and it has asked for the law at the end, where the steps themselves have not been: a corner
 * behind their last point would be unknown to all of them. */
static void smoothed(memory *w, double t, double step, int last, double *out)
{
  evaluate(w, t, w->stage[last], NULL, w->slope, NULL);
  for (int i = 0; i < w->n; i++)
    out[i] = 0.5 * (w->stage[1 - last][i] + w->stage[last][i] + step * w->slope[i]);
}

/* w->end, w->low and w->smooth by the first `rows` results. */
static void assemble(memory *w, int rows)
{
  int n = w->n;
  memset(w->end, 0, sizeof(double) * (size_t)n);
  memset(w->low, 0, sizeof(double) * (size_t)n);
  if (w->slips) memset(w->smooth, 0, sizeof(double) * (size_t)n);
  for (int row = 0; row < rows; row++) {
    add(n, w->weight[rows][row], w->result[row], w->end);
    if (row < rows - 1) add(n, w->weight[rows - 1][row], w->result[row], w->low);
    if (w->slips) add(n, w->weight[rows][row], w->soft[row], w->smooth);
  }
}

/* From w->y over h into w->end (and w->dend); w->slope0 (and dslope0) are known. */
static void take_step(memory *w, double t, double h, const double *tangent)
{
  int n2 = w->m->nstate * w->m->nstate;
  if (tangent) memset(w->dend, 0, sizeof(double) * (size_t)n2);
  for (int row = 0; row < w->rows; row++) {
    int last = midpoint(w, t, h, SUBSTEPS[row], tangent);
    w->nevaluation += SUBSTEPS[row] - 1 + w->slips;
    memcpy(w->result[row], w->stage[last], sizeof(double) * (size_t)w->n);
    if (tangent) add(n2, w->weight[w->rows][row], w->dstage[last], w->dend);
    if (w->slips) smoothed(w, t + h, h / SUBSTEPS[row], last, w->soft[row]);
  }
  assemble(w, w->rows);
}

/* What the results of a step differ by, over what is allowed. */
static double error_of(memory *w, double h)
{
  for (int i = 0; i < w->m->nstate; i++) {
    double orders = fabs(w->end[i] - w->low[i]), smooth = w->slips ? fabs(w->end[i] - w->smooth[i]) : 0.0;
    w->slope[i] = smooth <= orders ? orders : smooth; /* also when it is not a number */
  }
  const cap_excess_ends ends = {.y = w->y, .slope = w->slope0, .end = w->end, .miss = w->slope, .h = h};
  return cap_excess_of(w->m, w->settings.tolerance, w->least, &ends);
}

/* Factor of a step by its error. */
static double growth(int rows, double error)
{
  return error > 0.0 ? fmin(GROWTH_MOST, 0.9 * pow(error, -1.0 / (2.0 * rows - 1.0))) : GROWTH_MOST;
}

/* ---- how many results ---------------------------------------------------------------------------------- */

/* A step that is far too short says no more of a number than that. */
static void set_reach(memory *w, int rows, double h, double error)
{
  double *reach = &w->own.reach[rows], factor = isfinite(error) ? fmax(0.1, growth(rows, error)) : 0.1;
  *reach = factor < GROWTH_MOST ? h * factor : fmax(h * factor, *reach);
}

/* What the step of length h that was tried says of every number of results, `error` being that of its own.
 * Fewer are known by their own errors. One more goes on as the last two did; what has changed for this one
 * has changed for those beyond, which reach no less far. */
static void learn(memory *w, double h, double error)
{
  double *reach = w->own.reach, before = reach[w->rows], last = INFINITY;
  for (int rows = ROWS_LEAST; rows < w->rows; rows++) {
    assemble(w, rows);
    last = error_of(w, h);
    set_reach(w, rows, h, last);
  }
  assemble(w, w->rows);
  set_reach(w, w->rows, h, error);
  for (int rows = w->rows + 1; rows <= ROWS; rows++) {
    if (rows == w->rows + 1 && isfinite(last)) set_reach(w, rows, h, error * fmin(1.0, error / last));
    else if (before > 0.0) reach[rows] = fmax(reach[rows] * reach[w->rows] / before, reach[rows - 1]);
  }
}

/* The number of results with which the way `left` costs the fewest evaluations, by what is known of each;
 * returns the length of the first step. The fewest serve for single steps alone, since nothing is learnt from
 * them of others. */
static double choose_rows(memory *w, double left)
{
  double least = INFINITY, h = left, evaluations = 1.0;
  w->rows = ROWS;
  for (int rows = 1; rows <= ROWS; rows++) {
    double reach = w->own.reach[rows];
    evaluations += SUBSTEPS[rows - 1] - 1 + w->slips;
    if (!(reach > 0.0) || (rows == ROWS_LEAST && reach < left)) continue;
    double steps = ceil(left / reach * (1.0 - 1e-9)), cost = evaluations * steps;
    if (!(cost < least)) continue;
    least = cost;
    w->rows = rows;
    h = steps <= 3.0 ? left / steps : reach;
  }
  return h;
}

/* ---- landing on a corner ------------------------------------------------------------------------------- */

/* Value of the cubic through both ends at the fraction s of the step. */
static double cubic(double g0, double d0, double g1, double d1, double s)
{
  double r = 1.0 - s;
  return r * r * (1.0 + 2.0 * s) * g0 + s * s * (3.0 - 2.0 * s) * g1 + s * r * (r * d0 - s * d1);
}

/* Fraction where the cubic's derivative vanishes between a fall and a rise. */
static double turning(double g0, double d0, double g1, double d1)
{
  double a = 3.0 * (2.0 * (g0 - g1) + d0 + d1), b = 2.0 * (3.0 * (g1 - g0) - 2.0 * d0 - d1), c = d0;
  double root = sqrt(fmax(b * b - 4.0 * a * c, 0.0)), q = -0.5 * (b + copysign(root, b));
  double first = a != 0.0 ? q / a : INFINITY, second = q != 0.0 ? c / q : INFINITY;
  return first > 0.0 && first < 1.0 ? first : second > 0.0 && second < 1.0 ? second : 0.5;
}

/* First zero of a cubic that is negative at `to`: after its start when it is positive there, else (the step
 * starts on the corner, and leaves it) after its largest value. */
static double first_zero(double g0, double d0, double g1, double d1, double thin, double to)
{
  enum { SCAN = 16 };
  double from = 0.0, most = g0;
  for (int k = 1; g0 <= thin && k < SCAN; k++) {
    double here = cubic(g0, d0, g1, d1, to * k / SCAN);
    if (here > most) most = here, from = to * k / SCAN;
  }
  for (int k = 0; k < 30; k++) {
    double mid = 0.5 * (from + to);
    if (cubic(g0, d0, g1, d1, mid) > 0.0) from = mid;
    else to = mid;
  }
  return to;
}

/* Where within the step just taken a corner is met: the fraction, 1 when it is not; `landed` is not looked
 * for. *uncertain: the fraction is that of a turning point so near that the cubic cannot tell. */
static double first_corner(const memory *w, double h, int landed, int *which, bool *uncertain)
{
  double first = 1.0;
  *which = -1;
  *uncertain = false;
  for (int k = 0; k < w->ncorner; k++) {
    const corner *c = &w->corners[k];
    if (k == landed) continue;
    double g0 = c->side * place(w, c, w->y), g1 = c->side * place(w, c, w->end);
    double d0 = c->side * h * rate(w, c, w->y, w->slope0),
           d1 = c->side * h * rate(w, c, w->end, w->end_slope);
    double thin = thickness(w, c, w->end), at = 1.0;
    bool close = false;
    if (g1 < -thin) {
      at = first_zero(g0, d0, g1, d1, thin, 1.0);
    } else if (d0 < 0.0 && d1 > 0.0) {
      double turn = turning(g0, d0, g1, d1), least = cubic(g0, d0, g1, d1, turn);
      if (least < -thin && g0 > thin) at = first_zero(g0, d0, g1, d1, thin, turn);
      else if (least < 0.05 * (fabs(d0) + fabs(d1)) && turn > 0.05 && turn < 0.95) at = turn, close = true;
    }
    if (at < first) {
      first = at;
      *which = k;
      *uncertain = close;
    }
  }
  return first;
}

/* Length of the step from w->y that ends on a corner, from an estimate below `most`. */
static double land(memory *w, double t, const corner *c, double estimate, double most)
{
  double low = 0.0, high = most, h = estimate;
  for (int k = 0; k < LANDINGS; k++) {
    take_step(w, t, h, NULL);
    evaluate(w, t + h, w->end, NULL, w->end_slope, NULL);
    double g = c->side * place(w, c, w->end), d = c->side * rate(w, c, w->end, w->end_slope);
    if (fabs(g) <= 0.1 * thickness(w, c, w->end)) break;
    if (g > 0.0) low = h;
    else high = h;
    double next = h - g / d;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (fabs(next - h) <= 4.0 * DBL_EPSILON * h) break;
    h = next;
  }
  return h;
}

/* ---- the way to t_end ---------------------------------------------------------------------------------- */

/* Sides of all corners at the start: by the place; on a corner by where the motion leads. A reversal's sense
 * near zero is that of the last event. */
static void set_sides(memory *w, cap_data *d)
{
  double fastest = 0.0;
  for (int i = 0; i < w->m->nv; i++) fastest = fmax(fastest, fabs(w->y[w->m->nv + i]));
  for (int k = 0; k < w->ncorner; k++) w->corners[k].side = place(w, &w->corners[k], w->y) < 0.0 ? -1 : 1;
  for (int e = 0; e < w->m->nelem; e++) w->sense[e] = 0;
  evaluate(w, *d->t, w->y, NULL, w->slope0, NULL);
  for (int k = 0; k < w->ncorner; k++) {
    corner *c = &w->corners[k];
    double g = place(w, c, w->y), v = rate(w, c, w->y, w->slope0);
    if (c->reversal) {
      int64_t known = d->sense[c->elem];
      if (fabs(g) <= 1e-9 * fastest) c->side = g != 0.0 && known ? (int)known : v < 0.0 ? -1 : 1;
      d->sense[c->elem] = c->side;
      w->sense[c->elem] = (signed char)c->side;
    } else if (fabs(g) <= thickness(w, c, w->y)) {
      c->side = v < 0.0 ? -1 : 1;
    }
  }
}

static void cross(memory *w, cap_data *d, corner *c)
{
  c->side = -c->side;
  if (c->reversal) {
    w->sense[c->elem] = (signed char)c->side;
    d->sense[c->elem] = c->side;
  }
  d->steps[CAP_STEPS_EVENTS]++;
}

/* A step that is right leaves the ideal rows within its own error: what the projection would have to change
 * beyond that is a jump of the rows within the step (a disc that passed through flat). As
 * a number above 1. */
static double jump_of_rows(memory *w, double t)
{
  const cap_model *m = w->m;
  double size = 0.0;
  if (!m->nideal) return 0.0;
  for (int i = m->nv; i < 2 * m->nv; i++) size = fmax(size, fmax(fabs(w->y[i]), fabs(w->end[i])));
  double slip = cap_constraints_residual(m, t, w->end, w->workspace, NULL);
  return slip <= 1e3 * w->settings.tolerance * size ? 0.0 : 2.0; /* none at all is a jump, too */
}

/* The step of at most h that is done: shortened until the error allows it and no corner lies within; h = 0
 * when there is none. Returns the corner on which it ends, or -1. */
static int settle_step(memory *w, double t, double *h, double *grow, const double *tangent)
{
  int landed = -1, which;
  double least = 16.0 * DBL_EPSILON * (fabs(t) + *h);
  const bool carry = w->settings.carry;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    bool uncertain;
    take_step(w, t, *h, tangent);
    double error = error_of(w, *h);
    if (error <= 1.0) error = fmax(error, jump_of_rows(w, t + *h));
    *grow = growth(w->rows, error);
    if (carry) learn(w, *h, error);
    if (!(error <= 1.0)) {
      double shorter = *h * (isfinite(error) ? fmax(0.1, fmin(0.9, *grow)) : 0.1);
      *h = carry ? fmin(choose_rows(w, *h), *h) : shorter;
      landed = -1;
      if (*h < least) {
        *h = 0.0;
        return -1;
      }
      continue;
    }
    if (!w->ncorner) return -1;
    evaluate(w, t + *h, w->end, NULL, w->end_slope, NULL);
    double part = first_corner(w, *h, landed, &which, &uncertain);
    if (which < 0) return landed;
    double estimate = fmax(part * *h, least);
    *h = uncertain ? estimate : land(w, t, &w->corners[which], estimate, *h);
    landed = uncertain ? -1 : which;
    if (*h < least) *h = least;
  }
  *h = 0.0; /* corners that each lie before the other, as far as the clock can tell */
  return -1;
}

/* What is imposed does not depend on the start. */
static void forget_driven(const cap_model *m, double *tangent)
{
  for (int k = 0; k < m->nmotion; k++) {
    memset(tangent + m->motion_dof[k] * m->nstate, 0, sizeof(double) * (size_t)m->nstate);
    memset(tangent + (m->nv + m->motion_dof[k]) * m->nstate, 0, sizeof(double) * (size_t)m->nstate);
  }
}

static void observe(memory *w, const cap_data *d)
{
  if (!w->settings.observer) return;
  cap_eval e = {.nlane = 1, .t = d->t, .sense = w->sense, .h = w->h, .force = w->force};
  e.workspace = w->workspace;
  e.input = w->inputs;
  e.inertia_work = w->inertia;
  cap_model_derivative(w->m, &e, d->y, NULL, w->slope, NULL);
  w->settings.observer->see(w->settings.observer->self, w->m, d->t, d->y, w->force, NULL);
}

static void start_step(memory *w, const cap_data *d, const double *tangent)
{
  const cap_model *m = w->m;
  memcpy(w->y, d->y, sizeof(double) * (size_t)m->nstate);
  if (w->settings.audit) memset(w->y + m->nstate, 0, sizeof(double) * (size_t)m->nmech);
  evaluate(w, *d->t, w->y, tangent, w->slope0, w->dslope0);
}

static void finish_step(memory *w, cap_data *d, double t, double *tangent)
{
  const cap_model *m = w->m;
  memcpy(d->y, w->end, sizeof(double) * (size_t)m->nstate);
  for (int k = 0; w->settings.audit && k < m->nmech; k++) d->work[k] += w->end[m->nstate + k];
  if (tangent) memcpy(tangent, w->dend, sizeof(double) * (size_t)(m->nstate * m->nstate));
  *d->t = t;
  if (m->nmotion) cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
  if (m->nmotion && tangent) forget_driven(m, tangent);
  d->steps[CAP_STEPS_STEPS]++;
}

static void resume(void *self, cap_stepper_left left)
{
  memory *w = self;
  if (left == CAP_STEPPER_MOVED) w->own = (carried){0};
}

static int views(void *self, cap_view *views)
{
  memory *w = self;
  views[0] = (cap_view){.name = CAP_VIEW_CARRIED "step",
                        .unit = "s",
                        .meaning = "longest step by the number of results",
                        .count = CARRIED,
                        .values = &w->own};
  return 1;
}

static cap_status advance(void *self, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                          cap_error *error)
{
  memory *w = self;
  double grow;
  w->longest = *t_end - *d->t;
  w->nevaluation = 1;
  w->inputs = d->input;
  int nbrief = 0; /* steps in a row that the clock can hardly tell */
  if (tangent && m->nideal)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "extrapolation provides no tangent of an ideal contact");
  CAP_TRY(cap_model_check_finite(m, *d->t, d->y, error));
  memcpy(w->y, d->y, sizeof(double) * (size_t)m->nstate);
  set_sides(w, d);
  while (*d->t < *t_end) {
    CAP_TRY(cap_stepper_look(m, *d->t, d->v, error));
    double left = *t_end - *d->t, h = w->longest < left ? w->longest : left;
    w->rows = ROWS;
    if (w->settings.carry) h = choose_rows(w, left);
    bool whole = h == left;
    observe(w, d);
    start_step(w, d, tangent);
    double asked = h;
    w->nevaluation++;
    int landed = settle_step(w, *d->t, &h, &grow, tangent);
    if (!(h > 0.0)) {
      int dependent = -1;
      if (m->nideal) cap_constraints_rank(m, *d->t, d->y, w->workspace, &dependent);
      if (dependent >= 0) return cap_constraints_fail_rank(m, *d->t, dependent, error);
      CAP_TRY(cap_model_check_finite(m, *d->t, w->end, error));
      return cap_status_fail(
          error, CAP_ERR_NUMERICS,
          "at t = %.9g s the step became too small for a tolerance of %.3g; increase the tolerance", *d->t,
          w->settings.tolerance);
    }
    nbrief = h < 1e-12 * fabs(*t_end) ? nbrief + 1 : 0;
    if (nbrief > MOST_BRIEF)
      return cap_status_fail(error, CAP_ERR_NUMERICS, "a law switches endlessly at t = %.9g s", *d->t);
    /* a step cut short at a corner says little about the next one */
    w->longest = landed < 0 || grow < 1.0 ? h * grow : fmax(w->longest, h * grow);
    finish_step(w, d, whole && h == asked ? *t_end : *d->t + h, tangent);
    CAP_TRY(cap_model_check_finite(m, *d->t, d->y, error)); /* says more than a projection that fails */
    if (m->nideal) CAP_TRY(cap_constraints_project(m, *d->t, d->y, w->workspace, error));
    if (landed >= 0) cross(w, d, &w->corners[landed]);
    CAP_TRY(cap_model_check_finite(m, *d->t, d->y, error));
  }
  observe(w, d);
  d->steps[CAP_STEPS_EVALUATIONS] += w->nevaluation;
  return CAP_OK;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* Weights that cancel the powers h^2, h^4, ... of the first `rows` results. */
static void set_weights(int rows, double *weight)
{
  for (int j = 0; j < rows; j++) {
    double nj = (double)SUBSTEPS[j] * SUBSTEPS[j];
    weight[j] = 1.0;
    for (int i = 0; i < rows; i++)
      if (i != j) weight[j] *= nj / (nj - (double)SUBSTEPS[i] * SUBSTEPS[i]);
  }
}

static bool allocate(memory *w, const cap_model *m)
{
  size_t n = (size_t)w->n, n2 = (size_t)m->nstate * (size_t)m->nstate;
  double **vectors[] = {&w->y,        &w->slope0,   &w->end,   &w->low,   &w->end_slope,
                        &w->stage[0], &w->stage[1], &w->slope, &w->smooth};
  double **matrices[] = {&w->dslope0, &w->dend, &w->dstage[0], &w->dstage[1], &w->dslope};
  bool all = true;
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    all = (*vectors[k] = CAP_ARENA_NEW(&w->arena, double, n)) && all;
  for (int row = 0; row < ROWS; row++)
    all = (w->result[row] = CAP_ARENA_NEW(&w->arena, double, n)) &&
          (w->soft[row] = CAP_ARENA_NEW(&w->arena, double, n)) && all;
  for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++)
    all = (*matrices[k] = CAP_ARENA_NEW(&w->arena, double, n2)) && all;
  w->h = CAP_ARENA_NEW(&w->arena, double, m->nv);
  w->dh = CAP_ARENA_NEW(&w->arena, double, m->nv * m->nstate);
  w->force = CAP_ARENA_NEW(&w->arena, double, m->noutput);
  w->workspace = CAP_ARENA_NEW(&w->arena, double, m->nworkspace);
  w->inertia = CAP_ARENA_NEW(&w->arena, double, m->ninertia_work);
  w->sense = CAP_ARENA_NEW(&w->arena, signed char, m->nelem);
  w->corners = CAP_ARENA_NEW(&w->arena, corner, count_corners(m, NULL));
  return all && w->h && w->dh && w->force && w->workspace && w->inertia && w->sense && w->corners;
}

static cap_status create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error)
{
  memory *w = calloc(1, sizeof *w);
  *self = w;
  if (!w) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  w->settings = *settings;
  w->m = m;
  w->n = m->nstate + (settings->audit ? m->nmech : 0);
  for (int rows = 1; rows <= ROWS; rows++) set_weights(rows, w->weight[rows]);
  w->least = cap_excess_least(m);
  w->slips = cap_contacts_may_slip(m);
  if (allocate(w, m)) {
    w->ncorner = count_corners(m, w->corners);
    return CAP_OK;
  }
  release(w);
  *self = NULL;
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

/* Whether a force with corners, which is continued beyond them, acts on a block of inertia. */
static bool has_pieces_on_blocks(const cap_model *m)
{
  for (int b = 0; m->ninertia && b < m->nbatch; b++)
    for (int k = 0; m->batches[b].type->pieces && k < m->batches[b].n; k++)
      if (cap_inertia_of(m, m->batches[b].i[k]) || cap_inertia_of(m, m->batches[b].j[k])) return true;
  return false;
}

static const char *obstacle(const cap_stepper_type *self, const cap_model *m)
{
  const char *reason = cap_stepper_misses_bodies(self, m);
  if (reason) return reason;
  if (has_pieces_on_blocks(m)) return "a force with corners acts on a body with a non-diagonal mass matrix";
  if ((reason = cap_stepper_misses_laws(self, m))) return reason;
  if (cap_stepper_parting(m)) return "it has contacts that can open";
  return cap_stepper_jumping(m) ? "it has an element with a discontinuous force" : NULL;
}

static int suits(const cap_stepper_type *self, const cap_model *m)
{
  (void)self;
  return m->nideal ? 40 : 0;
}

/* Laws that change form at a reversal: none of the others finds it, but cvode. */
static int moves(const cap_stepper_type *self, const cap_model *m)
{
  return m->reversal && !cap_stepper_obstacle(self, m) ? 16 : 0;
}

const cap_stepper_type cap_extrapolate_type = {
    .name = "extrapolation",
    .doc =
        "midpoint rule extrapolated to order twelve; locates corners of piecewise-linear laws and reversals",
    .smooth = true,
    .inertia = true,
    .constraints = true,
    .tangents = true,
    .suits = suits,
    .moves = moves,
    .obstacle = obstacle,
    .resume = resume,
    .views = views,
    .create = create,
    .advance = advance,
    .free = release,
};
