/* drives/pushbelt/contact/groove_press.c — see groove_part.h: places of the flanks, and the potential that
 * presses them.
 *
 * With delta = -gap, u the axial deflection of both sheaves at the contact and c the stiffness of a flank
 * along its normal:
 *   V = b.b/2 + sum (c/4) <2 delta - nx u>_+^2,    u = psi.b,    N = (c/2) <2 delta - nx u>_+,  lambda = nx N
 * which is (33.5) with the penetration 2 delta/nx and the compliance 2/(c nx^2). Separate flanks have the
 * same of each sheave with delta in the place of 2 delta.
 */
#include "drives/pushbelt/contact/groove_part.h"
#include "drives/pushbelt/contact/maxwell_amplitudes.h"
#include "laws/sine.h"
#include "linalg/dot.h"

#include <string.h>

/* ---- places -------------------------------------------------------------------------------------------- */

/* Of cones nx, nr and bend are not stored: they are the same for all. Per contact: along the axis the
 * penetration is `share` (2: of both flanks) delta over nx. */
typedef struct placing {
  double cx, cy, z;
  double ahead, up;    /* m, of the sphere's centre in the element's axes */
  double share, per_c; /* m/N of one flank */
} placing;

CAP_CLONES static void place_on_cone(const cap_groove_pulley *p, const placing *k,
                                     const cap_groove_pass *restrict w, int from)
{
  const double *restrict x = w->x, *restrict y = w->y, *restrict pitch = w->pitch;
  double *restrict to_ax = w->ax + from, *restrict to_ay = w->ay + from;
  double *restrict ex = w->ex + from, *restrict ey = w->ey + from, *restrict rho = w->rho + from;
  double *restrict reach = w->reach + from, *restrict gap = w->gap + from;
  double *restrict depth = w->penetration + from, *restrict give = w->compliance + from;
  const double sine = p->sine, cosine = p->cosine, rho0 = p->rho0, radius = p->radius, z = k->z;
  const double cx = k->cx, cy = k->cy, scale = -k->share / cosine;
  const double compliance = k->share * k->per_c / (cosine * cosine);
  const double ahead = k->ahead, up = k->up;
  const int n = w->n;
  CAP_EACH_LANE(i, n)
  {
    double c;
    const double s = capm_sine_both(pitch[i], &c), ax = c * ahead - s * up, ay = s * ahead + c * up;
    to_ax[i] = ax, to_ay[i] = ay;
    const cap_flank_place at = cap_flank_on_cone(sine, cosine, rho0, radius, x[i] + ax - cx, y[i] + ay - cy,
                                                 z);
    ex[i] = at.e[0], ey[i] = at.e[1];
    rho[i] = at.rho, reach[i] = at.reach;
    gap[i] = at.gap;
    depth[i] = scale * at.gap;
    give[i] = compliance;
  }
}

CAP_CLONES static void place_on_curve(const cap_groove_pulley *p, const placing *k,
                                      const cap_groove_pass *restrict w, int from)
{
  const double *restrict x = w->x, *restrict y = w->y, *restrict pitch = w->pitch;
  double *restrict to_ax = w->ax + from, *restrict to_ay = w->ay + from;
  double *restrict ex = w->ex + from, *restrict ey = w->ey + from, *restrict rho = w->rho + from;
  double *restrict reach = w->reach + from, *restrict gap = w->gap + from, *restrict nx = w->nx + from;
  double *restrict nr = w->nr + from, *restrict bend = w->bend + from;
  double *restrict depth = w->penetration + from, *restrict give = w->compliance + from;
  const cap_flank_curve curve = p->curve;
  const double radius = p->radius, m = p->m0 - 0.5 * k->z, cx = k->cx, cy = k->cy, share = k->share;
  const double first = m - radius * p->cosine; /* the foot, nearly */
  const double ahead = k->ahead, up = k->up;
  const int n = w->n;
  CAP_EACH_LANE(i, n)
  {
    double c;
    const double s = capm_sine_both(pitch[i], &c), ax = c * ahead - s * up, ay = s * ahead + c * up;
    to_ax[i] = ax, to_ay[i] = ay;
    const double dx = x[i] + ax - cx, dy = y[i] + ay - cy, far = sqrt(dx * dx + dy * dy);
    const double one = cap_flank_step(&curve, m, far, first), two = cap_flank_step(&curve, m, far, one);
    const double three = cap_flank_step(&curve, m, far, two), four = cap_flank_step(&curve, m, far, three);
    const double foot = cap_flank_step(&curve, m, far, four);
    double r[3];
    cap_flank_contour(&curve, foot, r);
    const cap_flank_place at = cap_flank_on_curve(&curve, radius, dx, dy, m, foot);
    ex[i] = at.e[0], ey[i] = at.e[1];
    rho[i] = at.rho, reach[i] = at.reach;
    nx[i] = at.nx, nr[i] = at.nr;
    bend[i] = r[2] * at.nr * at.nr * at.nr / (1.0 + r[1] * r[1] + r[2] * (r[0] - at.rho));
    gap[i] = at.gap;
    depth[i] = -share * at.gap / at.nx;
    give[i] = share * k->per_c / (at.nx * at.nx);
  }
}

static void place(const cap_groove_pass *w, int from, double ahead)
{
  const cap_groove *g = w->g;
  placing k = {.cx = w->p->given->x,
               .cy = w->p->given->y,
               .z = w->z,
               .ahead = ahead,
               .up = w->p->up,
               .share = g->coupled ? 2.0 : 1.0,
               .per_c = 1.0 / g->stiffness};
  if (w->p->given->curved) place_on_curve(w->p, &k, w, from);
  else place_on_cone(w->p, &k, w, from);
}

/* Where front and rear deform as one the deeper of them carries all. */
static void choose_deeper(cap_groove_pass *w)
{
  double *arrays[] = {w->ex, w->ey, w->rho, w->reach,       w->nx,         w->nr,
                      w->ax, w->ay, w->gap, w->penetration, w->compliance, w->bend};
  for (int i = 0; i < w->n; i++) {
    int rear = w->n + i, deeper = w->gap[rear] < w->gap[i];
    for (size_t a = 0; deeper && a < sizeof arrays / sizeof *arrays; a++) arrays[a][i] = arrays[a][rear];
  }
}

static void place_all(cap_groove_pass *w)
{
  const cap_groove *g = w->g;
  if (g->points == 1 && !g->whole) {
    w->m = w->n;
    place(w, 0, 0.0);
    return;
  }
  place(w, 0, g->half);
  place(w, w->n, -g->half);
  w->m = g->whole ? w->n : 2 * w->n;
  if (g->whole) choose_deeper(w);
}

/* ---- forces -------------------------------------------------------------------------------------------- */

CAP_CLONES static void press_alone(int n, const double *restrict depth, const double *restrict give,
                                   double *restrict force)
{
  for (int i = 0; i < n; i++) {
    const double pressed = depth[i] > 0.0 ? depth[i] : 0.0;
    force[i] = pressed / give[i];
  }
}

static void clear_slopes(const cap_groove_pass *w)
{
  size_t size = sizeof(double) * (size_t)w->m;
  memset(w->along_r, 0, size);
  memset(w->along_phi, 0, size);
  memset(w->deflected, 0, size);
}

static void press_rigid(const cap_groove_pass *w)
{
  press_alone(w->m, w->penetration, w->compliance, w->lambda);
  clear_slopes(w);
  if (!w->g->coupled) memcpy(w->other, w->lambda, sizeof(double) * (size_t)w->m);
}

/* Deflection of a sheave, or of both, by its amplitudes. */
typedef struct field {
  double tilt[2], inner, per;
  double even[CAP_INFLUENCE_HARMONICS], odd[CAP_INFLUENCE_HARMONICS];
  int last;
} field;

static field field_of(const cap_influence *a, const cap_influence *b, const double *amplitude)
{
  field f = {.inner = a->inner, .last = -1};
  double tilt = a->tilt + (b ? b->tilt : 0.0);
  f.per = a->outer > a->inner ? 1.0 / (a->outer - a->inner) : 0.0;
  if (tilt > 0.0)
    for (int k = 0; k < 2; k++) f.tilt[k] = sqrt(tilt) * *amplitude++;
  for (int m = 0; m < CAP_INFLUENCE_HARMONICS; m++) {
    double plate = a->plate[m] + (b ? b->plate[m] : 0.0);
    if (!(plate > 0.0)) continue;
    f.even[m] = sqrt(plate) * *amplitude++;
    if (m > 0) f.odd[m] = sqrt(plate) * *amplitude++;
    f.last = m;
  }
  return f;
}

CAP_INLINE void put_tilt(const field *f, bool first, int n, const double *restrict r,
                         const double *restrict ex, const double *restrict ey, const double *restrict lambda,
                         double *restrict along_r, double *restrict along_phi, double *restrict u)
{
  const double a = f->tilt[0], b = f->tilt[1];
  for (int i = 0; i < n; i++) {
    const double slope = a * ex[i] + b * ey[i], turn = b * ex[i] - a * ey[i];
    along_r[i] = (first ? 0.0 : along_r[i]) + lambda[i] * slope;
    along_phi[i] = (first ? 0.0 : along_phi[i]) + lambda[i] * (r[i] * turn);
    u[i] = r[i] * slope;
  }
}

CAP_CLONES static void set_tilt(const field *f, int n, const double *r, const double *ex, const double *ey,
                                const double *lambda, double *along_r, double *along_phi, double *u)
{
  put_tilt(f, true, n, r, ex, ey, lambda, along_r, along_phi, u);
}
CAP_CLONES static void add_tilt(const field *f, int n, const double *r, const double *ex, const double *ey,
                                const double *lambda, double *along_r, double *along_phi, double *u)
{
  put_tilt(f, false, n, r, ex, ey, lambda, along_r, along_phi, u);
}

/* Horner's scheme in exp(i phi), for the sum and its derivative. */
CAP_CLONES static void add_plate(const field *f, int n, const double *restrict r, const double *restrict ex,
                                 const double *restrict ey, const double *restrict lambda,
                                 double *restrict along_r, double *restrict along_phi, double *restrict u)
{
  const field k = *f;
  CAP_EACH_LANE(i, n)
  {
    const double c = ex[i], s = ey[i];
    double re = 0.0, im = 0.0, turn_re = 0.0, turn_im = 0.0;
    for (int m = CAP_INFLUENCE_HARMONICS - 1; m >= 0; m--) { /* sum of (even - i odd) exp(i m phi) */
      const double re0 = re * c - im * s + k.even[m], im0 = re * s + im * c - k.odd[m];
      const double dre = turn_re * c - turn_im * s + m * k.even[m];
      turn_im = turn_re * s + turn_im * c - m * k.odd[m];
      re = re0, im = im0, turn_re = dre;
    }
    const double raw = (r[i] - k.inner) * k.per, x = raw > 0.0 ? raw : 0.0;
    const double shape = x * x * (1.5 - 0.5 * x), slope = (3.0 * x - 1.5 * x * x) * k.per;
    along_r[i] += lambda[i] * (slope * re);
    along_phi[i] += lambda[i] * (shape * -turn_im); /* the real part of i times the sum */
    u[i] += shape * re;
  }
}

/* Slopes times forces, set by the first side, and its deflection. */
static void add_slopes(const field *f, cap_groove_pass *w, int side, const double *lambda)
{
  (side == 0 ? set_tilt : add_tilt)(f, w->m, w->reach, w->ex, w->ey, lambda, w->along_r, w->along_phi,
                                    w->deflected);
  if (f->last >= 0)
    add_plate(f, w->m, w->reach, w->ex, w->ey, lambda, w->along_r, w->along_phi, w->deflected);
}

static int stride_of(int most)
{
  return (most + 7) / 8 * 8;
}

/* One side by its amplitudes; coupled flanks have one side. */
static cap_status press_side(cap_groove_pass *w, int side, double *lambda)
{
  const cap_maxwell *s = &w->p->sheaves;
  const cap_influence *first = &s->sheave[side], *second = s->coupled ? &s->sheave[1] : NULL;
  int stride = stride_of(w->most), K = cap_influence_count(first, second);
  cap_maxwell_amplitudes a = cap_maxwell_amplitudes_at(w->solver, stride, K);
  double residual = 0.0, *warm = w->warm + side * CAP_MAXWELL_FUNCTIONS;
  memcpy(a.b, warm, sizeof(double) * (size_t)K);
  cap_influence_functions(first, second, w->m, w->reach, w->ex, w->ey, stride, a.psi);
  CAP_TRY(cap_maxwell_amplitudes_solve(&a, w->m, w->compliance, w->penetration, lambda, &w->iterations[side],
                                       &residual));
  memcpy(warm, a.b, sizeof(double) * (size_t)K);
  field f = field_of(first, second, a.b);
  add_slopes(&f, w, side, lambda);
  return CAP_OK;
}

static cap_status press_functions(cap_groove_pass *w)
{
  CAP_TRY(press_side(w, 0, w->lambda));
  if (w->g->coupled) {
    for (int i = 0; w->p->given->curved && i < w->m; i++) w->deflected[i] *= w->lambda[i];
    return CAP_OK;
  }
  for (int i = 0; i < w->m; i++) w->f0[i] = w->lambda[i] * w->deflected[i];
  CAP_TRY(press_side(w, 1, w->other));
  for (int i = 0; i < w->m; i++) w->deflected[i] = w->f0[i] + w->other[i] * w->deflected[i];
  return CAP_OK;
}

/* By tables: all forces, and the slopes pair by pair. */
static void add_table_slopes(cap_groove_pass *w, const cap_influence *sheave, const double *lambda)
{
  for (int i = 0; i < w->m; i++) {
    double along_r = 0.0, along_phi = 0.0, u = 0.0;
    for (int j = 0; lambda[i] > 0.0 && j < w->m; j++) {
      if (!(lambda[j] > 0.0)) continue;
      double ri = w->reach[i], rj = w->reach[j], pi = w->phi[i], pj = w->phi[j];
      u += lambda[j] * cap_influence_at(sheave, ri, pi, rj, pj);
      along_r += lambda[j] * cap_influence_slope(sheave, ri, pi, rj, pj);
      along_phi += lambda[j] * cap_influence_turn(sheave, ri, pi, rj, pj);
    }
    w->along_r[i] += lambda[i] * along_r;
    w->along_phi[i] += lambda[i] * along_phi;
    w->deflected[i] += lambda[i] * u;
  }
}

static cap_status press_table(cap_groove_pass *w)
{
  const cap_maxwell *s = &w->p->sheaves;
  int id[CAP_GROOVE_MOST + 2 * CAP_GROOVE_LANES], at = 0, beyond = w->g->points * w->g->n;
  for (int r = 0; r < w->nrun; r++)
    for (int k = 0; k < w->runs[r].count; k++, at++) {
      id[at] = w->runs[r].first + k;
      if (w->m > w->n) id[w->n + at] = w->g->n + id[at];
    }
  for (; at < w->n; at++) { /* what fills up vectors */
    id[at] = beyond++;
    if (w->m > w->n) id[w->n + at] = beyond++;
  }
  for (int i = 0; i < w->m; i++) w->phi[i] = atan2(w->ey[i], w->ex[i]);
  cap_maxwell_contacts c = {.n = w->m,
                            .r = w->reach,
                            .phi = w->phi,
                            .cosine = w->ex,
                            .sine = w->ey,
                            .compliance = w->compliance,
                            .penetration = {w->penetration, w->penetration},
                            .id = id};
  cap_maxwell_result result = {.force = {w->lambda, w->other}};
  cap_maxwell_warm(s, w->most, w->solver, w->warm);
  CAP_TRY(cap_maxwell_solve(s, &c, w->most, w->solver, &result));
  cap_maxwell_keep(s, w->most, w->solver, w->warm);
  memcpy(w->iterations, result.iterations, sizeof w->iterations);
  clear_slopes(w);
  add_table_slopes(w, &s->sheave[0], w->lambda);
  add_table_slopes(w, &s->sheave[1], w->other);
  return CAP_OK;
}

cap_status cap_groove_press(cap_groove_pass *w)
{
  w->iterations[0] = w->iterations[1] = 0;
  place_all(w);
  if (w->p->rigid) {
    press_rigid(w);
    return CAP_OK;
  }
  return w->p->table ? press_table(w) : press_functions(w);
}

/* Half of force times penetration, of each flank. */
double cap_groove_press_energy(const cap_groove_pass *w)
{
  double sum = 0.0;
  for (int i = 0; i < w->m; i++) {
    double force = w->g->coupled ? w->lambda[i] : w->lambda[i] + w->other[i];
    sum += 0.5 * force * w->penetration[i];
  }
  return sum;
}
