/* laws/patch.c — see patch.h.
 *
 * Straight-line code over lanes (laws/pow.h has the rule).
 */
#include "laws/patch.h"
#include "base/clones.h"
#include "laws/pow.h"

#include <math.h>
#include <stdbool.h>

enum { PASSES = 14, WHOLE = 3 };

/* ---- the integral -------------------------------------------------------------------------------------- */

#define FAR 25.0 /* |g|^2 over (l Omega)^2 from where the series is used */

/* Far from the pole. */
CAP_INLINE capm_patch_slope far_slope(const capm_patch *p, double v1, double v2, double v3)
{
  const double P = v1 * v1, Q = v2 * v2, sum = P + Q + 1e-60, per = 1.0 / sum, root = sqrt(per);
  const double k = v3 * v3 * per, E = Q * per, rest = 1.0 - E;
  const double *a = p->series[0], *b = p->series[1], *c = p->series[2];
  const double a0 = a[0] + a[1] * E, b0 = b[0] + E * (b[1] + E * b[2]);
  const double c0 = c[0] + E * (c[1] + E * (c[2] + E * c[3]));
  const double a1 = a[1], b1 = b[1] + 2.0 * b[2] * E, c1 = c[1] + E * (2.0 * c[2] + 3.0 * c[3] * E);
  const double b2 = 2.0 * b[2], c2 = 2.0 * c[2] + 6.0 * c[3] * E;
  /* F(k, E) = W/|g| and its derivatives */
  const double F = 1.0 + k * (a0 + k * (b0 + k * c0)), Fk = a0 + k * (2.0 * b0 + 3.0 * k * c0);
  const double FE = k * (a1 + k * (b1 + k * c1)), Fkk = 2.0 * b0 + 6.0 * k * c0;
  const double FkE = a1 + k * (2.0 * b1 + 3.0 * k * c1), FEE = k * k * (b2 + k * c2);
  const double even = 0.5 * F - k * Fk, even_k = -0.5 * Fk - k * Fkk, even_E = -0.5 * FE - k * FkE;
  /* those of W to P = v1^2, Q = v2^2, v3^2, without powers of |g| */
  const double GP = even - E * FE, GQ = even + rest * FE;
  const double GPk = even_k - E * FkE, GPE = even_E - E * FEE, GQk = even_k + rest * FkE;
  const double GQE = even_E + rest * FEE;
  const double cube = 4.0 * per * root, twice = 2.0 * root;
  capm_patch_slope s;
  s.n[0] = twice * v1 * GP;
  s.n[1] = twice * v2 * GQ;
  s.n[2] = twice * v3 * Fk;
  s.H[0] = twice * GP + cube * P * (-0.5 * GP - k * GPk - E * GPE);
  s.H[1] = twice * GQ + cube * Q * (-0.5 * GQ - k * GQk + rest * GQE);
  s.H[2] = twice * Fk + cube * (v3 * v3) * Fkk;
  s.H[3] = cube * (v1 * v2) * (-0.5 * GP - k * GPk + rest * GPE);
  s.H[4] = cube * (v1 * v3) * GPk;
  s.H[5] = cube * (v2 * v3) * GQk;
  return s;
}

/* Of one side of the rectangle at the distance h from the pole, from x1 to x2 along it, r1 and r2 away:
 * the integrals of 1/r and of r. */
CAP_INLINE void side_of(double h, double x1, double x2, double r1, double r2, double *of_1_r, double *of_r)
{
  const double size = x2 - x1, both = r1 + r2, least = 1e-13 * size, beyond = both - size;
  const double log2 = 0x1.62e42fefa39efp-1;
  double k, m;
  capm_pow_frexp((both + size) / (beyond > least ? beyond : least), &k, &m);
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  *of_1_r = log2 * (k + s * (0x1.71547652b82fep+1 + z * capm_pow_atanh_tail(z)));
  *of_r = 0.5 * ((x2 * r2 - x1 * r1) + h * h * *of_1_r);
}

/* Anywhere but at v3 = 0. */
CAP_INLINE capm_patch_slope near_slope(const capm_patch *p, double v1, double v2, double v3)
{
  const double spin = fabs(v3), per = 1.0 / spin, A = p->half[0], B = p->half[1];
  /* the pole is at (|v2|, |v1|)/spin: an even function of both */
  const double x = fabs(v2) * per, y = fabs(v1) * per, x1 = -A - x, x2 = A - x, y1 = -B - y, y2 = B - y;
  const double r11 = sqrt(x1 * x1 + y1 * y1), r12 = sqrt(x1 * x1 + y2 * y2);
  const double r21 = sqrt(x2 * x2 + y1 * y1), r22 = sqrt(x2 * x2 + y2 * y2);
  double L1, L2, M1, M2, J1, J2, K1, K2;
  side_of(x1, y1, y2, r11, r12, &L1, &J1);
  side_of(x2, y1, y2, r21, r22, &L2, &J2);
  side_of(y1, x1, x2, r11, r21, &M1, &K1);
  side_of(y2, x1, x2, r12, r22, &M2, &K2);
  const double q = p->per_area, Ix = q * (J1 - J2), Iy = q * (K1 - K2);
  const double mean = q * (1.0 / 3.0) * ((x2 * J2 - x1 * J1) + (y2 * K2 - y1 * K1));
  const double Ixx = q * (x2 * L2 - x1 * L1), Iyy = q * (y2 * M2 - y1 * M1);
  const double Ixy = q * ((r22 - r21) - (r12 - r11));
  const double sx = v2 < 0.0 ? -1.0 : 1.0, sy = v1 < 0.0 ? -1.0 : 1.0, sz = v3 < 0.0 ? -1.0 : 1.0;
  const double along_y = y * Iyy + x * Ixy, along_x = y * Ixy + x * Ixx;
  capm_patch_slope s;
  s.n[0] = sy * Iy;
  s.n[1] = sx * Ix;
  s.n[2] = sz * (mean - x * Ix - y * Iy);
  s.H[0] = per * Iyy;
  s.H[1] = per * Ixx;
  s.H[2] = per * (y * along_y + x * along_x);
  s.H[3] = per * (sx * sy) * Ixy;
  s.H[4] = -per * (sy * sz) * along_y;
  s.H[5] = -per * (sx * sz) * along_x;
  return s;
}

/* ---- what a rectangle needs once ----------------------------------------------------------------------- */

#define NARROW 1e-3 /* of the longer side: a line */

/* Nodes and weights of Gauss' quadrature over (-1, 1) that is right to the seventh power. */
static const double nodes[4] = {-0.86113631159405258, -0.33998104358485626, 0.33998104358485626,
                                0.86113631159405258};
static const double weights[4] = {0.34785484513745386, 0.65214515486254614, 0.65214515486254614,
                                  0.34785484513745386};

/* Terms of sqrt((1 + y)^2 + x^2) that are even in both, of the order 2, 4, 6; in the mean over the rectangle
 * that slides in the direction (sqrt(1 - E), sqrt(E)). x: of the slip by spin across it, y along it. */
static void terms(const capm_patch *p, double E, double term[CAPM_PATCH_ORDERS])
{
  const double e1 = sqrt(1.0 - E), e2 = sqrt(E);
  for (int o = 0; o < CAPM_PATCH_ORDERS; o++) term[o] = 0.0;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      double a = p->half[0] * nodes[i], b = p->half[1] * nodes[j], w = 0.25 * weights[i] * weights[j];
      double x = b * e2 + a * e1, y = a * e2 - b * e1, x2 = x * x, y2 = y * y;
      term[0] += w * 0.5 * x2;
      term[1] += w * (0.5 * x2 * y2 - 0.125 * x2 * x2);
      term[2] += w * (0.5 * x2 * y2 * y2 - 0.75 * x2 * x2 * y2 + 0.0625 * x2 * x2 * x2);
    }
}

/* They are polynomials in E of the degree of their order: through the values at 0, 1/3, 2/3, 1. */
static void expand(capm_patch *p)
{
  double at[CAPM_PATCH_TERMS][CAPM_PATCH_ORDERS];
  for (int k = 0; k < CAPM_PATCH_TERMS; k++) terms(p, k / 3.0, at[k]);
  for (int o = 0; o < CAPM_PATCH_ORDERS; o++) {
    double f0 = at[0][o], f1 = at[1][o], f2 = at[2][o], f3 = at[3][o];
    double d1 = f1 - f0, d2 = f2 - 2.0 * f1 + f0, d3 = f3 - 3.0 * f2 + 3.0 * f1 - f0;
    /* Newton's form in u = 3 E */
    p->series[o][0] = f0;
    p->series[o][1] = 3.0 * (d1 - 0.5 * d2 + d3 / 3.0);
    p->series[o][2] = o < 1 ? 0.0 : 9.0 * (0.5 * d2 - 0.5 * d3);
    p->series[o][3] = o < 2 ? 0.0 : 27.0 * d3 / 6.0;
  }
}

double capm_patch_power(const capm_patch *p, const double v[3], capm_patch_slope *slope)
{
  bool far = v[0] * v[0] + v[1] * v[1] >= FAR * (v[2] * v[2]);
  capm_patch_slope s = far ? far_slope(p, v[0], v[1], v[2]) : near_slope(p, v[0], v[1], v[2]);
  if (slope) *slope = s;
  return s.n[0] * v[0] + s.n[1] * v[1] + s.n[2] * v[2];
}

/* Ellipsoids within and around the surface: extremes over directions of slip, with what lies between those
 * that are looked at. */
static void bound(capm_patch *p)
{
  enum { STEPS = 40 };
  const double slack = 2e-3;
  p->inside = INFINITY, p->outside = 0.0;
  for (int i = 0; i <= STEPS; i++)
    for (int j = 0; j <= STEPS; j++) {
      double turn = 0.5 * M_PI * i / STEPS, spin = 0.5 * M_PI * j / STEPS;
      double v[3] = {cos(turn) * cos(spin), sin(turn) * cos(spin), sin(spin)};
      capm_patch_slope s;
      capm_patch_power(p, v, &s);
      double third = s.n[2] / p->pure, size = sqrt(s.n[0] * s.n[0] + s.n[1] * s.n[1] + third * third);
      p->inside = fmin(p->inside, size);
      p->outside = fmax(p->outside, size);
    }
  p->inside *= 1.0 - slack, p->outside *= 1.0 + slack;
}

capm_patch capm_patch_of(double length, double breadth)
{
  capm_patch p = {.pure = 1.0, .inside = 1.0, .outside = 1.0};
  double longer = fmax(length, breadth);
  if (!(longer > 0.0)) return p;
  length = fmax(length, NARROW * longer), breadth = fmax(breadth, NARROW * longer);
  p.gyration = sqrt((length * length + breadth * breadth) / 12.0);
  p.half[0] = 0.5 * length / p.gyration, p.half[1] = 0.5 * breadth / p.gyration;
  p.per_area = 0.25 / (p.half[0] * p.half[1]);
  expand(&p);
  p.pure = capm_patch_power(&p, (const double[]){0.0, 0.0, 1.0}, NULL);
  bound(&p);
  return p;
}

/* ---- bristles ------------------------------------------------------------------------------------------ */

/* W's derivatives in all lanes that are not done. Those near the pole are put together first, as they are few
 * and dear. */
CAP_INLINE void slopes(const capm_patch *p, int count, const capm_patch_lanes *restrict v,
                       const double *restrict done, capm_patch_lanes *restrict n,
                       capm_patch_lanes *restrict H)
{
  double u[3][CAPM_PATCH_MANY];
  int which[CAPM_PATCH_MANY], near = 0;
  for (int block = 0; block < count; block += CAPM_PATCH_LANES) {
    double left = 0.0;
    for (int l = block; l < block + CAPM_PATCH_LANES; l++) left += 1.0 - done[l];
    if (left == 0.0) continue;
    CAP_EACH_LANE(i, CAPM_PATCH_LANES)
    {
      const int l = block + i;
      const capm_patch_slope s = far_slope(p, v[0][l], v[1][l], v[2][l]);
      n[0][l] = s.n[0], n[1][l] = s.n[1], n[2][l] = s.n[2];
      H[0][l] = s.H[0], H[1][l] = s.H[1], H[2][l] = s.H[2];
      H[3][l] = s.H[3], H[4][l] = s.H[4], H[5][l] = s.H[5];
    }
    for (int l = block; l < block + CAPM_PATCH_LANES; l++) {
      const double g = v[0][l] * v[0][l] + v[1][l] * v[1][l];
      u[0][near] = v[0][l], u[1][near] = v[1][l], u[2][near] = v[2][l];
      which[near] = l;
      near += (g < FAR * (v[2][l] * v[2][l])) & (done[l] == 0.0);
    }
  }
  for (int block = 0; block < near; block += CAPM_PATCH_LANES) {
    double m[3][CAPM_PATCH_LANES], K[6][CAPM_PATCH_LANES];
    const int rest = near - block < CAPM_PATCH_LANES ? near - block : CAPM_PATCH_LANES;
    for (int i = rest; i < CAPM_PATCH_LANES; i++) u[0][block + i] = u[1][block + i] = u[2][block + i] = 1.0;
    CAP_EACH_LANE(i, CAPM_PATCH_LANES)
    {
      const int k = block + i;
      const capm_patch_slope s = near_slope(p, u[0][k], u[1][k], u[2][k]);
      m[0][i] = s.n[0], m[1][i] = s.n[1], m[2][i] = s.n[2];
      K[0][i] = s.H[0], K[1][i] = s.H[1], K[2][i] = s.H[2];
      K[3][i] = s.H[3], K[4][i] = s.H[4], K[5][i] = s.H[5];
    }
    for (int i = 0; i < rest; i++) {
      const int l = which[block + i];
      for (int j = 0; j < 3; j++) n[j][l] = m[j][i];
      for (int j = 0; j < 6; j++) H[j][l] = K[j][i];
    }
  }
}

/* (1 + c H) x = r, symmetric and positive definite. */
CAP_INLINE void solve(double c, const double H[6], const double r[3], double x[3])
{
  const double a11 = 1.0 + c * H[0], a22 = 1.0 + c * H[1], a33 = 1.0 + c * H[2];
  const double a12 = c * H[3], a13 = c * H[4], a23 = c * H[5];
  const double per1 = 1.0 / a11, l2 = a12 * per1, l3 = a13 * per1;
  const double d2 = a22 - l2 * a12, per2 = 1.0 / d2, e = a23 - l3 * a12, m3 = e * per2;
  const double d3 = (a33 - l3 * a13) - m3 * e;
  const double y2 = r[1] - l2 * r[0], y3 = (r[2] - l3 * r[0]) - m3 * y2;
  x[2] = y3 / d3;
  x[1] = y2 * per2 - m3 * x[2];
  x[0] = r[0] * per1 - l2 * x[1] - l3 * x[2];
}

CAP_CLONES static void to_surface(const capm_patch *p, int count, const capm_patch_lanes *restrict trial,
                                  const capm_patch_lanes *restrict slip, const double *restrict limit,
                                  capm_patch_lanes *restrict force, double *restrict slides)
{
  const double enough = 0.05 * 0.05, inside = p->inside * p->inside, per = 1.0 / (p->pure * p->pure);
  capm_patch_lanes v[3], n[3], H[6], done;
  CAP_EACH_LANE(l, count)
  {
    const double t0 = trial[0][l], t1 = trial[1][l], t2 = trial[2][l], most = limit[l] * limit[l];
    const double u2 = per * t2, size = t0 * t0 + t1 * t1 + u2 * t2;
    const double moved = slip[0][l] * slip[0][l] + slip[1][l] * slip[1][l] + slip[2][l] * slip[2][l];
    const bool sticks = size <= inside * most, known = moved > 1e-6 * most, touches = limit[l] > 0.0;
    v[0][l] = known ? slip[0][l] : t0;
    v[1][l] = known ? slip[1][l] : t1;
    v[2][l] = known ? slip[2][l] : u2;
    force[0][l] = touches ? t0 : 0.0;
    force[1][l] = touches ? t1 : 0.0;
    force[2][l] = touches ? t2 : 0.0;
    slides[l] = touches ? 0.0 : 1.0;
    done[l] = sticks ? 1.0 : touches ? 0.0 : 1.0;
  }
  for (int pass = 0; pass < PASSES; pass++) {
    /* of a step: halves where whole ones go to and fro, as past an edge of the surface */
    const double part = pass < WHOLE ? 1.0 : 0.5, first = pass == 0 ? 1.0 : 0.0;
    double all = 0.0;
    for (int l = 0; l < count; l++) all += done[l];
    if (all == count) return;
    slopes(p, count, (const capm_patch_lanes *)v, done, n, H);
    for (int block = 0; block < count; block += CAPM_PATCH_LANES) {
      double left = 0.0;
      for (int l = block; l < block + CAPM_PATCH_LANES; l++) left += 1.0 - done[l];
      if (left == 0.0) continue;
      CAP_EACH_LANE(i, CAPM_PATCH_LANES)
      {
        const int l = block + i;
        const double t[3] = {trial[0][l], trial[1][l], trial[2][l]}, w[3] = {v[0][l], v[1][l], v[2][l]};
        const double along = t[0] * w[0] + t[1] * w[1] + t[2] * w[2];
        const double power = n[0][l] * w[0] + n[1][l] * w[1] + n[2][l] * w[2];
        const double size = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
        const bool out = along > limit[l] * power;
        /* where this direction does not show that trial is beyond the surface: the direction in which it is
         * farthest out, that of a surface which is smaller in proportion */
        const double smaller = power > 0.0 ? along / power : 0.0, c = out ? limit[l] : smaller;
        /* the length that v has for this direction */
        const double scale = out ? (along - limit[l] * power) / size : 0.3 * limit[l] / sqrt(size);
        const double stiff = c / scale;
        const double h[6] = {H[0][l], H[1][l], H[2][l], H[3][l], H[4][l], H[5][l]};
        const double r[3] = {t[0] - c * n[0][l], t[1] - c * n[1][l], t[2] - c * n[2][l]};
        double x[3];
        solve(stiff > 0.0 ? stiff : 0.0, h, r, x);
        const double back = along > 0.0 ? first : 1.0; /* to the ellipsoid's normal */
        const double u0 = back > 0.0 ? t[0] : scale * w[0] + x[0],
                     u1 = back > 0.0 ? t[1] : scale * w[1] + x[1];
        const double u2 = back > 0.0 ? per * t[2] : scale * w[2] + x[2];
        const double to0 = out ? x[0] : u0, to1 = out ? x[1] : u1, to2 = out ? x[2] : u2;
        const double share = (to0 * w[0] + to1 * w[1] + to2 * w[2]) / size;
        const double o0 = to0 - share * w[0], o1 = to1 - share * w[1], o2 = to2 - share * w[2];
        const double off = o0 * o0 + o1 * o1 + o2 * o2, now = to0 * to0 + to1 * to1 + to2 * to2;
        const double rest = (1.0 - part) * scale;
        const bool over = done[l] > 0.0;
        const double turns = off <= enough * now ? 0.0 : 1.0, anew = out ? 0.0 : back;
        const double f0 = out ? t[0] - x[0] : t[0], f1 = out ? t[1] - x[1] : t[1];
        const double f2 = out ? t[2] - x[2] : t[2], slid = out ? 1.0 : 0.0;
        force[0][l] = over ? force[0][l] : f0;
        force[1][l] = over ? force[1][l] : f1;
        force[2][l] = over ? force[2][l] : f2;
        v[0][l] = over ? v[0][l] : rest * w[0] + part * to0;
        v[1][l] = over ? v[1][l] : rest * w[1] + part * to1;
        v[2][l] = over ? v[2][l] : rest * w[2] + part * to2;
        slides[l] = over ? slides[l] : slid;
        const double settled = turns + anew > 0.0 ? 0.0 : 1.0;
        done[l] = over ? 1.0 : settled;
      }
    }
  }
}

void capm_patch_return(const capm_patch *p, int count, const capm_patch_lanes *trial,
                       const capm_patch_lanes *slip, const double *limit, capm_patch_lanes *force,
                       double *slides)
{
  to_surface(p, count, trial, slip, limit, force, slides);
}
